// The kernel for small products, of any types and layouts.
#include "common/simt/dot_kernel.cuh"

namespace gemm::simt {

extern "C" __global__ void __launch_bounds__(DotShape::kThreads)
    SimtDot(const __grid_constant__ Params params) {
  RunDot(params);
}

}  // namespace gemm::simt
