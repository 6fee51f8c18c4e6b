// The SIMT kernels of ring.inc.
#include "common/simt/config.h"
#include "common/simt/ring_kernel.cuh"

namespace gemm::simt {

#define RING_SHAPE(shape, ...) using shape = RingShape<__VA_ARGS__>;
#define RING_KERNEL(shape, tile, tag, major_a, major_b)                                                          \
  extern "C" __global__ void __launch_bounds__(shape::kThreads, shape::kCtasPerSm)                               \
      SimtRing##shape##tag(const __grid_constant__ Params params, const __grid_constant__ SplitK split) {        \
    RunRing<shape, major_a, major_b>(params, split);                                                             \
  }
#include "common/simt/ring.inc"
#undef RING_SHAPE
#undef RING_KERNEL

}  // namespace gemm::simt
