// Tensor cores by ldmatrix and mma.sync.
#include "ladder/tensor/instantiate.cuh"
#include "ladder/tensor/mma.cuh"

#define GEMM_LADDER_MMA(...) GEMM_LADDER_TENSOR_KERNEL(MmaWarp, TileOfGrid<C>(), __VA_ARGS__)
#include "ladder/tensor/kernels.inc"
