// Split K: the CTAs of one tile leave their sums in workspace, and the last to come adds them up.
#pragma once

#include "common/simt/params.h"
#include "common/simt/product.cuh"

namespace gemm::simt {

// Counts the calling CTA among those that arrived at `counter`, and returns how many that makes. By one thread.
//
// Workspace comes with any contents, and nothing clears it. A counter that counts holds the upper 56 bits of this Run's
// nonce (common/base/nonce.h) above the count: other contents equal them with a probability of 2^-56. A graph replays its
// nonce; so the last one leaves a zero behind.
__device__ __forceinline__ int CountArrival(const SplitK& split, unsigned long long* counter) {
  const unsigned long long tag = split.nonce & ~0xffull;
  unsigned long long seen = __ldcg(counter);
  for (;;) {
    const int before = (seen & ~0xffull) == tag ? static_cast<int>(seen & 0xff) : 0;
    const unsigned long long next = before + 1 == split.parts ? 0 : tag | static_cast<unsigned>(before + 1);
    const unsigned long long was = atomicCAS(counter, seen, next);
    if (was == seen) return before + 1;
    seen = was;
  }
}

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
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();  // what the barrier showed to this thread becomes visible before the count
    arrived = CountArrival(split, split.counters + tile);
    __threadfence();  // and what was visible to those who counted before is visible behind the next barrier
  }
  __syncthreads();
  if (arrived != split.parts) return false;
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
