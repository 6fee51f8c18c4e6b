#include "hopper/instantiate.cuh"

#define GEMM_HOPPER_KN(...) GEMM_HOPPER_KERNEL(bf16, kBF16, kn, false, true, __VA_ARGS__)
#include "hopper/kernels.inc"
