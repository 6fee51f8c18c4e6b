// The number by which a kernel's parameters name a type. For hosts; NVRTC cannot include it.
#pragma once

#include "common/device/element_type.h"
#include "gemm/types.h"

namespace gemm::device {

static_assert(static_cast<int>(DataType::kFP32) == kElementFP32 &&
                  static_cast<int>(DataType::kFP16) == kElementFP16 &&
                  static_cast<int>(DataType::kBF16) == kElementBF16,
              "device code names the types by the same numbers");

// An ElementType: those are all that a problem can have today.
constexpr int TypeNumber(DataType type) { return static_cast<int>(type); }

}  // namespace gemm::device
