// A line of kernels.inc as a struct of named constants, the same for device and host code.
#pragma once

#include "hopper/skinny/config.cuh"

// "hopper_bf16_kk_swap_64x8x128_s11": names of rows and symbols of kernels alike.
#define GEMM_SKINNY_NAME(type, layout, wide, narrow, tile_k, stages) \
  hopper_##type##_##layout##_swap_##wide##x##narrow##x##tile_k##_s##stages

// `type` is bf16 or fp16, `input` the InputType, `layout` kk or kn.
#define GEMM_SKINNY_DEFINE_ROW(type, input, layout, wide_transposed, wide, narrow, tile_k, stages) \
  namespace gemm::hopper::skinny::rows {                                                           \
  struct GEMM_SKINNY_NAME(type, layout, wide, narrow, tile_k, stages) {                            \
    static constexpr InputType kInput = InputType::input;                                          \
    static constexpr bool kWideTransposed = wide_transposed; /* its rows are contiguous, not K */  \
    static constexpr int kWide = wide;                                                             \
    static constexpr int kNarrow = narrow;                                                         \
    static constexpr int kTileK = tile_k;                                                          \
    static constexpr int kStages = stages;                                                         \
  };                                                                                               \
  }
