// Which tiles and which part of K a CTA computes: a static walk, the same in every role.
#pragma once

#include "hopper/skinny/params.h"

namespace gemm::hopper::skinny {

// A tile's first rows and its matrix of the batch. The last tile of a K-major operand ends at the operand's last row, since
// boxes that hang over it are slow (hopper/producer.cuh): its first rows are also the tile's before, which stores them.
struct TileAt {
  int wide;
  int narrow;
  int batch;
  int wide_others;  // rows at its beginning that the tile before stores
  int narrow_others;
};

// Cluster c of n takes tiles c, c + n, c + 2n, ..., numbered in bands across the narrow tiles (hopper/bands.h).
class TileWalk {
 public:
  // A cluster's number by a shift: %clusterid is a division.
  __device__ __forceinline__ explicit TileWalk(const Params& params)
      : index_(blockIdx.x >> params.split_log2) {}

  // False when no tile is left.
  template <class C>
  __device__ __forceinline__ bool Next(const Params& params, TileAt* tile) {
    const bool live = index_ < params.tiles;
    const unsigned batch = params.per_matrix.Quotient(index_);
    unsigned narrow, wide;
    params.bands.Locate(index_ - batch * params.per_matrix.divisor, &narrow, &wide);
    tile->narrow = static_cast<int>(narrow) * params.narrow_box;
    tile->wide = static_cast<int>(wide) * params.wide_box;
    tile->batch = static_cast<int>(batch);
    tile->narrow_others = max(tile->narrow + params.narrow_box - params.narrow_rows, 0);
    tile->narrow -= tile->narrow_others;
    tile->wide_others = C::kWideTransposed ? 0 : max(tile->wide + params.wide_loaded - params.wide_rows, 0);
    tile->wide -= tile->wide_others;
    index_ += gridDim.x >> params.split_log2;
    return live;
  }

 private:
  unsigned index_;
};

// The CTA of rank r of those that share a tile takes the K steps r, r + split, ...: CTAs which run together read
// neighbouring memory. Returns how many.
__device__ __forceinline__ unsigned StepsOf(const Params& params, unsigned rank) {
  return params.k_each + (rank < params.k_rest ? 1 : 0);
}

}  // namespace gemm::hopper::skinny
