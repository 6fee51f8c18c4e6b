// Turns a row into its __global__ function. Each .cu file instantiates the rows of one layout for BF16, so that the files
// build in parallel. Those for FP16 are made of their PTX (hopper/BUILD).
#pragma once

#include "hopper/skinny/kernel.cuh"
#include "hopper/skinny/row.h"

#define GEMM_SKINNY_KERNEL(type, input, layout, wide_transposed, wide, narrow, tile_k, stages) \
  GEMM_SKINNY_DEFINE_ROW(type, input, layout, wide_transposed, wide, narrow, tile_k, stages)   \
  GEMM_SKINNY_DEFINE_KERNEL(GEMM_SKINNY_NAME(type, layout, wide, narrow, tile_k, stages))
#define GEMM_SKINNY_DEFINE_KERNEL(name) GEMM_SKINNY_DEFINE_KERNEL_OF(name)
#define GEMM_SKINNY_DEFINE_KERNEL_OF(name)                                                              \
  extern "C" __global__ void __launch_bounds__(                                                         \
      gemm::hopper::skinny::Config<gemm::hopper::skinny::rows::name>::kThreads, 1)                      \
      name(const __grid_constant__ gemm::hopper::skinny::Params params) {                               \
    gemm::hopper::skinny::Gemm<gemm::hopper::skinny::Config<gemm::hopper::skinny::rows::name>>(params); \
  }
