#include "tests/support/numerics.h"

#include <limits>

namespace gemm::tests {

double MaxFinite(DataType type) {
  if (type == DataType::kFP32) return std::numeric_limits<float>::max();
  return type == DataType::kFP16 ? 65504.0 : 0x1.fep127;
}

void Store(DataType type, void* data, std::int64_t index, float value) {
  if (type == DataType::kFP32) {
    static_cast<float*>(data)[index] = value;
  } else {
    static_cast<std::uint16_t*>(data)[index] =
        type == DataType::kFP16 ? FloatToHalf(value) : FloatToBFloat16(value);
  }
}

}  // namespace gemm::tests
