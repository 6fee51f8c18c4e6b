// One result a thread, with operands from global memory, then from tiles in shared memory.
#include "ladder/simt/naive.cuh"
#include "ladder/simt/shared_tile.cuh"

#define GEMM_LADDER_KERNEL(symbol, threads, ...)               \
  extern "C" __global__ void __launch_bounds__(threads)        \
      symbol(const __grid_constant__ gemm::ladder::Params p) { \
    gemm::ladder::__VA_ARGS__(p);                              \
  }

GEMM_LADDER_KERNEL(naive_2d_fp32, 1024, Naive2d<float>)
GEMM_LADDER_KERNEL(naive_2d_bf16, 1024, Naive2d<__nv_bfloat16>)
GEMM_LADDER_KERNEL(naive_transposed_b_fp32, 1024, NaiveTransposedB<float>)
GEMM_LADDER_KERNEL(naive_index_1d_fp32, 256, NaiveIndex1d<float>)
GEMM_LADDER_KERNEL(naive_remapped_fp32, 1024, NaiveRemapped<float>)
GEMM_LADDER_KERNEL(tile_8_fp32, 64, SharedTile<float, 8>)
GEMM_LADDER_KERNEL(tile_16_fp32, 256, SharedTile<float, 16>)
GEMM_LADDER_KERNEL(tile_32_fp32, 1024, SharedTile<float, 32>)
GEMM_LADDER_KERNEL(tile_64_fp32, 1024, SharedTile<float, 64>)
GEMM_LADDER_KERNEL(tile_32_bf16, 1024, SharedTile<__nv_bfloat16, 32>)
