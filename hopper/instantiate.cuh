// Turns a row into its __global__ function. Each .cu file instantiates the rows of some layouts for BF16, so that the files
// build in parallel. Those for FP16 are made of their PTX (BUILD).
#pragma once

#include "hopper/anywhere_kernel.cuh"
#include "hopper/kernel.cuh"
#include "hopper/row.h"

#define GEMM_HOPPER_KERNEL(type, input, layout, a_transposed, b_transposed, schedule, tile_m, tile_n, stages, \
                           cluster_m, cluster_n)                                                              \
  GEMM_HOPPER_DEFINE_ROW(type, input, layout, a_transposed, b_transposed, schedule, tile_m, tile_n, stages,   \
                         cluster_m, cluster_n)                                                                \
  GEMM_HOPPER_DEFINE_KERNEL(                                                                                  \
      GEMM_HOPPER_NAME(type, layout, schedule, tile_m, tile_n, stages, cluster_m, cluster_n))
#define GEMM_HOPPER_ANY_KERNEL(type, input, layout, a_transposed, b_transposed, schedule, tile_m, tile_n, \
                               stages, clusters, transposing)                                             \
  GEMM_HOPPER_DEFINE_ANY_ROW(type, input, layout, a_transposed, b_transposed, schedule, tile_m, tile_n,   \
                             stages, clusters, transposing)                                               \
  GEMM_HOPPER_DEFINE_KERNEL(GEMM_HOPPER_ANY_NAME(type, layout, schedule, tile_m, tile_n, stages))
#define GEMM_HOPPER_DEFINE_KERNEL(name) GEMM_HOPPER_DEFINE_KERNEL_OF(name)
#define GEMM_HOPPER_DEFINE_KERNEL_OF(name)                                                                  \
  extern "C" __global__ void __launch_bounds__(gemm::hopper::Config<gemm::hopper::rows::name>::kThreads, 1) \
      name(const __grid_constant__ gemm::hopper::Params params) {                                           \
    using C = gemm::hopper::Config<gemm::hopper::rows::name>;                                               \
    if constexpr (C::kStartsAnywhere) {                                                                     \
      gemm::hopper::GemmAnywhere<C>(params);                                                                \
    } else {                                                                                                \
      gemm::hopper::Gemm<C>(params);                                                                        \
    }                                                                                                       \
  }
#define GEMM_HOPPER_ANYWHERE_KERNEL(type, input, layout, a_transposed, b_transposed, schedule, tile_m, tile_n, \
                                    stages)                                                                    \
  GEMM_HOPPER_DEFINE_ANYWHERE_ROW(type, input, layout, a_transposed, b_transposed, schedule, tile_m, tile_n,   \
                                  stages)                                                                      \
  GEMM_HOPPER_DEFINE_KERNEL(GEMM_HOPPER_ANYWHERE_NAME(type, layout, schedule, tile_m, tile_n, stages))
