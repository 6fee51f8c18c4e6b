// A report as a file, in the format that the end of the file's name asks for.
#pragma once

#include <functional>
#include <string>

#include "gemm/status.h"

namespace gemm::tool::bench {

// What makes the text of each format; only the one that is written is called.
struct Formats {
  std::function<std::string()> csv;
  std::function<std::string()> json;
  std::function<std::string()> markdown;
};

// Refuses a path that ends otherwise than .csv, .json or .md.
Status CheckPath(const std::string& path);
Status Write(const Formats& formats, const std::string& path);

}  // namespace gemm::tool::bench
