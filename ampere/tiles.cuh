// A CTA of a kernel whose grid is persistent (kPersistent): tile after tile.
#pragma once

#include "ampere/config.h"
#include "ampere/consumer.cuh"
#include "ampere/params.h"
#include "ampere/pipeline.cuh"
#include "ampere/task.cuh"

namespace gemm::ampere {

// Tiles that the calling warp has begun. In shared memory, because the main loop has no register for it.
template <typename Config>
__device__ __forceinline__ volatile int& StartedOf(Shared<Config>& shared) {
  return *static_cast<volatile int*>(&shared.started[threadIdx.x / 32]);
}
// The CTA's tile after `round` others.
__device__ __forceinline__ long long TileOf(int round) {
  return static_cast<long long>(round) * gridDim.x + blockIdx.x;
}

// Tile after tile. The ring is filled for the next one before the sums of the last are written, so that copies and stores are under
// way together, and no CTA is launched in between. The barriers of a main loop stand between all staging and the copies to the
// stage below it.
template <typename Config>
__device__ __forceinline__ void RunTiles(const Params& params, Shared<Config>& shared) {
  Accumulators<Config> sums;
  volatile int& started = StartedOf(shared);
  if (threadIdx.x % 32 == 0) started = 0;
  __syncwarp();
#pragma unroll 1
  for (;;) {
    const int round = started;
    const bool has_tile = TileOf(round) < params.schedule.tiles;
    MainLoop<Config> loop = StartLoop<Config>(params, {TileOf(round), kWhole}, shared);
    if (has_tile) loop.Start();
    if (round > 0) {
      MakeEpilogue<Config>(params, Share<Config>(params, TileOf(round - 1)))
          .Run(sums, shared.staging.of_warp[threadIdx.x / 32]);
    }
    if (!has_tile) break;
    __syncwarp();
    if (threadIdx.x % 32 == 0) started = round + 1;
    __syncwarp();
    loop.Run(sums, [&] { PrefetchC<Config>(params, [&] { return TileOf(started - 1); }); });
  }
}

}  // namespace gemm::ampere
