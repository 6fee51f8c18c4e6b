#include "hopper/skinny/split.h"

#include <algorithm>
#include <limits>

#include "common/base/math.h"
#include "hopper/raster.h"
#include "hopper/residency.h"
#include "hopper/skinny/config.cuh"
#include "hopper/skinny/cost.h"
#include "hopper/skinny/predict.h"

namespace gemm::hopper::skinny {
namespace {

using dispatch::Device;
using dispatch::KernelRow;
using problem::Normalized;

// Rows of a tile: as few as keep the number of rounds that the widest tiles take.
std::int64_t WideBox(const Split& split, std::int64_t others, const KernelRow& row, const Device& device) {
  // 8 columns are stored from registers, which ask for no alignment; more of them in whole units of 8 rows (epilogue.cuh).
  const std::int64_t unit = row.b_major == problem::Major::kMN ? 64 : row.tile.n == 8 ? 4 : 8;
  const std::int64_t most = row.tile.m;
  const std::int64_t at_once = ResidentClusters(split.cluster, device);
  const std::int64_t widest = base::CeilDiv(split.wide_rows, most);
  std::int64_t all;
  if (!base::CheckedMultiply(widest, others, &all)) return most;
  const std::int64_t rounds = base::CeilDiv(all, at_once);
  const std::int64_t tiles = std::max(rounds * at_once / others, widest);
  return std::min(most, base::CeilDiv(base::CeilDiv(split.wide_rows, tiles), unit) * unit);
}

Split SplitWith(bool wide_is_b, int cluster, const KernelRow& row, const Normalized& problem,
                const Device& device) {
  Split split;
  split.cluster = cluster;
  split.wide_is_b = wide_is_b;
  split.wide_rows = split.wide_is_b ? problem.n : problem.m;
  split.narrow_rows = split.wide_is_b ? problem.m : problem.n;
  split.k_steps = base::CeilDiv<std::int64_t>(problem.k, row.tile.k);
  split.tiles_narrow = base::CeilDiv<std::int64_t>(split.narrow_rows, row.tile.n);
  split.narrow_box = base::CeilDiv(split.narrow_rows, split.tiles_narrow);
  std::int64_t others;
  const bool countable = base::CheckedMultiply(split.tiles_narrow, problem.batch, &others);
  split.wide_box = countable ? WideBox(split, others, row, device) : row.tile.m;
  split.tiles_wide = base::CeilDiv(split.wide_rows, split.wide_box);
  if (!countable || !base::CheckedMultiply(split.tiles_wide, others, &split.tiles)) {
    split.tiles = std::numeric_limits<std::int64_t>::max();
  }
  split.clusters = std::clamp<std::int64_t>(split.tiles, 1, ResidentClusters(cluster, device));
  split.band = BandWidth(split.tiles_narrow, cluster > 1, split.tiles <= split.clusters);
  split.microseconds = PredictUs(CostOf(device), split, row, problem, device);
  return split;
}

}  // namespace

bool CanSplitBy(int cluster, const KernelRow& row, const Normalized& problem, const Device& device) {
  if (cluster == 1) return true;
  // A split of K would depend on M. Of clusters that are no power of
  // two fewer run at once than expected, and the rest wait: 20 of 6 CTAs started in two waves (H200, 2026-11-22).
  return !problem.batch_invariant && (cluster & (cluster - 1)) == 0 &&
         cluster <= MaxSplit(row.tile.m, row.tile.n) && cluster <= device.sm_count &&
         base::CeilDiv<std::int64_t>(problem.k, row.tile.k) >= cluster;
}

Split SplitBy(int cluster, const KernelRow& row, const Normalized& problem, const Device& device) {
  const Split split = SplitWith(true, cluster, row, problem, device);
  // Of operands that are not K-major the kernel takes the wide one, and B wide has the fewest tiles and D's rows contiguous.
  if (row.b_major == problem::Major::kMN || problem.n >= problem.m) return split;
  const Split other = SplitWith(false, cluster, row, problem, device);
  return other.microseconds < split.microseconds ? other : split;
}

Split ChooseSplit(const KernelRow& row, const Normalized& problem, const Device& device) {
  Split best = SplitBy(1, row, problem, device);
  for (int cluster = 2; cluster <= kMaxCluster; cluster *= 2) {
    if (!CanSplitBy(cluster, row, problem, device)) continue;
    const Split split = SplitBy(cluster, row, problem, device);
    if (split.microseconds < best.microseconds) best = split;
  }
  return best;
}

Split SplitOf(const KernelRow& row, const Normalized& problem, const Device& device) {
  return row.variant == 0 ? ChooseSplit(row, problem, device) : SplitBy(row.variant, row, problem, device);
}

}  // namespace gemm::hopper::skinny
