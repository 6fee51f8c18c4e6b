// The types of elements as device code names them. Shared by host and device code.
#pragma once

namespace gemm::device {

// The values of gemm::DataType, whose header NVRTC cannot include; hosts assert that they agree.
enum ElementType : int { kElementFP32 = 0, kElementFP16 = 1, kElementBF16 = 2 };

}  // namespace gemm::device
