// A line of kernels.inc as a struct of named constants, gemm::ladder::rows::SYMBOL.
#pragma once

#include "ladder/wgmma/config.h"

#define GEMM_LADDER_WGMMA_CONFIG(symbol, type, tile_m, tile_n, wgmma_n, stages, schedule, epilogue, ahead, \
                                 idea)                                                                     \
  namespace gemm::ladder::rows {                                                                           \
  struct symbol##_constants {                                                                              \
    static constexpr Type kType = Type::type;                                                              \
    static constexpr int kTileM = tile_m, kTileN = tile_n, kWgmmaN = wgmma_n, kStages = stages;            \
    static constexpr Schedule kSchedule = Schedule::schedule;                                              \
    static constexpr Epilogue kEpilogue = Epilogue::epilogue;                                              \
    static constexpr bool kAhead = ahead;                                                                  \
  };                                                                                                       \
  using symbol = WgmmaDerived<symbol##_constants>;                                                         \
  }
