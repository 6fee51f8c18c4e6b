// The constants of one skinny kernel, all derived from its row of kernels.inc. Read by host and device code.
//
// For products with one small dimension. The other one is "wide": rows of weights in decoding, or rows of A
// where N is the small one. The wide operand fills wgmma's M of 64 and the narrow one is wgmma's N, so
// nothing is computed for rows that do not exist. The CTAs of a cluster split K of one tile between them.
#pragma once

#include "hopper/config.cuh"

namespace gemm::hopper::skinny {

// Which K steps the CTAs of a cluster take: every n-th, so that CTAs which run together read neighbouring
// memory, or steps that follow one another.
enum class Walk { kInterleaved, kContiguous };

// The granules that rank `rank` of `cluster` owns begin here; those of rank `cluster` are the end.
constexpr unsigned FirstGranule(unsigned granules, unsigned rank, unsigned cluster) {
  return granules * rank / cluster;
}

// The rank that owns `granule`: the greatest one whose first granule is not behind it.
constexpr unsigned OwnerOf(unsigned granules, unsigned granule, unsigned cluster) {
  return ((granule + 1) * cluster - 1) / granules;
}

// Granules that a slot must hold: those of the CTA with the most, from each of the cluster.
constexpr int SlotGranules(int granules, int cluster) { return (granules + cluster - 1) / cluster * cluster; }

// Granules that a slot has room for: 14 for a cluster of 7 that shares 8. Large slots take 9 of 8 only, which
// leaves out clusters of 5, 6 and 7.
constexpr int SlotCapacity(int wide, int narrow) { return narrow == 8 ? wide / 8 * 14 / 8 : wide / 8 * 9 / 8; }

constexpr int kMaxCluster = 8;  // the portable limit

// Row gives kInput, kWideTransposed, kWide, kNarrow, kTileK, kStages, kWalk (kernels.inc explains them).
template <class Row>
struct Config : Row {
  static constexpr int kBoxK = 64;  // one swizzle row of 128 bytes
  static constexpr int kBoxes = Row::kTileK / kBoxK;
  static constexpr int kWgmmaSteps = kBoxK / 16;

  // Warpgroups of 64 wide rows each, then one warp that is the producer.
  static constexpr int kConsumers = Row::kWide / 64;
  static constexpr int kConsumerThreads = 128 * kConsumers;
  static constexpr int kThreads = kConsumerThreads + 32;

  static constexpr int kWideBoxBytes = Row::kWide * 128;
  static constexpr int kNarrowBoxBytes = Row::kNarrow * 128;
  static constexpr int kStageBytes = kBoxes * (kWideBoxBytes + kNarrowBoxBytes);

  // The reduction (reduction.cuh) goes by rounds of kRound narrow columns, through one of two slots in turn.
  // The rows of a tile are dealt to the CTAs of the cluster in granules of 8.
  static constexpr int kRound = Row::kNarrow < 32 ? Row::kNarrow : 32;
  static constexpr int kRounds = Row::kNarrow / kRound;
  static constexpr int kGranules = Row::kWide / 8;
  static constexpr int kPartialStride = kRound + 2;  // floats; keeps the lanes of a warp on different banks
  static constexpr int kSlotFloats = SlotCapacity(Row::kWide, Row::kNarrow) * 8 * kPartialStride;

  static constexpr int kSharedLimit = 227 * 1024;  // a CTA's most on sm_90
  // Half of an SM's 228 KB, of which each CTA takes 1 KB besides: then the next kernel of a programmatic
  // chain can start while this one runs.
  static constexpr int kHalfOfShared = 113 * 1024;

  static_assert(Row::kWide == 64 || Row::kWide == 128);
  static_assert(Row::kTileK == 64 || Row::kTileK == 128);
  static_assert(Row::kNarrow % 8 == 0 && Row::kNarrow <= 256, "N of a wgmma");
};

}  // namespace gemm::hopper::skinny
