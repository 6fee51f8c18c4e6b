#include "hopper/instantiate.cuh"

#define GEMM_HOPPER_KK_ANYWHERE(...) GEMM_HOPPER_ANYWHERE_KERNEL(bf16, kBF16, kk, false, false, __VA_ARGS__)
#define GEMM_HOPPER_KN_ANYWHERE(...) GEMM_HOPPER_ANYWHERE_KERNEL(bf16, kBF16, kn, false, true, __VA_ARGS__)
#include "hopper/kernels.inc"
