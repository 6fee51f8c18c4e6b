// What a tiled row's variant says: how the consumers share the work, whether the kernel computes D's transpose, and who loads.
#pragma once

#include <utility>

#include "common/dispatch/kernel.h"
#include "common/problem/problem.h"
#include "hopper/config.cuh"

namespace gemm::hopper {

// Bits beside the schedule.
inline constexpr int kTransposedRow = 16;
inline constexpr int kAnywhereRow = 32;
// Of parallel split K: K may be whole, and tiles more than the SMs hold at once. Such rows run under others (classes.cc), whose second kernel
// does more than add parts up.
inline constexpr int kAnyPartsRow = 64;

constexpr int VariantOf(Schedule schedule, bool transposed, bool starts_anywhere) {
  return static_cast<int>(schedule) | (transposed ? kTransposedRow : 0) | (starts_anywhere ? kAnywhereRow : 0);
}
inline Schedule ScheduleOf(const dispatch::KernelRow& row) {
  return static_cast<Schedule>(row.variant % kTransposedRow);
}
inline bool IsStreamK(const dispatch::KernelRow& row) { return ScheduleOf(row) == Schedule::kStreamK; }
inline bool IsSplitK(const dispatch::KernelRow& row) { return ScheduleOf(row) == Schedule::kSplitK; }
inline bool IsParallelSplitK(const dispatch::KernelRow& row) {
  return ScheduleOf(row) == Schedule::kParallelSplitK;
}
inline bool IsTransposed(const dispatch::KernelRow& row) { return (row.variant & kTransposedRow) != 0; }
// Whether its operands' rows may start anywhere: threads load them, not the copy engine.
inline bool StartsAnywhere(const dispatch::KernelRow& row) { return (row.variant & kAnywhereRow) != 0; }

inline bool TakesAnyParts(const dispatch::KernelRow& row) { return (row.variant & kAnyPartsRow) != 0; }

inline int ConsumerWarps(const dispatch::KernelRow& row) {
  return row.threads / 32 - 4 * ProducerGroups(StartsAnywhere(row));
}

// Of all stages of A and B.
inline int RingBytes(const dispatch::KernelRow& row) {
  constexpr int kElementBytes = 2;
  const bool b_mn_major =
      row.b_major == problem::Major::kMN && !IsTransposed(row);  // no kernel transposes with such a B
  return row.stages * (row.tile.m + RowsInBoxes(b_mn_major, row.tile.n)) * row.tile.k * kElementBytes;
}

// Config::kBuffersBeside.
inline int BuffersBeside(const dispatch::KernelRow& row) {
  return ChunkBuffers(RingBytes(row) + RawBytes(StartsAnywhere(row), row.tile.m, row.tile.n),
                      ConsumerWarps(row));
}

// Config::kEpilogueInRing.
inline bool EpilogueInRing(const dispatch::KernelRow& row) {
  return BuffersBeside(row) == 0 && !IsParallelSplitK(row);
}

// The problem as the row's kernel sees it: A and B, M and N have changed places where it computes D's transpose. C and D are
// described as they lie.
inline problem::Normalized AsComputed(const dispatch::KernelRow& row, const problem::Normalized& problem) {
  problem::Normalized computed = problem;
  if (!IsTransposed(row)) return computed;
  std::swap(computed.m, computed.n);
  std::swap(computed.a, computed.b);
  std::swap(computed.a_address_alignment, computed.b_address_alignment);
  return computed;
}

}  // namespace gemm::hopper
