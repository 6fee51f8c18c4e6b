// Split K's host side: into how many parts the CTAs of a cluster cut a tile's K. split_k.cuh has the device side.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "common/base/math.h"
#include "common/dispatch/kernel.h"
#include "hopper/raster.h"
#include "hopper/residency.h"

namespace gemm::hopper {

// What a warp adds up lies in the ring: the parts' sums of its rows, of as many warps as one CTA stores.
inline bool SumsFitRing(const dispatch::KernelRow& row, std::int64_t parts) {
  const std::int64_t warps = row.threads / 32 - 4;  // but those of the producer
  const std::int64_t warp_bytes = 4 * std::int64_t{row.tile.m} * row.tile.n / warps;
  const std::int64_t ring_bytes = std::int64_t{row.stages} * (row.tile.m + row.tile.n) * row.tile.k * 2;
  return parts <= warps && base::CeilDiv(warps, parts) * (parts - 1) * warp_bytes <= ring_bytes;
}

// The parts that make the longest of a CTA's K steps, of `step_cycles` each, and the exchange behind them shortest; 0 where no
// number of parts will do. All clusters run at once: a CTA has one tile.
template <class ExchangeCycles>
std::int64_t MakeSplitK(const dispatch::KernelRow& row, const problem::Normalized& problem,
                        const Raster& raster, const dispatch::Device& device, double step_cycles,
                        const ExchangeCycles& exchange_cycles) {
  constexpr int kMostCtas = 8;  // of a portable cluster
  const std::int64_t k_steps = base::CeilDiv<std::int64_t>(problem.k, row.tile.k);
  const int sharers = row.cluster_m * row.cluster_n;
  std::int64_t best = 0;
  double best_cycles = std::numeric_limits<double>::infinity();
  for (int parts = 2; parts * sharers <= kMostCtas && parts <= k_steps; ++parts) {
    if (!SumsFitRing(row, parts) || parts * sharers > device.sm_count) continue;
    if (raster.tiles > ResidentClusters(parts * sharers, device)) continue;
    const double cycles =
        static_cast<double>(base::CeilDiv<std::int64_t>(k_steps, parts)) * step_cycles + exchange_cycles(parts);
    if (cycles >= best_cycles) continue;
    best = parts;
    best_cycles = cycles;
  }
  return best;
}

}  // namespace gemm::hopper
