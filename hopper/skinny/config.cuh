// The constants of one skinny kernel, all derived from its row of kernels.inc. Read by host and device code.
//
// For products with one small dimension. The other one is "wide": rows of weights in decoding, or rows of A
// where N is the small one. The wide operand fills wgmma's M of 64 and the narrow one is wgmma's N, so
// nothing is computed for tokens that do not exist.
//
// A CTA takes as many wide rows as the launch says, up to kWide, so that the SMs share them evenly; what is left
// of wgmma's 64 rows is multiplied for nothing, which costs no time where the weights come from device memory. The
// CTAs of a cluster split the K of one tile between them.
#pragma once

#include "hopper/config.cuh"

namespace gemm::hopper::skinny {

constexpr int kMaxCluster = 8;  // the portable limit

// The most CTAs that share the K of a tile. What they send each other takes shared memory, and each stores as many blocks of 8
// columns as the others or, where there are fewer blocks than CTAs, one or none.
constexpr int MaxSplit(int wide, int narrow) {
  if (wide >= 192) return 1;
  if (narrow > 64) return wide == 128 || narrow / 8 % 4 != 0 ? 2 : 4;
  return kMaxCluster;
}

// The CTAs of a cluster deal the columns of their tile among themselves by blocks of 8; where there are fewer blocks
// than CTAs, some get none (reduction.cuh). The most blocks of sums that one receives.
constexpr int MostReceived(int blocks, int most_split) {
  int most = 0;
  for (int split = 2; split <= most_split; split *= 2) {
    const int received = (blocks > split ? blocks / split : 1) * (split - 1);
    if (received > most) most = received;
  }
  return most;
}

// A batch of wgmma kept in flight keeps its stage from the producer until the next one has come. That is what all wait for
// where columns are few; where they are many, the tensor cores must not wait in between.
constexpr bool KeepsBatch(int narrow) { return narrow > 64; }

// FP32 columns that are staged at a time: an equal part of a tile's, which from 64 columns on takes no more room than its 16-bit
// columns. More than 56 were not tried.
constexpr int ColumnsARound(int narrow) {
  if (narrow < 64) return 16;
  int columns = 56;
  while (narrow % columns != 0) columns -= 8;
  return columns;
}

// One to three consumer warpgroups, each with its rows of a tile. Tiles of 256 rows have two, with two blocks of 64 rows each. Four would
// leave a thread 96 registers, too few for 160 columns (docs/perf/hopper/tiles.md); the kernel that there is has 64.
constexpr int Consumers(int wide) { return wide == 256 ? 2 : wide / 64; }

// Row gives kInput, kWideTransposed, kWide, kNarrow, kTileK, kStages (kernels.inc explains them).
template <class Row>
struct Config : Row {
  static constexpr int kBoxK = 64;  // one swizzle row of 128 bytes
  static constexpr int kBoxes = Row::kTileK / kBoxK;
  static constexpr int kWgmmaSteps = kBoxK / 16;

  // The consumers, then one warp that is the producer.
  static constexpr int kConsumers = Consumers(Row::kWide);
  static constexpr int kBlocks = Row::kWide / 64 / kConsumers;  // of wgmma's rows, of a consumer
  static constexpr int kConsumerThreads = 128 * kConsumers;
  static constexpr int kThreads = kConsumerThreads + 32;

  // Of the stages of the wide operand, how many are asked for at once before the kernel's predecessor has finished (producer.cuh).
  // With one fewer the chains of decode.txt with M = 1 to 64 take 0.7% longer, with one more 0.2% (H200, 2026-11-23).
  // Rounded up where a stage has 256 of K, which was not varied.
  static constexpr int kStagesAtOnce = (Row::kStages - (Row::kTileK == 256 ? 0 : 1)) / 2;

  static constexpr int kWideBoxBytes = Row::kWide * 128;
  static constexpr int kNarrowBoxBytes = Row::kNarrow * 128;

  static constexpr bool kKeepsBatch = KeepsBatch(Row::kNarrow);

  // What the CTAs that share a tile send each other (tiles of 192 and 256 rows are not shared): a float4 of each thread for each
  // wgmma tile and block of 8 columns.
  static constexpr int kMaxSplit = MaxSplit(Row::kWide, Row::kNarrow);
  static constexpr int kReceivedFloats =
      kMaxSplit == 1 ? 4 : MostReceived(Row::kNarrow / 8, kMaxSplit) * kBlocks * kConsumerThreads * 4;

  // Few columns are stored from registers. More go through shared memory: all of a tile's as 16-bit elements, or kRound columns of FP32 at
  // a time (epilogue.cuh).
  static constexpr bool kStoresRegisters = Row::kNarrow == 8;
  static constexpr int kStagedStride = Row::kWide + 8;  // elements; columns begin in different banks
  static constexpr int kColumnStride = Row::kWide + 4;  // floats; the same
  static constexpr int kHalvesBytes = Row::kNarrow * kStagedStride * 2;
  static constexpr int kRound = ColumnsARound(Row::kNarrow);
  static constexpr int kRoundBytes = kRound * kColumnStride * 4;
  static constexpr int kStagedBytes = kStoresRegisters             ? 16
                                      : kHalvesBytes > kRoundBytes ? kHalvesBytes
                                                                   : kRoundBytes;
  static constexpr int kRounds = Row::kNarrow / kRound;

  static_assert(Row::kWide == 64 || Row::kWide == 128 || Row::kWide == 192 || Row::kWide == 256);
  static_assert(Row::kTileK == 64 || Row::kTileK == 128 || Row::kTileK == 256);
  static_assert(Row::kNarrow % 8 == 0 && Row::kNarrow <= 256, "N of a wgmma");
  static_assert(Row::kNarrow / 8 % kMaxSplit == 0 || kMaxSplit % (Row::kNarrow / 8) == 0,
                "the same blocks for each CTA");
  static_assert(kStoresRegisters || (Row::kNarrow % 16 == 0 && Row::kNarrow % kRound == 0),
                "whole stmatrix, whole rounds");
};

}  // namespace gemm::hopper::skinny
