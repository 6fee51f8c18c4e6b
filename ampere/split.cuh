// Split K: the CTAs of one tile leave their sums in workspace, and the last to come adds them up.
//
// Where only the tiles that do not fill a round are split (kSplitsRest), these are the first CTAs, and the sums of a tile are too
// many for one CTA to add up while the others wait: at 160x256 in six parts that takes as long as a fifth of a round. So a
// tile is finished in slices, and each slice counts one CTA more, a helper: one that has just written a whole tile, long
// after the parts. It comes last, as a rule, and finishes the slice; where it does not, the part that does finishes it.
#pragma once

#include "ampere/config.h"
#include "ampere/consumer.cuh"
#include "ampere/params.h"
#include "common/device/arrivals.cuh"

namespace gemm::ampere {

// Counts the calling CTA at `count` counters that follow one another, each for a result that `parts` CTAs work on. All its
// threads call. Where arrived[i] is `parts`, the CTA is the last one there, and it sees what every other one wrote before its
// call. `arrived`, in shared memory, is the call's own until the CTA's next barrier.
__device__ __forceinline__ void ArriveAtEach(unsigned long long* counters, int count, int parts,
                                             unsigned long long nonce, int* arrived) {
  __syncthreads();
  if (static_cast<int>(threadIdx.x) < count) {
    __threadfence();  // what the barrier showed to this thread becomes visible before the count
    arrived[threadIdx.x] = device::CountArrival(counters + threadIdx.x, parts, nonce);
    __threadfence();  // and what was visible to those who counted before is visible behind the next barrier
  }
  __syncthreads();
}

// The columns of part `part`. Parts meet where the ring's tiles do. The host gives each part a tile or more.
template <typename Config>
__device__ __forceinline__ KRange RangeOfPart(int k, int part, int parts) {
  const int tiles = (k + Config::kTileK - 1) / Config::kTileK;
  const auto begin = static_cast<int>(static_cast<long long>(part) * tiles / parts) * Config::kTileK;
  const auto end = static_cast<int>((part + 1LL) * tiles / parts) * Config::kTileK;
  return {begin, min(end, k) - begin};
}

// The calling thread's share of part `part` of tile `tile`: one in each kThreads, as its sums are ordered.
template <typename Config>
__device__ __forceinline__ float4* PartialSums(const SplitParams& split, long long tile, int part) {
  constexpr int kArea = Config::kTileM * Config::kTileN;
  return reinterpret_cast<float4*>(split.partials +
                                   (static_cast<long long>(part) * split.tiles + tile) * kArea) +
         threadIdx.x;
}

template <typename Config>
__device__ __forceinline__ void LeavePart(const SplitParams& split, long long tile, int part,
                                          const Accumulators<Config>& sums) {
  using Sums = Accumulators<Config>;
  float4* to = PartialSums<Config>(split, tile, part);
#pragma unroll
  for (int i = 0; i < Sums::kBlocksM; ++i) {
#pragma unroll
    for (int j = 0; j < Sums::kBlocksN; ++j) {
      const float(&v)[4] = sums.values[i][j];
      __stcg(to + (i * Sums::kBlocksN + j) * Config::kThreads, make_float4(v[0], v[1], v[2], v[3]));
    }
  }
}

// Adds up, in the order of the parts, kBlocks blocks of 16 rows from block `first` on.
template <typename Config, int kBlocks>
__device__ __forceinline__ void AddParts(const SplitParams& split, long long tile, int first,
                                         float (&sums)[kBlocks][Accumulators<Config>::kBlocksN][4]) {
  constexpr int kBlocksN = Accumulators<Config>::kBlocksN;
#pragma unroll
  for (int i = 0; i < kBlocks; ++i) {
#pragma unroll
    for (int j = 0; j < kBlocksN; ++j) sums[i][j][0] = sums[i][j][1] = sums[i][j][2] = sums[i][j][3] = 0;
  }
  // As many loads under way as there are registers for.
  constexpr int kAtOnce = kBlocks * kBlocksN <= 8 ? 3 : kBlocks * kBlocksN <= 16 ? 2 : 1;
#pragma unroll kAtOnce
  for (int part = 0; part < split.parts; ++part) {
    const float4* from = PartialSums<Config>(split, tile, part) + first * kBlocksN * Config::kThreads;
#pragma unroll
    for (int i = 0; i < kBlocks; ++i) {
#pragma unroll
      for (int j = 0; j < kBlocksN; ++j) {
        const float4 v = __ldcg(from + (i * kBlocksN + j) * Config::kThreads);
        float(&sum)[4] = sums[i][j];
        sum[0] += v.x, sum[1] += v.y, sum[2] += v.z, sum[3] += v.w;
      }
    }
  }
}

// Hands the sums of part `part` of tile `tile` over. Returns true in the CTA that is to write the tile: `sums` are then those
// of all parts, added in their order, so that the same plan gives the same bits. All threads of the CTA must call it
// together, and `arrived` is theirs until their next barrier.
//
// No CTA waits for another: those of a tile may run in any order.
template <typename Config>
__device__ __forceinline__ bool CombineParts(const SplitParams& split, long long tile, int part,
                                             Accumulators<Config>& sums, int& arrived) {
  LeavePart(split, tile, part, sums);
  if (!device::IsLastToArrive(split.counters + tile, split.parts, split.nonce, arrived)) return false;
  AddParts<Config, Accumulators<Config>::kBlocksM>(split, tile, 0, sums.values);
  return true;
}

}  // namespace gemm::ampere
