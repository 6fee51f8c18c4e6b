// Turns a line of kernels.inc into its __global__ function.
#pragma once

#include "ladder/simt/define.h"
#include "ladder/simt/register_tile.cuh"

#define GEMM_LADDER_SIMT_KERNEL(function, name, published, symbol, ...)              \
  GEMM_LADDER_SIMT_CONFIG(symbol, __VA_ARGS__)                                       \
  extern "C" __global__ void __launch_bounds__(gemm::ladder::rows::symbol::kThreads) \
      symbol(const __grid_constant__ gemm::ladder::Params params) {                  \
    gemm::ladder::function<gemm::ladder::rows::symbol>(params);                      \
  }
