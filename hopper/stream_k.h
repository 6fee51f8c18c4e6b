// Stream-K's host side: which tiles the clusters share, among how many of them, and what that costs. stream_k.cuh has the
// device side.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "common/base/math.h"
#include "hopper/raster.h"

namespace gemm::hopper {

struct StreamK {
  std::int64_t tiles = 0;     // cluster tiles that are shared, the first ones; 0: there is nothing to gain
  std::int64_t clusters = 1;  // of the grid: each has one range of their K steps
  std::int64_t parts = 1;     // of the tile that is split most
  bool even = false;  // ranges are whole fractions of a tile: all clusters are at the same part of K together
  double exchange_cycles = 0;  // of the partial sums, in the cluster that spends most on it
};

// Not measured yet (docs/perf/hopper.md).
inline constexpr double kExchangeBytesPerClock =
    32;  // of one SM, to and from the L2, when all exchange at once
inline constexpr double kExchangeLatencyCycles = 2000;  // of one level of the tree, beside its bytes
inline constexpr std::int64_t kExchangeFan = 4;         // PartialSums::kFan

// One SM's time for handing over a partial tile and adding others, level by level of the tree.
inline double ExchangeCycles(const dispatch::KernelRow& row, std::int64_t parts) {
  const double partial_cycles = 4.0 * row.tile.m * row.tile.n / kExchangeBytesPerClock;
  double cycles = 0;
  for (std::int64_t stride = 1; stride < parts; stride *= kExchangeFan) {
    const std::int64_t others = std::min(kExchangeFan, base::CeilDiv(parts, stride)) - 1;
    cycles += kExchangeLatencyCycles + static_cast<double>(1 + others) * partial_cycles;
  }
  return cycles;
}

// `tiles` shared by `clusters`.
inline StreamK MakeShare(const dispatch::KernelRow& row, std::int64_t tiles, std::int64_t clusters) {
  StreamK share;
  share.tiles = tiles;
  share.clusters = clusters;
  // Ranges of a whole fraction of a tile split each tile alike; others may begin anywhere in it.
  share.even = clusters % tiles == 0;
  share.parts = share.even ? clusters / tiles : std::min(clusters, base::CeilDiv(clusters, tiles) + 1);
  share.exchange_cycles = ExchangeCycles(row, share.parts);
  return share;
}

// Where tiles are more than the clusters that run at once: whole tiles for as many rounds as leave between one and two
// rounds' worth of them to share. So each range is longer than a tile, no tile has more than two parts, and what a part
// waits for is there long before. Where tiles are fewer, all are shared, by all clusters or by a multiple of the tiles,
// whichever is faster when a K step costs `step_cycles`.
inline StreamK MakeStreamK(const dispatch::KernelRow& row, const problem::Normalized& problem,
                           const Raster& raster, double step_cycles) {
  const std::int64_t k_steps = base::CeilDiv<std::int64_t>(problem.k, row.tile.k);
  const bool few = raster.tiles < raster.resident;
  const std::int64_t shared = few ? raster.tiles : raster.resident + raster.tiles % raster.resident;
  // The kernel counts steps times ranges in 32 bits.
  if (shared > std::int64_t{std::numeric_limits<std::uint32_t>::max()} / raster.resident / k_steps)
    return StreamK();
  if (!few) {
    const bool uneven = shared != raster.resident;
    return uneven ? MakeShare(row, shared, raster.resident) : StreamK();
  }
  StreamK best;
  double best_cycles = std::numeric_limits<double>::infinity();
  const auto consider = [&](std::int64_t clusters) {
    if (shared * k_steps < clusters) return;  // a range has at least one step
    const StreamK share = MakeShare(row, shared, clusters);
    const auto steps = static_cast<double>(base::CeilDiv(shared * k_steps, clusters));
    const double cycles = steps * step_cycles + share.exchange_cycles;
    if (cycles >= best_cycles) return;
    best = share;
    best_cycles = cycles;
  };
  for (std::int64_t clusters = 2 * shared; clusters <= raster.resident; clusters += shared) consider(clusters);
  consider(raster.resident);
  return best;
}

}  // namespace gemm::hopper
