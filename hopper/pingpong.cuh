// The two consumer warpgroups of Schedule::kPingpong: consumer w computes the CTA's tiles w, w + 2, ... alone,
// and one runs its epilogue while the other multiplies.
//
// Main loops take turns: wgmma of two tiles at once would share the tensor cores, both would end late, and
// both epilogues would find them idle. A warpgroup hands the turn over when the last wgmma of its tile is
// issued, not when it has finished: the other's queue up behind it. The producer loads the tiles in their order
// and knows nothing of this.
#pragma once

#include "hopper/consumer.cuh"

namespace gemm::hopper {

// By one thread, as InitOthers (pipeline.cuh).
template <class C>
__device__ __forceinline__ void InitTurns(Shared<C>& shared) {
  for (int i = 0; i < 2; ++i) device::ptx::InitBarrier(&shared.turn[i], 4);
}

// Blocks until the other consumer has issued the tile before the CTA's tile number `tile`. Tile 0 has none
// before it: it waits for the phase before the first, which counts as over.
template <class C>
__device__ __forceinline__ void WaitTurn(Shared<C>& shared, unsigned consumer, unsigned tile) {
  device::ptx::WaitParity(&shared.turn[consumer], (tile / 2 ^ consumer ^ 1) & 1);
}

// By every warp of the consumer that has the turn. After a CTA's last tile nobody waits for it.
template <class C>
__device__ __forceinline__ void PassTurn(Shared<C>& shared, unsigned consumer, unsigned lane) {
  if (lane == 0) device::ptx::Arrive(&shared.turn[consumer ^ 1]);
}

// A consumer's whole life. By the four warps of a warpgroup; `consumer` is 0 or 1.
template <class C>
__device__ __forceinline__ void ConsumeByTurns(const Params& params, Shared<C>& shared, unsigned cluster_rank,
                                               unsigned consumer, unsigned warp, unsigned lane) {
  MainLoop<C> main_loop(shared, Loaders<C>(params, cluster_rank), cluster_rank, consumer, lane);
  Epilogue<C> epilogue(params, shared, consumer, warp, lane);
  TileScheduler<C> scheduler(params, cluster_rank);
  TileAt tile;
  Accumulators<C> acc;
  WaitForOthers<C>(params);
  epilogue.ReadScalars();
  for (unsigned number = 0; scheduler.Next(&tile); ++number) {
    if (number % 2 != consumer) {
      main_loop.Skip(tile.steps);
      continue;
    }
    epilogue.FetchAhead(tile);
    WaitTurn(shared, consumer, number);
    main_loop.First(acc);
    AddOthers<C>(params, tile, main_loop, acc);
    PassTurn(shared, consumer, lane);
    main_loop.Finish(acc);
    epilogue.Store(tile, acc, false);  // its rows of A are the other's too
  }
  epilogue.Finish();
}

}  // namespace gemm::hopper
