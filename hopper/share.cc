#include "hopper/share.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "common/base/math.h"
#include "hopper/k_parts.h"
#include "hopper/schedule.h"
#include "hopper/stream_k.h"

namespace gemm::hopper {
namespace {

// Of stream-K, with `shared` the tiles and clusters that share them, of `ctas` CTAs each.
Share StreamKShare(const Raster& raster, const StreamK& shared, double k_steps, double ctas) {
  const double clusters = static_cast<double>(shared.clusters);
  const double tiles = static_cast<double>(raster.tiles) / clusters;
  Share share;
  share.rounds = std::ceil(tiles);
  share.steps = std::ceil(tiles * k_steps);
  share.parts = static_cast<double>(shared.parts);
  share.at_once = share.in_last_round = clusters * ctas;
  share.even = shared.even;
  share.scatters = shared.scatters;
  share.hides_hand_over = shared.finisher_more > 0;
  share.shared = static_cast<double>(shared.tiles) / static_cast<double>(raster.tiles);
  const double range = static_cast<double>(shared.tiles) * k_steps / clusters;
  share.apart = std::abs(k_steps - std::max(1.0, std::round(k_steps / range)) * range);
  return share;
}

}  // namespace

Share ShareOf(const dispatch::KernelRow& row, const problem::Normalized& computed, const Raster& raster,
              const dispatch::Device& device) {
  const double k_steps = static_cast<double>(base::CeilDiv<std::int64_t>(computed.k, row.tile.k));
  const double ctas = row.cluster_m * row.cluster_n;
  if (IsStreamK(row)) return StreamKShare(raster, StreamKOf(row, computed, raster, device), k_steps, ctas);
  Share share;
  if (IsSplitK(row) || IsParallelSplitK(row)) {
    share.parts = static_cast<double>(IsSplitK(row) ? SplitKPartsOf(row, computed, raster, device)
                                                    : ParallelPartsOf(row, computed, raster, device));
    share.steps = std::ceil(k_steps / share.parts);
    share.at_once = share.in_last_round = ctas * static_cast<double>(raster.tiles) * share.parts;
    if (raster.tiles <= raster.resident) return share;
    // More tiles than run at once, of rows that take any parts: in rounds, as below.
  }
  const std::int64_t clusters = std::max<std::int64_t>(raster.clusters, 1);
  const std::int64_t rounds = std::max<std::int64_t>(base::CeilDiv(raster.tiles, clusters), 1);
  share.rounds = static_cast<double>(rounds);
  share.steps = share.rounds * k_steps;
  share.at_once = ctas * static_cast<double>(clusters);
  share.in_last_round = ctas * static_cast<double>(raster.tiles - (rounds - 1) * clusters);
  return share;
}

}  // namespace gemm::hopper
