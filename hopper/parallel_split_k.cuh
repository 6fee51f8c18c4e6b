// Parallel split K: the clusters share the K of the tiles, each has one part of one tile and leaves its sums in workspace, and a second
// kernel adds them up and stores (add_parts.cu). For products of so few tiles that most SMs would have none, whose K needs more parts than
// a cluster has CTAs. Against stream-K, which does the same in one kernel: nobody waits for flags, and the kernel has no epilogue, so that
// the ring is deeper.
//
// Workspace holds the partial tile of each CTA (partials.cuh), those of the first part of all tiles before those of the second.
#pragma once

#include "hopper/cluster_shape.cuh"
#include "hopper/params.h"
#include "hopper/tile_scheduler.cuh"

namespace gemm::hopper {

// Which part of which tile a cluster has, where all tiles are cut alike: returns the part, from the beginning of K on, and fills *tile, but
// for how many steps and parts there are. Clusters have the first part of every tile, then the second, and so on: those that run side by
// side read the same rows and columns at the same time.
template <class C>
__device__ __forceinline__ unsigned PartOfCluster(const Params& params, const TileScheduler<C>& tiles,
                                                  unsigned cluster, TileAt* tile) {
  const unsigned part = params.stream_k.apart.Quotient(cluster);
  tiles.Locate(cluster - part * params.stream_k.apart.divisor, tile);
  tile->first_step = part * params.split_k.each + min(part, params.split_k.rest);
  return part;
}

template <class C>
class ParallelSplitKScheduler {
 public:
  __device__ __forceinline__ ParallelSplitKScheduler(const Params& params, unsigned cluster_rank)
      : params_(params), tiles_(params, cluster_rank) {}

  // Fills *tile; false when none is left.
  __device__ __forceinline__ bool Next(TileAt* tile) {
    const bool live = !done_;
    const unsigned cluster = blockIdx.x >> ShapeOf<C>(params_).size_log2;
    tile->steps = StepsOfPart(params_, PartOfCluster(params_, tiles_, cluster, tile));
    done_ = true;
    return live;
  }

 private:
  const Params& params_;
  TileScheduler<C> tiles_;
  bool done_ = false;
};

}  // namespace gemm::hopper
