// The kernels on TMA and WGMMA: their named constants, shared memory and parameters, for host and device code.
#pragma once

#ifdef __CUDACC__
#include <cuda/std/cstdint>
#else
#include <cuda.h>

#include <cstdint>
#endif

#include "ladder/params.h"

namespace gemm::ladder {

enum class Schedule {
  kOneGroup,  // one warpgroup does everything, one tile of D a block
  kPipeline,  // a producer warp and two consumer warpgroups that share a tile; one tile a block
  kPersistent,  // the same with a block for each SM that takes tiles in turn: the next tile's loads run under the epilogue
  kPingPong,  // persistent, and each consumer has a tile of its own: one multiplies while the other stores
};

// How results meet C and leave: from the accumulators, or through shared memory in whole rows.
enum class Epilogue { kDirect, kStaged };

#ifdef __CUDACC__
using BarrierWord = cuda::std::uint64_t;
struct alignas(64) TensorMap {
  unsigned char opaque[128];
};
#else
using BarrierWord = std::uint64_t;
using TensorMap = CUtensorMap;
#endif

// Tensor maps of A (box 64 k x rows of the tile), of B (box 64 n x 64 k) and, where beta is not 0, of C (box 32 n x rows of
// the tile), 128-byte swizzle.
struct TmaParams {
  TensorMap a;
  TensorMap b;
  TensorMap c;
  Params p;
};

// What follows from a row's constants (kernels.inc).
template <class C>
struct WgmmaDerived : C {
  static constexpr int kTileK = 64;  // 128 bytes, the swizzle's width
  static constexpr bool kOneGroup = C::kSchedule == Schedule::kOneGroup;
  static constexpr bool kPingPong = C::kSchedule == Schedule::kPingPong;
  static constexpr int kThreads = kOneGroup ? 128 : 384;
  static constexpr int kSharers = kOneGroup || kPingPong ? 1 : 2;  // consumers that share a tile
  static constexpr int kGroupRows = C::kTileM / kSharers;
  static constexpr int kBlocksM = kGroupRows / 64;
  static constexpr int kBlocksN = C::kTileN / C::kWgmmaN;
  static constexpr int kABytes = C::kTileM * kTileK * 2;
  static constexpr int kBBytes = C::kTileN * kTileK * 2;
  static constexpr int kStageBytes = kABytes + kBBytes;
  // A warp's staging: 16 rows of 32 columns of FP32, and 32 bytes a row so that neither side meets bank conflicts.
  static constexpr int kStagingStride = 40;
  static constexpr int kStagingFloats = C::kEpilogue == Epilogue::kStaged ? 16 * kStagingStride : 0;
  static_assert(kBlocksM * 64 == kGroupRows && kBlocksN * C::kWgmmaN == C::kTileN && C::kTileN % 64 == 0);
};

// 128-byte swizzle follows address bits: operands start at multiples of 1024. A is K-major, rows of 128 bytes; B is
// N-major, boxes of 64 k-rows of 64 n.
//   full   a stage's bytes have come
//   empty  every warp that reads the stage is done with it
//   turn   the consumer may begin (turns.cuh)
template <class C>
struct alignas(1024) WgmmaShared {
  unsigned char a[C::kStages][C::kABytes];
  unsigned char b[C::kStages][C::kBBytes];
  float staging[8][C::kStagingFloats == 0 ? 4 : C::kStagingFloats];  // by consumer warps
  BarrierWord full[C::kStages];
  BarrierWord empty[C::kStages];
  BarrierWord turn[2];
};

}  // namespace gemm::ladder
