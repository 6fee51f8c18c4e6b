// Embedded code as the driver wants it.
#pragma once

#include <string>

#include "common/driver/image.h"
#include "gemm/status.h"

namespace gemm::driver {

// The bytes of a packed code. tools/cuda/pack.cc packs several together: a Zstandard frame of their number, the length of each (8 bytes,
// little-endian) and the codes, PTX as ptx_numbers.h writes it. kInternal where that is damaged. May throw std::bad_alloc.
Status Unpack(const Code& code, std::string* unpacked);

}  // namespace gemm::driver
