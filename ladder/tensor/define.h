// A line of kernels.inc as a struct of named constants, gemm::ladder::rows::SYMBOL.
#pragma once

#include "ladder/tensor/config.h"

#define GEMM_LADDER_TENSOR_CONFIG(symbol, type, wide_out, tile_m, tile_n, tile_k, warp_m, warp_n, rows_a, \
                                  rows_b, copies, loop, stores, idea)                                     \
  namespace gemm::ladder::rows {                                                                          \
  struct symbol##_constants {                                                                             \
    static constexpr Type kType = Type::type;                                                             \
    static constexpr bool kWideOut = wide_out;                                                            \
    static constexpr int kTileM = tile_m, kTileN = tile_n, kTileK = tile_k;                               \
    static constexpr int kWarpM = warp_m, kWarpN = warp_n;                                                \
    static constexpr Rows kRowsA = Rows::rows_a, kRowsB = Rows::rows_b;                                   \
    static constexpr Copies kCopies = Copies::copies;                                                     \
    static constexpr Loop kLoop = Loop::loop;                                                             \
    static constexpr Stores kStores = Stores::stores;                                                     \
  };                                                                                                      \
  using symbol = TensorDerived<symbol##_constants>;                                                       \
  }
