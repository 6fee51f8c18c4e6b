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
  bool bands_across_n = false;
  std::int64_t band = 1;      // cluster tiles across a band
  std::int64_t resident = 1;  // clusters that the device runs at once
  std::int64_t clusters = 1;  // of the persistent grid

  std::int64_t Across() const { return bands_across_n ? tiles_n : tiles_m; }
  std::int64_t Along() const { return bands_across_n ? tiles_m : tiles_n; }
};

// Of clusters, and where CTAs compute several tiles (docs/perf/hopper/l2.md).
inline constexpr std::int64_t kBand = 8;

// Tiles across a band. Requests for the same line are answered once where they come from one GPC, and CTAs of no cluster are dealt to
// the GPCs some 16 at a time (an H100's %smid, 2026-11-25): bands of about 4 tiles, the last no less than half as wide, make that
// 4 x 4 tiles, whose rows and columns are fewest. Clusters are dealt to the GPCs in turn, so that with bands of 8 those of one GPC
// share rows; and where CTAs compute several tiles each, what stays in the L2 counts for more.
inline std::int64_t BandWidth(std::int64_t across, bool clusters, bool one_round) {
  if (clusters || !one_round) return std::min(across, kBand);
  std::int64_t bands = std::max<std::int64_t>((across + 1) / 4, 1);
  std::int64_t width = base::CeilDiv(across, bands);
  while (bands > 1 && 2 * (across - (base::CeilDiv(across, width) - 1) * width) < width) {
    width = base::CeilDiv(across, --bands);
  }
  return width;
}

// How many CTAs of a GPC read the same part of an operand at once, by what was said of BandWidth.
struct GpcReaders {
  double across;  // of the operand whose tiles lie across the bands
  double along;
};

// Of across x along tiles, each of a cluster of `ctas`.
inline GpcReaders ReadersInGpc(std::int64_t across, std::int64_t along, std::int64_t band, int ctas) {
  constexpr std::int64_t kCtas = 16;
  const auto among = [](std::int64_t readers, std::int64_t tiles) {
    return static_cast<double>(std::clamp<std::int64_t>(readers, 1, std::max<std::int64_t>(tiles, 1)));
  };
  if (ctas == 1) return {among(kCtas / band, along), among(band, across)};
  const bool same_place = kBand % band == 0;
  return {same_place ? among(kCtas / ctas, along) : 1, 1};
}

// The part of its own rows that one of `readers` adds to what is asked of the L2, where `merged` of the requests that could be
// answered once are.
inline double AskedPart(double readers, double merged) { return 1 - merged * (1 - 1 / readers); }

inline Raster MakeRaster(const dispatch::KernelRow& row, const problem::Normalized& problem,
                         const dispatch::Device& device) {
  const int ctas = row.cluster_m * row.cluster_n;
  Raster raster;
  raster.tiles_m = base::CeilDiv<std::int64_t>(problem.m, std::int64_t{row.tile.m} * row.cluster_m);
  raster.tiles_n = base::CeilDiv<std::int64_t>(problem.n, std::int64_t{row.tile.n} * row.cluster_n);
  if (!base::CheckedMultiply(raster.tiles_m, raster.tiles_n, &raster.tiles) ||
      !base::CheckedMultiply(raster.tiles, problem.batch, &raster.tiles)) {
    raster.tiles = std::numeric_limits<std::int64_t>::max();
  }
  raster.resident = ResidentClusters(ctas, device);
  raster.clusters = std::min(raster.tiles, raster.resident);
  // Bands lie across the shorter side of D. Kernels with the same cluster tile share their raster.
  raster.bands_across_n = raster.tiles_n < raster.tiles_m;
  raster.band =
      BandWidth(std::max<std::int64_t>(raster.Across(), 1), ctas > 1, raster.tiles <= raster.resident);
  return raster;
}

}  // namespace gemm::hopper
