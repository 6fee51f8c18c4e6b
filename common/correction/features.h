// What the correction of a predicted time goes by (correction.h): a launch in numbers. `gemm calibrate --features` writes them, in this
// order, beside measured times.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>

#include "common/base/data_type.h"
#include "common/base/math.h"
#include "common/dispatch/device.h"
#include "common/dispatch/kernel.h"
#include "common/problem/problem.h"

namespace gemm::correction {

namespace feature {

enum Index : std::size_t {
  kLogUs,       // log2 of the microseconds that the cost model predicts
  kLogRows,     // log2 of D's extent along the tile's rows,
  kLogColumns,  // along its columns,
  kLogK,        // and of K
  kTileRows,    // of a CTA's tile
  kTileColumns,
  kStages,
  kClusterRows,  // CTAs along the tile's rows that share an operand,
  kClusterColumns,
  kParts,        // that share a tile's K
  kSchedule,     // hopper::Schedule's number, kSkinny or kFew
  kTransposed,   // the tile's rows lie along N: 1
  kRounds,       // tiles over those that the device computes at once
  kLastRound,    // the part of the last round that has tiles
  kUsedColumns,  // the part of the tiles' columns that D has
  kOperandLine,  // which part of 128 bytes the rows of A and B start at multiples of: 1, 1/2, 1/4 or 1/8
  kSteps,        // K steps of a whole tile
  kMnMajor,      // M or N is contiguous, not K: of the operand along the tile's rows 1, of the other 2
  kMemoryGbs,    // the device's Device::memory_bandwidth_gbs: what tells an H100 from an H200
  kEarly,        // an operand may be read early: 1. Says which trees count; none asks for it
  kCount,
};

}  // namespace feature

inline constexpr const char* kFeatureNames[] = {
    "log_us",       "log_rows",        "log_columns", "log_k",    "tile_rows",  "tile_columns", "stages",
    "cluster_rows", "cluster_columns", "parts",       "schedule", "transposed", "rounds",       "last_round",
    "used_columns", "operand_line",    "steps",       "mn_major", "memory_gbs", "early",
};
static_assert(std::size(kFeatureNames) == feature::kCount, "a feature has no name, or one has two");

using Features = std::array<float, feature::kCount>;

// feature::kSchedule of Hopper's skinny kernels, and of Ampere's for few rows.
inline constexpr float kSkinny = 5;
inline constexpr float kFew = 6;

inline float Log2(double positive) { return static_cast<float>(std::log2(std::max(positive, 1e-3))); }

// Of `extent`, by tiles of `tile`.
inline float UsedPart(std::int64_t extent, std::int64_t tile) {
  const std::int64_t covered = std::max<std::int64_t>(base::CeilDiv(extent, tile) * tile, 1);
  return static_cast<float>(static_cast<double>(extent) / static_cast<double>(covered));
}

inline float LineStart(std::int64_t ld_bytes) {
  for (const int part : {1, 2, 4}) {
    if (ld_bytes % (128 / part) == 0) return 1.0f / static_cast<float>(part);
  }
  return 0.125f;
}

// `rounds` may be a fraction.
inline void SetRounds(double rounds, Features* features) {
  (*features)[feature::kRounds] = static_cast<float>(rounds);
  (*features)[feature::kLastRound] = static_cast<float>(rounds / std::max(std::ceil(rounds), 1.0));
}

// feature::kMnMajor, of the operands along the tile's rows and along its columns.
inline float MnMajor(const problem::Input& rows, const problem::Input& columns) {
  if (rows.major == problem::Major::kMN) return 1;
  return columns.major == problem::Major::kMN ? 2 : 0;
}

// What the rows of all kernels have in common; the others are 0. `us` is the predicted time.
inline Features CommonFeatures(const dispatch::KernelRow& row, const problem::Normalized& problem,
                               const dispatch::Device& device, double us) {
  const std::int64_t element = base::ElementBytes(problem.input_type);
  Features features = {};
  features[feature::kLogUs] = Log2(us);
  features[feature::kLogK] = Log2(static_cast<double>(problem.k));
  features[feature::kTileRows] = static_cast<float>(row.tile.m);
  features[feature::kTileColumns] = static_cast<float>(row.tile.n);
  features[feature::kStages] = static_cast<float>(row.stages);
  features[feature::kOperandLine] =
      std::min(LineStart(problem.a.ld * element), LineStart(problem.b.ld * element));
  features[feature::kSteps] = static_cast<float>(base::CeilDiv<std::int64_t>(problem.k, row.tile.k));
  features[feature::kMemoryGbs] = static_cast<float>(device.memory_bandwidth_gbs);
  // A kernel that computes D's transpose has the caller's B for its A.
  features[feature::kEarly] = problem.a.readable_early || problem.b.readable_early ? 1 : 0;
  return features;
}

// Of a row whose predicted time has no correction: that time alone, which `gemm calibrate --features` shows beside the others.
inline Features Uncorrected(double us) {
  Features features;
  features.fill(std::numeric_limits<float>::quiet_NaN());
  features[feature::kLogUs] = Log2(us);
  return features;
}

}  // namespace gemm::correction
