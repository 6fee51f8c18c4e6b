// Split K: the CTAs of one tile leave their sums in workspace, and the last to come adds them up.
#pragma once

#include "ampere/config.h"
#include "ampere/consumer.cuh"
#include "ampere/params.h"
#include "common/device/arrivals.cuh"

namespace gemm::ampere {

// The columns of part `part`. Parts meet where the ring's tiles do. The host gives each part a tile or more.
template <typename Config>
__device__ __forceinline__ KRange RangeOfPart(int k, int part, int parts) {
  const int tiles = (k + Config::kTileK - 1) / Config::kTileK;
  const auto begin = static_cast<int>(static_cast<long long>(part) * tiles / parts) * Config::kTileK;
  const auto end = static_cast<int>((part + 1LL) * tiles / parts) * Config::kTileK;
  return {begin, min(end, k) - begin};
}

// Hands the sums of part `part` of tile `tile` over. Returns true in the CTA that is to write the tile: `sums` are then those
// of all parts, added in their order, so that the same plan gives the same bits. All threads of the CTA must call it
// together, and `arrived` is theirs until their next barrier.
//
// No CTA waits for another: those of a tile may run in any order.
template <typename Config>
__device__ __forceinline__ bool CombineParts(const SplitParams& split, long long tile, long long tiles,
                                             int part, Accumulators<Config>& sums, int& arrived) {
  using Sums = Accumulators<Config>;
  constexpr int kArea = Config::kTileM * Config::kTileN;
  const auto partial = [&](int number) {
    return reinterpret_cast<float4*>(split.partials + (number * tiles + tile) * kArea) + threadIdx.x;
  };
  float4* to = partial(part);
#pragma unroll
  for (int i = 0; i < Sums::kBlocksM; ++i) {
#pragma unroll
    for (int j = 0; j < Sums::kBlocksN; ++j) {
      const float(&v)[4] = sums.values[i][j];
      __stcg(to + (i * Sums::kBlocksN + j) * Config::kThreads, make_float4(v[0], v[1], v[2], v[3]));
    }
  }
  if (!device::IsLastToArrive(split.counters + tile, split.parts, split.nonce, arrived)) return false;
  sums.Clear();
#pragma unroll 1
  for (int other = 0; other < split.parts; ++other) {
    const float4* from = partial(other);
#pragma unroll
    for (int i = 0; i < Sums::kBlocksM; ++i) {
#pragma unroll
      for (int j = 0; j < Sums::kBlocksN; ++j) {
        const float4 v = __ldcg(from + (i * Sums::kBlocksN + j) * Config::kThreads);
        float(&sum)[4] = sums.values[i][j];
        sum[0] += v.x, sum[1] += v.y, sum[2] += v.z, sum[3] += v.w;
      }
    }
  }
  return true;
}

}  // namespace gemm::ampere
