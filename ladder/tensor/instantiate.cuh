// Turns a line of kernels.inc into its __global__ function.
#pragma once

#include "ladder/tensor/define.h"
#include "ladder/tensor/loops.cuh"
#include "ladder/tensor/raster.cuh"

#define GEMM_LADDER_TENSOR_KERNEL(Warp, Tile, name, published, symbol, ...)          \
  GEMM_LADDER_TENSOR_CONFIG(symbol, __VA_ARGS__)                                     \
  extern "C" __global__ void __launch_bounds__(gemm::ladder::rows::symbol::kThreads) \
      symbol(const __grid_constant__ gemm::ladder::Params params) {                  \
    using C = gemm::ladder::rows::symbol;                                            \
    gemm::ladder::TensorTile<C, gemm::ladder::Warp<C>>(params, gemm::ladder::Tile);  \
  }
