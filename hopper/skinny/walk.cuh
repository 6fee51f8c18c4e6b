// Which tiles and which part of K a CTA computes: a static walk, the same in every role.
#pragma once

#include "common/device/ptx/cluster.cuh"
#include "hopper/skinny/config.cuh"
#include "hopper/skinny/params.h"

namespace gemm::hopper::skinny {

// A CTA's place in its cluster: among those that share the K of its tile, and among those that share the narrow
// operand of its K steps.
struct Place {
  unsigned k;
  unsigned tile;

  __device__ __forceinline__ explicit Place(const Params& params) {
    const unsigned rank = params.split * params.share > 1 ? device::ptx::ClusterRank() : 0;
    tile = rank / params.split;
    k = rank - tile * params.split;
  }
};

// The cluster's rank of a CTA.
__device__ __forceinline__ unsigned RankOf(const Params& params, unsigned k, unsigned tile) {
  return tile * params.split + k;
}

// A tile's first rows and its matrix of the batch. The wide row may lie beyond the edge (the last of a cluster's
// tiles): loads bring zeros there and nothing is stored.
struct TileAt {
  int wide;
  int narrow;
  int batch;
};

// Cluster c of n takes groups of tiles c, c + n, c + 2n, ... Groups that read the same wide rows follow one another.
template <class C>
class TileWalk {
 public:
  __device__ __forceinline__ explicit TileWalk(const Params& params)
      : params_(params), index_(device::ptx::ClusterIndex()), step_(device::ptx::ClusterCount()) {}

  // False when no tile is left.
  __device__ __forceinline__ bool Next(Place place, TileAt* tile) {
    if (index_ >= params_.groups) return false;
    unsigned narrow = 0, wide = index_, batch = 0;
    if (params_.tiles_narrow != 1) {  // few products take a division
      wide = index_ / params_.tiles_narrow;
      narrow = index_ - wide * params_.tiles_narrow;
    }
    if (wide >= params_.groups_wide) {
      batch = wide / params_.groups_wide;
      wide -= batch * params_.groups_wide;
    }
    tile->narrow = static_cast<int>(narrow * C::kNarrow);
    tile->wide = static_cast<int>(wide * params_.share + place.tile) * params_.wide_box;
    tile->batch = static_cast<int>(batch);
    index_ += step_;
    return true;
  }

 private:
  const Params& params_;
  unsigned index_;
  unsigned step_;
};

// CTA k of those that share a tile takes the K steps k, k + split, ...: CTAs which run together read neighbouring
// memory. Returns how many.
__device__ __forceinline__ unsigned StepsOf(const Params& params, Place place) {
  return params.k_each + (place.k < params.k_rest ? 1 : 0);
}

}  // namespace gemm::hopper::skinny
