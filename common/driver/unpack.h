// Embedded code as the driver wants it.
#pragma once

#include <string>

#include "common/driver/image.h"
#include "gemm/status.h"

namespace gemm::driver {

// The bytes of a packed code. tools/cuda/pack.cc packs several together: a Zstandard frame of their number, the length of each (8 bytes,
// little-endian) and the codes, PTX as ptx_numbers.h writes it. Where there is a base the frame has that one's bytes, as they were packed,
// for its prefix (ZSTD_CCtx_refPrefix). kInternal where either is damaged. May throw std::bad_alloc.
Status Unpack(const Code& code, std::string* unpacked);

}  // namespace gemm::driver
