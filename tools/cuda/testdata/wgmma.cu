// A kernel that fails to compile when the rule loses the `a` of sm_90a, without which there is no wgmma.
#if __CUDA_ARCH__ == 900 && !defined(__CUDA_ARCH_FEAT_SM90_ALL)
#error "compiled for sm_90, not for sm_90a"
#endif

extern "C" __global__ void fence() {}
