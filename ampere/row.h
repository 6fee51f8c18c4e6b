// What a row of the Ampere backend is, for the host, and the tiles that it makes of a product.
#pragma once

#include <algorithm>
#include <climits>
#include <cstdint>

#include "ampere/config.h"
#include "common/base/math.h"
#include "common/dispatch/device.h"
#include "common/dispatch/kernel.h"
#include "common/problem/problem.h"

namespace gemm::ampere {

// KernelRow::variant holds a Copy, this bit where the row splits K, the next one where only of the tiles that do not fill
// a round (kSplitsRest), and the last one where a CTA computes several tiles (kPersistent).
inline constexpr int kSplit = 16;
inline constexpr int kRest = 32;
inline constexpr int kSeveralTiles = 64;

// CTAs that CUDA takes in the first two dimensions of a grid.
inline constexpr long long kMaxGridX = INT_MAX;
inline constexpr long long kMaxGridY = 65535;

inline Copy CopyOf(const dispatch::KernelRow& row) {
  return static_cast<Copy>(row.variant & ~(kSplit | kRest | kSeveralTiles));
}
inline bool IsSplit(const dispatch::KernelRow& row) { return (row.variant & kSplit) != 0; }
inline bool SplitsRest(const dispatch::KernelRow& row) { return (row.variant & kRest) != 0; }

// Whether the kernel rounds FP32 operands to TF32.
inline bool Rounds(const dispatch::KernelRow& row) { return row.input_type == DataType::kFP32; }

// INT64_MAX where they cannot be counted.
inline std::int64_t TilesPerMatrix(const dispatch::KernelRow& row, const problem::Normalized& p) {
  std::int64_t tiles = 0;
  const std::int64_t tiles_m = base::CeilDiv<std::int64_t>(p.m, row.tile.m);
  const std::int64_t tiles_n = base::CeilDiv<std::int64_t>(p.n, row.tile.n);
  return base::CheckedMultiply(tiles_m, tiles_n, &tiles) ? tiles : INT64_MAX;
}

// CTAs that one SM holds.
inline int ResidentCtas(const dispatch::KernelRow& row, const dispatch::Device& device) {
  const int by_registers = row.threads <= 128 ? 2 : 1;
  const std::int64_t by_shared = device.max_shared_bytes_per_block / std::max(row.shared_bytes, 1);
  return static_cast<int>(std::max<std::int64_t>(1, std::min<std::int64_t>(by_registers, by_shared)));
}

// CTAs that the device runs at a time.
inline int CtasAtOnce(const dispatch::KernelRow& row, const dispatch::Device& device) {
  return std::max(device.sm_count, 1) * ResidentCtas(row, device);
}

// The tiles that a row splits: all, or those that do not fill a round. Only for tiles that can be counted in 32 bits.
inline std::int64_t SplitTiles(const dispatch::KernelRow& row, const problem::Normalized& p,
                               const dispatch::Device& device) {
  const std::int64_t tiles = TilesPerMatrix(row, p) * p.batch;
  return SplitsRest(row) ? tiles % CtasAtOnce(row, device) : tiles;
}

}  // namespace gemm::ampere
