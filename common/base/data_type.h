// What the library needs to know of a data type.
#pragma once

#include "gemm/types.h"

namespace gemm::base {

// Bytes of one element; 0 for a value outside the enum.
constexpr int ElementBytes(DataType type) {
  switch (type) {
    case DataType::kFP32:
      return 4;
    case DataType::kFP16:
    case DataType::kBF16:
      return 2;
    case DataType::kFP8E4M3:
    case DataType::kFP8E5M2:
      return 1;
  }
  return 0;
}

}  // namespace gemm::base
