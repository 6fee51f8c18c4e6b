// The kernels with several results a thread: their named constants, for host and device code.
#pragma once

#include "ladder/params.h"

namespace gemm::ladder {

// How a tile of A and of B comes into shared memory.
enum class Loads {
  kScalar,            // element by element, both as they lie in memory
  kVector,            // 16 bytes a load
  kVectorTransposed,  // 16 bytes a load, A turned on its way: its columns become rows that are read as vectors
  kAsync,             // cp.async into the other of two buffers, A turned element by element
};

// What follows from a row's constants (kernels.inc).
template <class C>
struct Derived : C {
  // A thread's results: kStepsM x kStepsN groups of kThreadM x kThreadN. The 32 lanes' groups of one step lie side by
  // side, so that their shared memory reads do; the steps follow one another in the warp's tile.
  static constexpr int kLanesN = C::kWarpN / (C::kThreadN * C::kStepsN);
  static constexpr int kLanesM = C::kWarpM / (C::kThreadM * C::kStepsM);
  static constexpr int kWarpsM = C::kTileM / C::kWarpM;
  static constexpr int kWarpsN = C::kTileN / C::kWarpN;
  static constexpr int kThreads = kWarpsM * kWarpsN * 32;
  static constexpr bool kVectors = C::kLoads != Loads::kScalar;
  static constexpr bool kTransposedA = C::kLoads == Loads::kVectorTransposed || C::kLoads == Loads::kAsync;
  static constexpr int kBuffers = C::kLoads == Loads::kAsync ? 2 : 1;
  static_assert(kLanesM * kLanesN == 32, "the lanes of a warp cover its tile");
  static_assert(kWarpsM * C::kWarpM == C::kTileM && kWarpsN * C::kWarpN == C::kTileN);
};

}  // namespace gemm::ladder
