// Files that are there whole or not at all.
#pragma once

#include <string>
#include <string_view>

#include "gemm/status.h"

namespace gemm::io {

// Writes `head`, then `body`, to `path`. A regular file, or one that is not there yet, is written beside itself as `path`.part and
// renamed: whoever is killed or fails leaves what was there before. A failure removes the .part file, which a killed process
// leaves for the next call to write over. Anything else, such as a pipe, a device or a link (/dev/stdout is one), is written to as it is.
Status WriteFile(const std::string& path, std::string_view head, std::string_view body);

// Refuses a path whose folder is not there, by the name of the flag that gave it: for before the work whose result goes there. An
// empty path passes.
Status CheckFolder(const std::string& flag, const std::string& path);

}  // namespace gemm::io
