// Which tile comes next: a static walk of a persistent grid, the same in every role.
#pragma once

#include "hopper/cluster_shape.cuh"
#include "hopper/params.h"

namespace gemm::hopper {

// A CTA's tile: its first row and column in D, its matrix of the batch, and the part of K to multiply. Rows and columns may lie beyond D's
// edge (the last cluster tile of an odd number of tiles): whatever is multiplied there, stores are clipped.
struct TileAt {
  int row;
  int column;
  int batch;
  unsigned first_step;  // of K, in units of kTileK
  unsigned steps;       // at least 1
  // Of stream-K only (stream_k.cuh): in how many parts its K is split, and which this is, counted from the last. Part 0
  // finishes the tile.
  unsigned parts;
  unsigned part;
};

// How many steps of K a part has where all tiles are cut alike (SplitKParams).
__device__ __forceinline__ unsigned StepsOfPart(const Params& params, unsigned part) {
  return params.split_k.each + (part < params.split_k.rest ? 1 : 0);
}

// Row, column and batch of cluster tile `number` for the CTA `rank` of its cluster. `order` is Params or AddPartsParams.
template <class Order>
__device__ __forceinline__ void LocateTile(const Order& order, const ClusterShape& cluster, unsigned rank,
                                           unsigned number, unsigned rows, unsigned columns, TileAt* tile) {
  const unsigned batch = order.per_matrix.Quotient(number);
  const unsigned index = number - batch * order.per_matrix.divisor;
  unsigned across, along;
  order.bands.Locate(index, &across, &along);
  const unsigned tile_m = order.bands_across_n ? along : across;
  const unsigned tile_n = order.bands_across_n ? across : along;
  tile->row = static_cast<int>(((tile_m << cluster.m_log2) + (rank & (cluster.m - 1))) * rows);
  tile->column = static_cast<int>((tile_n * cluster.n + (rank >> cluster.m_log2)) * columns);
  tile->batch = static_cast<int>(batch);
}

// Cluster tiles are numbered in bands across the shorter side of D (bands.h). Cluster c of n takes tiles c, c + n, c + 2n, ...
template <class C>
class TileScheduler {
 public:
  // Leaves the first `skipped` tiles out.
  __device__ __forceinline__ TileScheduler(const Params& params, unsigned cluster_rank, unsigned skipped = 0)
      : params_(params), rank_(cluster_rank), index_(skipped + (blockIdx.x >> ShapeOf<C>(params).size_log2)) {}

  // Fills *tile; false when none is left.
  __device__ __forceinline__ bool Next(TileAt* tile) {
    const bool live = HasNext();
    // Also where there is none: a branch before all this would wait for constant memory once more.
    Locate(index_, tile);
    tile->first_step = 0;
    tile->steps = params_.k_steps;
    index_ += gridDim.x >> ShapeOf<C>(params_).size_log2;
    return live;
  }

  __device__ __forceinline__ bool HasNext() const { return index_ < params_.tiles; }

  // Row, column and batch of cluster tile `number`.
  __device__ __forceinline__ void Locate(unsigned number, TileAt* tile) const {
    LocateTile(params_, ShapeOf<C>(params_), rank_, number, C::kTileM, C::kTileN, tile);
  }

 private:
  const Params& params_;
  unsigned rank_;
  unsigned index_;
};

}  // namespace gemm::hopper
