// Tensor cores by the wmma API.
#include "ladder/tensor/instantiate.cuh"
#include "ladder/tensor/wmma.cuh"

#define GEMM_LADDER_WMMA(...) GEMM_LADDER_TENSOR_KERNEL(WmmaWarp, TileOfGrid<C>(), __VA_ARGS__)
#include "ladder/tensor/kernels.inc"

extern "C" __global__ void __launch_bounds__(256)
    wmma_global_fp16(const __grid_constant__ gemm::ladder::Params p) {
  gemm::ladder::WmmaFromGlobal<__half>(p);
}

extern "C" __global__ void __launch_bounds__(256)
    wmma_global_bf16(const __grid_constant__ gemm::ladder::Params p) {
  gemm::ladder::WmmaFromGlobal<__nv_bfloat16>(p);
}
