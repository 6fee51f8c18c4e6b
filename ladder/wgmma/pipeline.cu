// Producer and consumers.
#include "ladder/wgmma/instantiate.cuh"
#include "ladder/wgmma/pipeline.cuh"

#define GEMM_LADDER_PIPELINE(...) GEMM_LADDER_WGMMA_KERNEL(Pipeline, __VA_ARGS__)
#include "ladder/wgmma/kernels.inc"
