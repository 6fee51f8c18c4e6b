// Results dealt to warps first, then to their lanes.
#include "ladder/simt/instantiate.cuh"

#define GEMM_LADDER_WARPS(...) GEMM_LADDER_SIMT_KERNEL(RegisterTile, __VA_ARGS__)
#include "ladder/simt/kernels.inc"
