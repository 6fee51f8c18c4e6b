// Runs on sm_90a only, as the Hopper kernels do.
#include <cuda/ptx>

// out[block] = CTAs in its cluster.
extern "C" __global__ void driver_test_cluster(unsigned* out) {
  const unsigned size = cuda::ptx::get_sreg_cluster_nctaid_x();
  if (threadIdx.x == 0) out[blockIdx.x] = size;
}
