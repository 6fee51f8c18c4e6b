// Split K's host side: into how many parts the CTAs of a cluster cut a tile's K. split_k.cuh has the device side.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "common/base/math.h"
#include "common/dispatch/cost.h"
#include "common/dispatch/kernel.h"
#include "hopper/raster.h"
#include "hopper/residency.h"
#include "hopper/ring_sums.h"

namespace gemm::hopper {

// The parts that make the longest of a CTA's K steps, of `step_cycles` each, and the exchange behind them shortest; 0 where no
// number of parts will do. All clusters run at once: a CTA has one tile.
template <class ExchangeCycles>
std::int64_t MakeSplitK(const dispatch::KernelRow& row, const problem::Normalized& problem,
                        const Raster& raster, const dispatch::Device& device, double step_cycles,
                        const ExchangeCycles& exchange_cycles) {
  constexpr int kMostCtas = 8;  // of a portable cluster
  const std::int64_t k_steps = base::CeilDiv<std::int64_t>(problem.k, row.tile.k);
  const int sharers = row.cluster_m * row.cluster_n;
  const auto can_be = [&](int parts) {
    return SumsFitRing(row, parts) && parts * sharers <= device.sm_count &&
           raster.tiles <= ResidentClusters(parts * sharers, device);
  };
  const std::int64_t most = std::min<std::int64_t>(kMostCtas / sharers, k_steps);
  return dispatch::CheapestParts(most, [&](int parts) {
    if (!can_be(parts)) return std::numeric_limits<double>::infinity();
    return static_cast<double>(base::CeilDiv<std::int64_t>(k_steps, parts)) * step_cycles +
           exchange_cycles(parts);
  });
}

}  // namespace gemm::hopper
