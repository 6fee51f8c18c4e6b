#include "hopper/skinny/instantiate.cuh"

#define GEMM_SKINNY_KN(...) GEMM_SKINNY_KERNEL(fp16, kFP16, kn, true, __VA_ARGS__)
#include "hopper/skinny/kernels.inc"
