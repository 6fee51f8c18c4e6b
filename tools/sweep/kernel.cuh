// The kernels of one shape: common/simt's, with names of their own.
#pragma once

#include "common/simt/config.h"
#include "common/simt/ring_kernel.cuh"

#define SWEEP_KERNEL(name, layout, major_b, ...)                                               \
  extern "C" __global__ void __launch_bounds__(gemm::simt::RingShape<__VA_ARGS__>::kThreads,   \
                                               gemm::simt::RingShape<__VA_ARGS__>::kCtasPerSm) \
      Sweep_##name##_##layout(const __grid_constant__ gemm::simt::Params params,               \
                              const __grid_constant__ gemm::simt::SplitK split) {              \
    using namespace gemm::simt;                                                                \
    RunRing<RingShape<__VA_ARGS__>, kMajorK, major_b>(params, split);                          \
  }

#define SWEEP_SHAPE(name, ...)                             \
  using gemm::simt::kColumnsFirst;                         \
  using gemm::simt::kRowsFirst;                            \
  SWEEP_KERNEL(name, nk, gemm::simt::kMajorK, __VA_ARGS__) \
  SWEEP_KERNEL(name, kn, gemm::simt::kMajorMN, __VA_ARGS__)
