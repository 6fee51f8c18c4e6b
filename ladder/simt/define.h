// A line of kernels.inc as a struct of named constants, gemm::ladder::rows::SYMBOL.
#pragma once

#include "ladder/simt/config.h"

#define GEMM_LADDER_SIMT_CONFIG(symbol, type, tile_m, tile_n, tile_k, warp_m, warp_n, thread_m, thread_n, \
                                steps_m, steps_n, loads, unroll, idea)                                    \
  namespace gemm::ladder::rows {                                                                          \
  struct symbol##_constants {                                                                             \
    static constexpr Type kType = Type::type;                                                             \
    static constexpr int kTileM = tile_m, kTileN = tile_n, kTileK = tile_k;                               \
    static constexpr int kWarpM = warp_m, kWarpN = warp_n;                                                \
    static constexpr int kThreadM = thread_m, kThreadN = thread_n;                                        \
    static constexpr int kStepsM = steps_m, kStepsN = steps_n;                                            \
    static constexpr Loads kLoads = Loads::loads;                                                         \
    static constexpr int kUnroll = unroll;                                                                \
  };                                                                                                      \
  using symbol = Derived<symbol##_constants>;                                                             \
  }
