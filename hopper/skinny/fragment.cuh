// Which part of a tile a consumer thread holds.
#pragma once

#include "hopper/skinny/config.cuh"

namespace gemm::hopper::skinny {

// Of one thread: one wgmma tile of 64 rows after the other (wgmma.cuh has the layout).
template <class C>
using Accumulators = float[C::kBlocks][C::kNarrow / 2];

template <class C>
struct Fragment {
  unsigned thread;     // of all consumers
  unsigned warpgroup;  // of the consumers

  __device__ __forceinline__ Fragment(unsigned consumer_thread, unsigned consumer)
      : thread(consumer_thread), warpgroup(consumer) {}

  __device__ __forceinline__ unsigned lane() const { return thread % 32; }

  // The tile's row where the warp's 16 rows of a block begin.
  __device__ __forceinline__ unsigned FirstRow(int block) const {
    return (warpgroup * C::kBlocks + block) * 64 + thread / 32 % 4 * 16;
  }

  // Value i of a block lies in row Row(block, i) of the tile and in column Column(i).
  __device__ __forceinline__ unsigned Row(int block, int i) const {
    return FirstRow(block) + lane() / 4 + i / 2 % 2 * 8;
  }
  __device__ __forceinline__ unsigned Column(int i) const { return i / 4 * 8 + lane() % 4 * 2 + i % 2; }
};

}  // namespace gemm::hopper::skinny
