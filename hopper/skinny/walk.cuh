// Which tiles and which part of K a CTA computes: a static walk, the same in every role.
#pragma once

#include "hopper/skinny/config.cuh"
#include "hopper/skinny/params.h"

namespace gemm::hopper::skinny {

// A CTA's place in its cluster.
struct Place {
  unsigned rank;
  unsigned cluster;  // its size
};

// A tile's first rows and its matrix of the batch.
struct TileAt {
  int wide;
  int narrow;
  int batch;
};

// Cluster c of n takes tiles c, c + n, c + 2n, ... Tiles that read the same wide rows follow one another.
template <class C>
class TileWalk {
 public:
  __device__ __forceinline__ TileWalk(const Params& params, Place place)
      : params_(params), index_(blockIdx.x / place.cluster), step_(gridDim.x / place.cluster) {}

  // False when no tile is left.
  __device__ __forceinline__ bool Next(TileAt* tile) {
    if (index_ >= params_.tiles) return false;
    const unsigned wide = index_ / params_.tiles_narrow;
    const unsigned batch = wide / params_.tiles_wide;
    tile->narrow = static_cast<int>((index_ - wide * params_.tiles_narrow) * C::kNarrow);
    tile->wide = static_cast<int>((wide - batch * params_.tiles_wide) * C::kWide);
    tile->batch = static_cast<int>(batch);
    index_ += step_;
    return true;
  }

 private:
  const Params& params_;
  unsigned index_;
  unsigned step_;
};

// The K steps of one CTA: first, first + stride, ... `count` of them, at least 1.
struct Steps {
  unsigned first;
  unsigned stride;
  unsigned count;
};

template <class C>
__device__ __forceinline__ Steps StepsOf(const Params& params, Place place) {
  if constexpr (C::kWalk == Walk::kContiguous) {
    const unsigned first = params.k_steps * place.rank / place.cluster;
    return {first, 1, params.k_steps * (place.rank + 1) / place.cluster - first};
  } else {
    return {place.rank, place.cluster, (params.k_steps - place.rank + place.cluster - 1) / place.cluster};
  }
}

}  // namespace gemm::hopper::skinny
