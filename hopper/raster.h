// How a problem is cut into cluster tiles and in which order they are computed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "common/base/math.h"
#include "common/dispatch/kernel.h"
#include "hopper/residency.h"

namespace gemm::hopper {

struct Raster {
  std::int64_t tiles_m = 0;  // cluster tiles
  std::int64_t tiles_n = 0;
  std::int64_t tiles = 0;  // of the whole batch; INT64_MAX where that overflows
  std::int64_t group = 1;
  bool band_along_n = false;
  std::int64_t resident = 1;  // clusters that the device runs at once
  std::int64_t clusters = 1;  // of the persistent grid
};

inline constexpr std::int64_t kBand = 8;  // most cluster tiles across a band (docs/perf/hopper.md)

// Bands lie across the shorter side of D. Kernels with the same cluster tile share their raster.
inline Raster MakeRaster(const dispatch::KernelRow& row, const problem::Normalized& problem,
                         const dispatch::Device& device) {
  Raster raster;
  raster.tiles_m = base::CeilDiv<std::int64_t>(problem.m, std::int64_t{row.tile.m} * row.cluster_m);
  raster.tiles_n = base::CeilDiv<std::int64_t>(problem.n, std::int64_t{row.tile.n} * row.cluster_n);
  if (!base::CheckedMultiply(raster.tiles_m, raster.tiles_n, &raster.tiles) ||
      !base::CheckedMultiply(raster.tiles, problem.batch, &raster.tiles)) {
    raster.tiles = std::numeric_limits<std::int64_t>::max();
  }
  raster.band_along_n = raster.tiles_n < raster.tiles_m;
  raster.group = std::clamp<std::int64_t>(std::min(raster.tiles_m, raster.tiles_n), 1, kBand);
  raster.resident = ResidentClusters(row.cluster_m * row.cluster_n, device);
  raster.clusters = std::min(raster.tiles, raster.resident);
  return raster;
}

}  // namespace gemm::hopper
