// How cluster tiles are numbered: the host's side of bands.h.
#pragma once

#include <cstdint>

#include "common/dispatch/kernel.h"
#include "hopper/bands.h"
#include "hopper/clusters.h"
#include "hopper/divisor.h"
#include "hopper/raster.h"

namespace gemm::hopper {

// `divisor` is from 1 to 2^31 - 1.
Divisor MakeDivisor(std::int64_t divisor);

// Of across x along tiles, fewer than 2^31; `width` is from 1 to `across`.
Bands MakeBands(std::int64_t across, std::int64_t along, std::int64_t width);

// Of a tiled kernel, to Params or AddPartsParams.
template <class Parameters>
void SetTileOrder(const dispatch::KernelRow& row, const Raster& raster, Parameters* params) {
  params->cluster = MakeClusterShape(row.cluster_m, row.cluster_n);
  params->bands_across_n = raster.bands_across_n ? 1 : 0;
  params->per_matrix = MakeDivisor(raster.tiles_m * raster.tiles_n);
  params->bands = MakeBands(raster.Across(), raster.Along(), raster.band);
}

}  // namespace gemm::hopper
