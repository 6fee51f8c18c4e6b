// Stream-K's host side: which tiles the clusters share, among how many of them, and what that costs. stream_k.cuh has the
// device side.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "common/base/math.h"
#include "hopper/config.cuh"
#include "hopper/raster.h"
#include "hopper/ring_sums.h"

namespace gemm::hopper {

struct StreamK {
  std::int64_t tiles = 0;     // cluster tiles that are shared, the first ones; 0: there is nothing to gain
  std::int64_t clusters = 1;  // of the grid: each has one range of their K steps
  std::int64_t parts = 1;     // of the tile that is split most
  bool even = false;  // ranges are whole fractions of a tile: all clusters are at the same part of K together
  bool scatters =
      false;  // even, of so few parts that the exchange can be spread over them (scattered_sums.cuh)
  // K steps that the part which finishes a tile has more than the others: their sums are there when it ends. Where ranges are even, sums
  // are not scattered, and all other parts hand over to that one.
  std::int64_t finisher_more = 0;
};

// `tiles` of `k_steps` shared by `clusters`; handing over and taking over takes as long as `hand_over_steps`.
inline StreamK MakeShare(const dispatch::KernelRow& row, std::int64_t k_steps, std::int64_t tiles,
                         std::int64_t clusters, double hand_over_steps) {
  StreamK share;
  share.tiles = tiles;
  share.clusters = clusters;
  // Ranges of a whole fraction of a tile split each tile alike; others may begin anywhere in it.
  share.even = clusters % tiles == 0;
  share.parts = share.even ? clusters / tiles : std::min(clusters, base::CeilDiv(clusters, tiles) + 1);
  // Of three parts the tree took 5% to 8% less than scattered sums (256x1280x8192 and 384x768x4096 by 128x64, H100, 2026-11-25; by a
  // version of them whose warps parted, and not timed since). The last part ends last, and may find the others' sums there.
  constexpr std::int64_t kFewest = 4;
  constexpr std::int64_t kLanes = 32;  // of an owner's warp, one to each part
  share.scatters =
      share.even && share.parts >= kFewest && share.parts <= kLanes && SumsFitRing(row, share.parts);
  const bool one_adds_all = share.parts <= std::int64_t{kSumsFan};
  if (share.even && !share.scatters && one_adds_all) {
    share.finisher_more = std::min(static_cast<std::int64_t>(hand_over_steps), k_steps - share.parts);
  }
  return share;
}

// Where tiles are more than the clusters that run at once: whole tiles for as many rounds as leave between one and two
// rounds' worth of them to share. So each range is longer than a tile, no tile has more than two parts, and what a part
// waits for is there long before. Where tiles are fewer, all are shared, by all clusters or by a multiple of the tiles,
// whichever is faster: `cycles_of` the share and the K steps of a cluster.
template <class Cycles>
StreamK MakeStreamK(const dispatch::KernelRow& row, const problem::Normalized& problem, const Raster& raster,
                    double hand_over_steps, const Cycles& cycles_of) {
  const std::int64_t k_steps = base::CeilDiv<std::int64_t>(problem.k, row.tile.k);
  const bool few = raster.tiles < raster.resident;
  const std::int64_t shared = few ? raster.tiles : raster.resident + raster.tiles % raster.resident;
  // The kernel counts steps times ranges in 32 bits.
  if (shared > std::int64_t{std::numeric_limits<std::uint32_t>::max()} / raster.resident / k_steps)
    return StreamK();
  if (!few) {
    const bool uneven = shared != raster.resident;
    return uneven ? MakeShare(row, k_steps, shared, raster.resident, hand_over_steps) : StreamK();
  }
  StreamK best;
  double best_cycles = std::numeric_limits<double>::infinity();
  const auto consider = [&](std::int64_t clusters) {
    if (shared * k_steps < clusters) return;  // a range has at least one step
    const StreamK share = MakeShare(row, k_steps, shared, clusters, hand_over_steps);
    const auto steps = static_cast<double>(base::CeilDiv(shared * k_steps, clusters));
    const double cycles = cycles_of(share, steps);
    if (cycles >= best_cycles) return;
    best = share;
    best_cycles = cycles;
  };
  for (std::int64_t clusters = 2 * shared; clusters <= raster.resident; clusters += shared) consider(clusters);
  consider(raster.resident);
  return best;
}

}  // namespace gemm::hopper
