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

// Clusters have the first part of every tile, then the second, and so on: those that run side by side read the same rows and columns at
// the same time.
template <class C>
class ParallelSplitKScheduler {
 public:
  __device__ __forceinline__ ParallelSplitKScheduler(const Params& params, unsigned cluster_rank)
      : params_(params), tiles_(params, cluster_rank) {}

  // Fills *tile; false when none is left.
  __device__ __forceinline__ bool Next(TileAt* tile) {
    const bool live = !done_;
    const unsigned cluster = blockIdx.x >> ShapeOf<C>(params_).size_log2;
    const unsigned part = params_.stream_k.apart.Quotient(cluster);  // from the beginning of K
    tiles_.Locate(cluster - part * params_.stream_k.apart.divisor, tile);
    tile->first_step = part * params_.split_k.each + min(part, params_.split_k.rest);
    tile->steps = params_.split_k.each + (part < params_.split_k.rest ? 1 : 0);
    done_ = true;
    return live;
  }

 private:
  const Params& params_;
  TileScheduler<C> tiles_;
  bool done_ = false;
};

}  // namespace gemm::hopper
