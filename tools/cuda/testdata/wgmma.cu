// A kernel that only sm_90a has: it fails to compile when the rule loses the `a`.
#include <cuda/std/cstdint>

extern "C" __global__ void fence() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
}
