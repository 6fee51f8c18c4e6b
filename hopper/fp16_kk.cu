#include "hopper/instantiate.cuh"

#define GEMM_HOPPER_KK(...) GEMM_HOPPER_KERNEL(fp16, kFP16, kk, false, false, __VA_ARGS__)
#include "hopper/kernels.inc"
