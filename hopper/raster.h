// How a problem is cut into cluster tiles and in which order they are computed.
#pragma once

#include <cstdint>

#include "common/dispatch/kernel.h"

namespace gemm::hopper {

struct Raster {
  std::int64_t tiles_m = 0;  // cluster tiles
  std::int64_t tiles_n = 0;
  std::int64_t tiles = 0;  // of the whole batch
  std::int64_t group = 1;
  bool band_along_n = false;
  std::int64_t clusters = 1;  // of the persistent grid
};

inline std::int64_t CeilDiv(std::int64_t a, std::int64_t b) { return a / b + (a % b != 0); }

// Bands lie across the shorter side of D. Kernels with the same cluster tile share their raster.
inline Raster MakeRaster(const dispatch::KernelRow& row, const problem::Normalized& problem,
                         const dispatch::Device& device) {
  constexpr std::int64_t kGroup = 8;  // docs/perf/hopper.md
  Raster raster;
  raster.tiles_m = CeilDiv(problem.m, static_cast<std::int64_t>(row.tile.m) * row.cluster_m);
  raster.tiles_n = CeilDiv(problem.n, static_cast<std::int64_t>(row.tile.n) * row.cluster_n);
  raster.tiles = raster.tiles_m * raster.tiles_n * problem.batch;
  raster.band_along_n = raster.tiles_n < raster.tiles_m;
  const std::int64_t across = raster.band_along_n ? raster.tiles_n : raster.tiles_m;
  raster.group = kGroup < across ? kGroup : across;
  const std::int64_t resident = device.sm_count / (row.cluster_m * row.cluster_n);
  raster.clusters = raster.tiles < resident ? raster.tiles : resident > 1 ? resident : 1;
  return raster;
}

}  // namespace gemm::hopper
