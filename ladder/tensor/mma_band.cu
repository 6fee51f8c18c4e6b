// ldmatrix and mma.sync with C and D of 16 bits, going through D in bands.
#include "ladder/tensor/instantiate.cuh"
#include "ladder/tensor/mma.cuh"

#define GEMM_LADDER_BAND(...) GEMM_LADDER_TENSOR_KERNEL(MmaWarp, TileOfBand<C>(params), __VA_ARGS__)
#include "ladder/tensor/kernels.inc"
