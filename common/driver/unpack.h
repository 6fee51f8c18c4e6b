// Embedded code as the driver wants it.
#pragma once

#include <string>

#include "common/driver/image.h"
#include "gemm/status.h"

namespace gemm::driver {

// The bytes of a packed code: tools/cuda/pack.cc makes a Zstandard frame of it, PTX as ptx_numbers.h writes it, and where there is a base
// with that one's bytes, as they were packed, for its prefix (ZSTD_CCtx_refPrefix). kInternal where any of these is damaged. May throw
// std::bad_alloc.
Status Unpack(const Code& code, std::string* unpacked);

}  // namespace gemm::driver
