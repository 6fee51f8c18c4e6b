#include "hopper/instantiate.cuh"

#define GEMM_HOPPER_MK(...) GEMM_HOPPER_KERNEL(bf16, kBF16, mk, true, false, __VA_ARGS__)
#define GEMM_HOPPER_MN(...) GEMM_HOPPER_KERNEL(bf16, kBF16, mn, true, true, __VA_ARGS__)
#define GEMM_HOPPER_MK_ANY(...) GEMM_HOPPER_ANY_KERNEL(bf16, kBF16, mk, true, false, __VA_ARGS__)
#include "hopper/kernels.inc"
