// Turns a line of kernels.inc into its __global__ function.
#pragma once

#include "ladder/wgmma/define.h"

#define GEMM_LADDER_WGMMA_KERNEL(function, name, published, symbol, ...)                \
  GEMM_LADDER_WGMMA_CONFIG(symbol, __VA_ARGS__)                                         \
  extern "C" __global__ void __launch_bounds__(gemm::ladder::rows::symbol::kThreads, 1) \
      symbol(const __grid_constant__ gemm::ladder::TmaParams params) {                  \
    gemm::ladder::function<gemm::ladder::rows::symbol>(params);                         \
  }
