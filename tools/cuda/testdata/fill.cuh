#ifndef TOOLS_CUDA_TESTDATA_FILL_CUH_
#define TOOLS_CUDA_TESTDATA_FILL_CUH_

#include <cuda/std/cstdint>

constexpr int Scale() { return 3; }

__device__ inline float Value(cuda::std::int32_t i) { return static_cast<float>(i * Scale()); }

#endif  // TOOLS_CUDA_TESTDATA_FILL_CUH_
