// Which part of a tile a consumer thread holds, and how it puts it into shared memory.
#pragma once

#include "hopper/skinny/config.cuh"

namespace gemm::hopper::skinny {

// Of one thread: one wgmma tile of 64 rows after the other.
template <class C>
using Accumulators = float[C::kBlocks][C::kNarrow / 2];

template <class C>
struct Fragment {
  unsigned thread;      // of all consumers
  unsigned row_group;   // the tile's rows that its warpgroup has: kBlocks blocks of 64
  unsigned step_group;  // the tile's K steps that it has

  __device__ __forceinline__ Fragment(unsigned consumer_thread, unsigned warpgroup)
      : thread(consumer_thread),
        row_group(C::kRowGroups == 1 ? 0 : warpgroup),
        step_group(C::kRowGroups == 1 ? warpgroup : 0) {}

  // The columns of `round` to `sums` (Add: added to what is there): column by column, C::kColumnStride floats
  // apart. Accumulators' layout: wgmma.cuh.
  template <bool Add>
  __device__ __forceinline__ void Write(float* sums, const Accumulators<C>& acc, int round) const {
    constexpr int kStride = C::kColumnStride;
    const unsigned row = row_group * C::kBlocks * 64 + thread / 32 % 4 * 16 + thread % 32 / 4;
    float* const first = sums + thread % 4 * 2 * kStride + row;
#pragma unroll
    for (int block = 0; block < C::kBlocks; ++block) {
#pragma unroll
      for (int i = 0; i < C::kRound / 2; ++i) {
        // Value i: column 8 (i / 4) + i % 2 of this thread's, 8 rows further for every second pair.
        float* at = first + block * 64 + i / 2 % 2 * 8 + (i / 4 * 8 + i % 2) * kStride;
        const float value = acc[block][round * (C::kRound / 2) + i];
        *at = Add ? *at + value : value;
      }
    }
  }
};

}  // namespace gemm::hopper::skinny
