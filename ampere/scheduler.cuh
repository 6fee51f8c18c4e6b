// Where a tile lies: which CTA computes it says kernel.cuh.
#pragma once

#include "ampere/params.h"

namespace gemm::ampere {

struct TileAt {
  long long batch;
  int m;  // in tiles
  int n;
};

// The tiles of a matrix are walked in groups of `raster` rows of tiles, down the group's rows first: CTAs that
// run together then need few different parts of A and B. Batches follow one another.
__device__ __forceinline__ TileAt LocateTile(const ScheduleParams& schedule, long long index) {
  TileAt at;
  const int tiles = schedule.tiles_m * schedule.tiles_n;
  at.batch = 0;
  if (index >= tiles) {
    at.batch = index / tiles;
    index -= at.batch * tiles;
  }
  const int in_matrix = static_cast<int>(index);
  // Divide before multiplying: raster * tiles_n may pass 2^31 only when there is one group.
  const int group_tiles = schedule.raster >= schedule.tiles_m ? tiles : schedule.raster * schedule.tiles_n;
  const int group = in_matrix / group_tiles;
  const int first = group * schedule.raster;
  const int rows = min(schedule.raster, schedule.tiles_m - first);
  const int in_group = in_matrix - group * group_tiles;
  at.m = first + in_group % rows;
  at.n = in_group / rows;
  return at;
}

}  // namespace gemm::ampere
