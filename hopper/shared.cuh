// The shared memory of a CTA. Read by host code too: sizeof is what the launch asks for.
#pragma once

#ifdef __CUDACC__
#include <cuda/std/cstdint>
#include <cuda/std/type_traits>
#else
#include <cstdint>
#include <type_traits>
#endif

#include "hopper/config.cuh"

namespace gemm::hopper {

// An mbarrier's 64 bits.
#ifdef __CUDACC__
using BarrierWord = cuda::std::uint64_t;
namespace standard = cuda::std;
#else
using BarrierWord = std::uint64_t;
namespace standard = std;
#endif

// 128-byte swizzle repeats every 1024 bytes and follows address bits, so every operand and chunk starts
// on a multiple of 1024.
//   a, b     one stage each, as wgmma reads it. K-major: rows of 64 k (128 bytes), one after the other.
//   MN-major: blocks
//            of 64 k-rows of 64 m or n (128 bytes), 8192 bytes a block. Either way 16-byte unit u of row r lies
//            at position u ^ (r % 8) of its row.
//   chunks   the epilogue's, private to each consumer warp: 16 rows of 128 bytes, the same swizzle. None where it works in the ring, or
//            there is none.
//   full     a stage's bytes have come. 1 arrival (this CTA's producer) and the bytes of the rows
//            that are loaded: kStageBytes, or fewer (producer.cuh). Where threads copy, one arrival of each warp of the group whose
//            step it is, and no bytes (thread_producer.cuh).
//   empty    everyone who reads what this CTA's producer writes into the stage is done with it: one arrival of each warp that
//            reads it, of this CTA and of those that it loads for (loaders.cuh).
//   c_full   a chunk of C has come. 1 arrival and the bytes of the columns that are loaded: kChunkBytes, or fewer.
//   turn     consumer i may multiply (pingpong.cuh). One arrival of each warp of the other consumer.
//   ring_free, received  the consumers of all parts of K have multiplied their last stage; a warp's sums have come from the others
//            (split_k.cuh)
//   adds     whether the warp adds the sums of other parts to its own (scattered_sums.cuh)
//   raw      of kernels whose threads copy, private to each of their warps (shifted_operand.cuh)
template <class C>
using Chunks = unsigned char[C::kConsumerWarps][C::kChunkBuffers][C::kChunkBytes];
struct NoChunks {};

// Of a warp that copies: its rows of a K step, as they came.
template <class C>
struct RawStage {
  alignas(16) unsigned char a[C::kTileM / kRawWarps * kRawRowBytes];
  alignas(16) unsigned char b[C::kTileN / kRawWarps * kRawRowBytes];
};
template <class C>
using RawRings = RawStage<C>[kRawGroups * kRawWarps][C::kRawStages];
struct NoRawRings {};

template <class C>
struct alignas(1024) Shared {
  unsigned char a[C::kStages][C::kABytes];
  unsigned char b[C::kStages][C::kBBytes];
  standard::conditional_t<C::kEpilogueInRing || C::kParallelSplitK, NoChunks, Chunks<C>> chunks;
  BarrierWord full[C::kStages];
  BarrierWord empty[C::kStages];
  BarrierWord c_full[C::kConsumerWarps][C::kChunkBuffers];
  BarrierWord turn[2];
  BarrierWord ring_free;
  BarrierWord received[C::kConsumerWarps];
  unsigned adds[C::kConsumerWarps];
  standard::conditional_t<C::kStartsAnywhere, RawRings<C>, NoRawRings> raw;

  static_assert(C::kABytes % 1024 == 0 && C::kBBytes % 1024 == 0 && C::kChunkBytes % 1024 == 0);
};

}  // namespace gemm::hopper
