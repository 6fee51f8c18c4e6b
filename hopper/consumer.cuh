// A consumer warpgroup: multiplies the stages into registers, then runs the epilogue.
#pragma once

#include "common/device/ptx/cluster.cuh"
#include "common/device/ptx/grid_dependency.cuh"
#include "hopper/epilogue.cuh"
#include "hopper/main_loop.cuh"
#include "hopper/opening.cuh"
#include "hopper/parallel_split_k.cuh"
#include "hopper/params.h"
#include "hopper/partials.cuh"
#include "hopper/split_k.cuh"
#include "hopper/stream_k.cuh"

namespace gemm::hopper {

// What a consumer waits for before it looks at a barrier or at what an earlier kernel may have written: the barriers of this CTA
// and of its peers, and the kernel's predecessor in the stream.
template <class C>
__device__ __forceinline__ void WaitForOthers(const Params& params) {
  Opening<C::kConsumerThreads>::WaitForProducer();
  device::ptx::GridDependencyWait();
  if (!IsAlone<C>(params)) device::ptx::ClusterWait();
}

// All steps of the tile but the first.
template <class C>
__device__ __forceinline__ void AddOthers(const Params& params, const TileAt& tile, MainLoop<C>& main_loop,
                                          Accumulators<C>& acc) {
  const bool ragged = C::kRagged && params.last_slices < C::kWgmmaSteps;
  main_loop.Others(tile.steps - (ragged ? 2 : 1), acc);
  if (ragged) main_loop.Last(params.last_slices, acc);
}

// A consumer's whole life. By the four warps of a warpgroup; `consumer` numbers it from 0.
template <class C>
__device__ __forceinline__ void Consume(const Params& params, Shared<C>& shared, unsigned cluster_rank,
                                        unsigned consumer, unsigned warp, unsigned lane) {
  constexpr bool kStreamK = C::kSchedule == Schedule::kStreamK;
  MainLoop<C> main_loop(shared, Loaders<C>(params, cluster_rank), cluster_rank, consumer, lane);
  Epilogue<C> epilogue(params, shared, consumer, warp, lane);
  Scheduler<C> scheduler(params, cluster_rank);
  TileAt tile;
  Accumulators<C> acc;
  WaitForOthers<C>(params);
  epilogue.ReadScalars();
  while (scheduler.Next(&tile)) {
    const ClusterSums<C> sums(params, shared, cluster_rank, consumer, warp, lane);
    // Rows beyond the edge: only in step with the ring. In stream-K every part of the tile leaves them out alike.
    if (tile.row + static_cast<int>(consumer) * C::kConsumerOffset >= params.m) {
      main_loop.Pass(tile.steps);
      if constexpr (C::kSplitK) sums.Pass();
      if constexpr (kStreamK) {
        if (params.stream_k.scatters) ScatteredSums<C>(params, shared, tile, consumer, warp, lane).Help();
      }
      continue;
    }
    bool stores = C::kSplitK ? sums.Stores(tile) : Finishes<C>(params, tile);
    main_loop.First(acc);
    if (stores) epilogue.FetchAhead(tile);
    AddOthers<C>(params, tile, main_loop, acc);
    main_loop.Finish(acc);
    if constexpr (kStreamK) {
      if (params.stream_k.scatters) {
        stores = ScatteredSums<C>(params, shared, tile, consumer, warp, lane).Combine(acc);
        if (stores) epilogue.FetchAhead(tile);
      } else {
        PartialSums<C>(params, consumer, warp, lane).Combine(tile, acc);
      }
    }
    if constexpr (C::kSplitK) sums.Combine(tile, acc);
    // Where the warps of a tile have different owners, the ring holds what others still add, and not all warps of a consumer store.
    const bool by_owners = C::kSplitK || (kStreamK && params.stream_k.scatters);
    if (stores) epilogue.Store(tile, acc, !by_owners && !scheduler.HasNext());
  }
  epilogue.Finish();
}

// The same of parallel split K: one part of one tile, whose sums go to workspace.
template <class C>
__device__ __forceinline__ void ConsumePart(const Params& params, Shared<C>& shared, unsigned cluster_rank,
                                            unsigned consumer, unsigned warp, unsigned lane) {
  MainLoop<C> main_loop(shared, Loaders<C>(params, cluster_rank), cluster_rank, consumer, lane);
  Scheduler<C> scheduler(params, cluster_rank);
  TileAt tile;
  Accumulators<C> acc;
  scheduler.Next(&tile);
  WaitForOthers<C>(params);
  if (tile.row + static_cast<int>(consumer) * C::kConsumerOffset >= params.m) {
    main_loop.Pass(tile.steps);
    return;
  }
  main_loop.First(acc);
  main_loop.Others(tile.steps - 1, acc);
  main_loop.Finish(acc);
  device::ptx::GridDependencyLaunchDependents();
  Partials<C>(params, lane).Write(consumer * 4 + warp, acc);
}

}  // namespace gemm::hopper
