// Runs on sm_90a only, as the Hopper kernels do.

// out[block] = CTAs in its cluster.
extern "C" __global__ void driver_test_cluster(unsigned* out) {
  unsigned size;
  asm volatile("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(size));
  if (threadIdx.x == 0) out[blockIdx.x] = size;
}
