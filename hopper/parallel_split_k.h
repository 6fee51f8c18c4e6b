// Parallel split K's host side: into how many parts clusters cut the tiles' K. parallel_split_k.cuh has the device side.
#pragma once

#include <algorithm>
#include <cstdint>

#include "common/base/math.h"
#include "common/dispatch/cost.h"
#include "common/dispatch/kernel.h"
#include "hopper/raster.h"
#include "hopper/schedule.h"

namespace gemm::hopper {

// The parts that make a cluster's K steps shortest, the fewest of equals; all clusters run at once. Where the tiles leave too few SMs idle
// or K is too short, 0, or 1 of rows that take any number. `cycles_of` the steps of the longest part and the number of parts.
template <class Cycles>
std::int64_t MakeParallelSplitK(const dispatch::KernelRow& row, const problem::Normalized& problem,
                                const Raster& raster, const Cycles& cycles_of) {
  const std::int64_t k_steps = base::CeilDiv<std::int64_t>(problem.k, row.tile.k);
  const std::int64_t most = std::min(raster.resident / std::max<std::int64_t>(raster.tiles, 1), k_steps);
  const int parts = dispatch::CheapestParts(
      most, [&](int parts) { return cycles_of(base::CeilDiv<std::int64_t>(k_steps, parts), parts); });
  return parts == 0 && TakesAnyParts(row) ? 1 : parts;
}

}  // namespace gemm::hopper
