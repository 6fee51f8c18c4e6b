// Split K: the CTAs of one tile leave their sums in workspace, and the last to come adds them up.
#pragma once

#include "common/device/arrivals.cuh"
#include "common/simt/params.h"
#include "common/simt/product.cuh"

namespace gemm::simt {

// Hands the sums of part `part` of tile `tile` over. Returns true in the CTA that is to write the tile: `sum` is then that of
// all parts, added in their order, so that the same plan gives the same bits. All threads of the CTA must call it together.
//
// No CTA waits for another: those of a tile may run in any order.
template <typename Config, int kRows>
__device__ __forceinline__ bool CombineParts(const SplitK& split, unsigned tile, unsigned tiles, unsigned part,
                                             Accumulators<Config, kRows>& sum) {
  constexpr int kArea = Config::kTileM * Config::kTileN;
  __shared__ int arrived;
  const auto partial = [&](unsigned number) {
    return split.partials + (static_cast<long long>(number) * tiles + tile) * kArea + threadIdx.x;
  };
  // Single floats: stores of four would bind the main loop's sums to aligned registers, and its FFMAs would meet bank conflicts.
  float* to = partial(part);
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
#pragma unroll
    for (int j = 0; j < Config::kThreadN; ++j) {
      __stcg(to + (i * Config::kThreadN + j) * Config::kThreads, sum.at[i][j]);
    }
  }
  if (!device::IsLastToArrive(split.counters + tile, split.parts, split.nonce, arrived)) return false;
  sum.Clear();
#pragma unroll 1
  for (int other = 0; other < split.parts; ++other) {
    const float* from = partial(static_cast<unsigned>(other));
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
#pragma unroll
      for (int j = 0; j < Config::kThreadN; ++j) {
        sum.at[i][j] += __ldcg(from + (i * Config::kThreadN + j) * Config::kThreads);
      }
    }
  }
  return true;
}

}  // namespace gemm::simt
