// Copies that overlap the products.
#include "ladder/simt/double_buffer.cuh"
#include "ladder/simt/instantiate.cuh"

#define GEMM_LADDER_ASYNC(...) GEMM_LADDER_SIMT_KERNEL(DoubleBuffer, __VA_ARGS__)
#include "ladder/simt/kernels.inc"
