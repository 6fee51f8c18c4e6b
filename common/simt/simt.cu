// The SIMT kernels of kernels.inc.
#include "common/simt/config.h"
#include "common/simt/kernel.cuh"

namespace gemm::simt {

#define SIMT_SHAPE(shape, ...) using shape = Shape<__VA_ARGS__>;
#define SIMT_KERNEL(shape, tile, tag, major_a, major_b)                            \
  extern "C" __global__ void __launch_bounds__(shape::kThreads, shape::kCtasPerSm) \
      Simt##shape##tag(const __grid_constant__ Params params) {                    \
    RunTile<shape, major_a, major_b>(params);                                      \
  }
#define SIMT_DOT(...)
#define SIMT_ANY(shape, tile)                                                      \
  extern "C" __global__ void __launch_bounds__(shape::kThreads, shape::kCtasPerSm) \
      SimtAny(const __grid_constant__ Params params) {                             \
    RunAny<shape>(params);                                                         \
  }
#include "common/simt/kernels.inc"
#undef SIMT_SHAPE
#undef SIMT_KERNEL
#undef SIMT_DOT
#undef SIMT_ANY

}  // namespace gemm::simt
