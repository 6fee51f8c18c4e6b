// The kernels for small products, of any types and layouts.
#include "common/simt/dot_kernel.cuh"

namespace gemm::simt {

extern "C" __global__ void __launch_bounds__(DotShape<1>::kThreads)
    SimtDot1(const __grid_constant__ Params params) {
  RunDot<DotShape<1>>(params);
}

extern "C" __global__ void __launch_bounds__(DotShape<3>::kThreads)
    SimtDot3(const __grid_constant__ Params params) {
  RunDot<DotShape<3>>(params);
}

}  // namespace gemm::simt
