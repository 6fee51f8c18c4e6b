// Several results a thread, and wider loads.
#include "ladder/simt/instantiate.cuh"

#define GEMM_LADDER_REGISTERS(...) GEMM_LADDER_SIMT_KERNEL(RegisterTile, __VA_ARGS__)
#include "ladder/simt/kernels.inc"
