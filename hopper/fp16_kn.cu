#include "hopper/instantiate.cuh"

#define GEMM_HOPPER_KN(...) GEMM_HOPPER_KERNEL(fp16, kFP16, kn, false, true, __VA_ARGS__)
#include "hopper/kernels.inc"
