// One warpgroup with more sums than registers.
#include "ladder/wgmma/instantiate.cuh"
#include "ladder/wgmma/one_group.cuh"

#define GEMM_LADDER_SPILLING(...) GEMM_LADDER_WGMMA_KERNEL(OneGroup, __VA_ARGS__)
#include "ladder/wgmma/kernels.inc"
