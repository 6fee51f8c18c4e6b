// Embedded code as the driver wants it.
#pragma once

#include <string>

#include "common/driver/image.h"
#include "gemm/status.h"

namespace gemm::driver {

// The bytes of a packed code, which tools/cuda/pack.cc wrote. kInternal where it is damaged. May throw std::bad_alloc.
Status Unpack(const Code& code, std::string* unpacked);

}  // namespace gemm::driver
