#include "hopper/skinny/instantiate.cuh"

#define GEMM_SKINNY_KN(...) GEMM_SKINNY_KERNEL(bf16, kBF16, kn, true, __VA_ARGS__)
#include "hopper/skinny/kernels.inc"
