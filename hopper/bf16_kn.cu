#include "hopper/instantiate.cuh"

#define GEMM_HOPPER_KN(...) GEMM_HOPPER_KERNEL(bf16, kBF16, kn, false, true, __VA_ARGS__)
#define GEMM_HOPPER_KN_ANY(...) GEMM_HOPPER_ANY_KERNEL(bf16, kBF16, kn, false, true, __VA_ARGS__, kNone)
#include "hopper/kernels.inc"
