#include "hopper/instantiate.cuh"

#define GEMM_HOPPER_KK(...) GEMM_HOPPER_KERNEL(bf16, kBF16, kk, false, false, __VA_ARGS__)
#define GEMM_HOPPER_KK_ANY(...) GEMM_HOPPER_ANY_KERNEL(bf16, kBF16, kk, false, false, __VA_ARGS__)
#include "hopper/kernels.inc"
