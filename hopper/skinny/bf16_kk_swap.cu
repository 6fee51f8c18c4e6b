#include "hopper/skinny/instantiate.cuh"

#define GEMM_SKINNY_KK(...) GEMM_SKINNY_KERNEL(bf16, kBF16, kk, false, __VA_ARGS__)
#include "hopper/skinny/kernels.inc"
