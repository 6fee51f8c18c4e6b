// The producer: brings an operand's tiles, one K step after the other, from global memory into the ring. aligned_copy.cuh and
// any_copy.cuh are its two forms (Copy), and this is what they share.
//
// Every thread copies the same chunks of each tile: chunk column `chunk` of rows `row`, `row + kRowsPerPass`,
// ... What lies outside the matrix is filled with zeros, so that the main loop has no branch for tails.
#pragma once

#include "ampere/config.h"
#include "ampere/swizzle.cuh"

namespace gemm::ampere {

// Which chunks a thread copies.
template <typename Config, bool kIsA>
struct CopyShare {
  using Shape = OperandShape<Config, kIsA>;
  using Layout = typename Shape::Layout;
  static constexpr int kRowsPerPass = Config::kThreads / Layout::kRowChunks;
  static constexpr int kPasses = Shape::kRows / kRowsPerPass;
  static constexpr int kPassBytes = kRowsPerPass * Layout::kRowBytes;
  static_assert(Config::kThreads % Layout::kRowChunks == 0 && Shape::kRows % kRowsPerPass == 0,
                "copies divide evenly");
  static_assert(kRowsPerPass % Layout::kPeriod == 0, "the exchange of chunks is the same in every pass");

  __device__ __forceinline__ static int Chunk() { return threadIdx.x % Layout::kRowChunks; }
  __device__ __forceinline__ static int Row() { return threadIdx.x / Layout::kRowChunks; }
  // Elements of the thread's chunk that lie in a row of which `elements` are left from the tile's edge on: 0 to Config::kChunk.
  __device__ __forceinline__ static int Count(int elements) {
    return min(max(elements - Chunk() * Config::kChunk, 0), Config::kChunk);
  }
};

}  // namespace gemm::ampere
