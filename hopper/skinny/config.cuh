// The constants of one skinny kernel, all derived from its row of kernels.inc. Read by host and device code.
//
// For products with one small dimension. The other one is "wide": rows of weights in decoding, or rows of A
// where N is the small one. The wide operand fills wgmma's M of 64 and the narrow one is wgmma's N, so
// nothing is computed for tokens that do not exist.
//
// A CTA takes as many wide rows as the launch says, up to kWide, so that the SMs share them evenly; what is left
// of wgmma's 64 rows is multiplied for nothing, which costs no time where the weights come from device memory. The
// CTAs of a cluster split K of one tile between them, share the narrow operand of neighbouring tiles, or both.
#pragma once

#include "hopper/config.cuh"

namespace gemm::hopper::skinny {

constexpr int kMaxCluster = 8;  // the portable limit

// The most columns that the owner of a part of `round` columns receives, whoever many share them.
constexpr int MostReceived(int round) {
  int most = round;
  for (int split = 2; split <= kMaxCluster; ++split) {
    const int received = (round + split - 1) / split * (split - 1);
    if (received > most) most = received;
  }
  return most;
}

// Half of an SM's 228 KB, of which each CTA takes 1 KB besides: up to this the next kernel of a programmatic
// chain can start while this one runs.
constexpr int kHalfOfShared = 113 * 1024;

// Row gives kInput, kWideTransposed, kWide, kNarrow, kTileK, kStages, kRound (kernels.inc explains them).
template <class Row>
struct Config : Row {
  static constexpr int kBoxK = 64;  // one swizzle row of 128 bytes
  static constexpr int kBoxes = Row::kTileK / kBoxK;
  static constexpr int kWgmmaSteps = kBoxK / 16;

  // Two consumer warpgroups, then one warp that is the producer. The consumers share the rows of a tile, or where
  // 64 rows are too few for that, its K steps: one step alone leaves the tensor cores waiting.
  static constexpr int kConsumers = 2;
  static constexpr int kRowGroups = Row::kWide == 64 ? 1 : 2;
  static constexpr int kStepGroups = kConsumers / kRowGroups;
  static constexpr int kBlocks =
      Row::kWide / 64 / kRowGroups;  // wgmma tiles of a consumer, one above the other
  static constexpr int kConsumerThreads = 128 * kConsumers;
  static constexpr int kThreads = kConsumerThreads + 32;

  static constexpr int kWideBoxBytes = Row::kWide * 128;
  static constexpr int kNarrowBoxBytes = Row::kNarrow * 128;
  static constexpr int kStageBytes = kBoxes * (kWideBoxBytes + kNarrowBoxBytes);

  // The reduction (reduction.cuh) goes by rounds of kRound narrow columns.
  static constexpr int kRounds = Row::kNarrow / Row::kRound;
  static constexpr int kColumnStride = Row::kWide + 4;  // floats; the lanes of a warp write to different banks
  static constexpr int kPartialFloats = MostReceived(Row::kRound) * kColumnStride;

  static constexpr int kSharedLimit = 227 * 1024;  // a CTA's most on sm_90
  static_assert(Row::kWide == 64 || Row::kWide == 128 || Row::kWide == 256);
  // A consumer must see every phase of the stages that it waits for, or it takes an early phase for a later one.
  static_assert(Row::kStages % kStepGroups == 0, "each consumer has stages of its own");
  static_assert(Row::kTileK == 64 || Row::kTileK == 128);
  static_assert(Row::kRound % 8 == 0 && Row::kNarrow % Row::kRound == 0);
  static_assert(Row::kNarrow % 8 == 0 && Row::kNarrow <= 256, "N of a wgmma");
};

}  // namespace gemm::hopper::skinny
