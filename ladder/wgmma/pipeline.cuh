// A producer that keeps a ring of stages filled and consumers that empty it, each waiting for the other by full and empty
// barriers.
#pragma once

#include "common/device/ptx/elect.cuh"
#include "common/device/ptx/setmaxnreg.cuh"
#include "ladder/wgmma/epilogue.cuh"
#include "ladder/wgmma/tile_walk.cuh"
#include "ladder/wgmma/turns.cuh"

namespace gemm::ladder {

// A role's place in the ring; the phase flips with each turn.
template <class C>
struct RingPlace {
  unsigned stage = 0;
  unsigned phase = 0;

  __device__ __forceinline__ void Advance(unsigned steps = 1) {
    stage += steps;
    phase ^= stage / C::kStages & 1;
    stage %= C::kStages;
  }
};

// By one thread: the tile's C into the L2, so that the epilogue does not wait for memory.
template <class C>
__device__ __forceinline__ void FetchAhead(const TmaParams& p, const WalkedTile& tile) {
  if (p.p.beta == 0) return;
  for (int n = 0; n < C::kTileN; n += 32) device::ptx::PrefetchTile(&p.c, tile.column + n, tile.row, 0);
}

// By one thread.
template <class C>
__device__ __forceinline__ void Produce(const TmaParams& p, WgmmaShared<C>& shared) {
  RingPlace<C> at;
  TileWalk<C> walk(p.p);
  WalkedTile tile;
  while (walk.Next(&tile)) {
    if constexpr (C::kAhead) FetchAhead<C>(p, tile);
    for (int k = 0; k < p.p.k; k += C::kTileK) {
      device::ptx::WaitParity(&shared.empty[at.stage], at.phase ^ 1);  // at once in the first turn
      LoadStage<C>(p, shared, at.stage, tile.row, tile.column, k);
      at.Advance();
    }
  }
}

// By a consumer warpgroup: the block's tile `number`. One batch of products stays in flight; the stage before it is handed
// back.
template <class C>
__device__ __forceinline__ void MultiplyTile(WgmmaShared<C>& shared, RingPlace<C>& at, unsigned number,
                                             int steps, int group_row, unsigned lane, Sums<C>& sums) {
  if constexpr (C::kPingPong) WaitTurn<C>(shared, number);
  unsigned previous = 0;
  for (int step = 0; step < steps; ++step) {
    device::ptx::WaitParity(&shared.full[at.stage], at.phase);
    if (step == 0) FenceSums<C>(sums);
    MultiplyStage<C>(shared, at.stage, group_row, step == 0, sums);
    if (step > 0) {
      device::ptx::WgmmaWait<1>();
      if (lane == 0) device::ptx::Arrive(&shared.empty[previous]);
    }
    previous = at.stage;
    at.Advance();
  }
  if constexpr (C::kPingPong) PassTurn<C>(shared, number, lane);
  device::ptx::WgmmaWait<0>();
  FenceSums<C>(sums);
  if (lane == 0) device::ptx::Arrive(&shared.empty[previous]);
}

// Consumers that share a tile take its halves; under ping-pong each takes every second tile and leaves the other's stages.
template <class C>
__device__ __forceinline__ void Consume(const TmaParams& p, WgmmaShared<C>& shared, unsigned group,
                                        unsigned warp, unsigned lane) {
  const int steps = p.p.k / C::kTileK;
  const int group_row = C::kPingPong ? 0 : group * C::kGroupRows;
  RingPlace<C> at;
  TileWalk<C> walk(p.p);
  WalkedTile tile;
  Sums<C> sums;
  for (unsigned number = 0; walk.Next(&tile); ++number) {
    if (C::kPingPong && number % 2 != group) {
      at.Advance(steps);
      continue;
    }
    MultiplyTile<C>(shared, at, number, steps, group_row, lane, sums);
    const int row = tile.row + group_row + warp * 16;
    if constexpr (C::kEpilogue == Epilogue::kStaged) {
      StoreStaged<C>(p.p, row, tile.column, lane, shared.staging[group * 4 + warp], sums);
    } else {
      StoreDirect<C>(p.p, row, tile.column, lane, sums);
    }
  }
}

template <class C>
__device__ __forceinline__ void Pipeline(const TmaParams& p) {
  extern __shared__ __align__(1024) unsigned char raw[];
  auto& shared = *reinterpret_cast<WgmmaShared<C>*>(raw);
  // Through a shuffle, so that the compiler knows it is the same in the whole warp.
  const unsigned warp = __shfl_sync(0xffffffffu, threadIdx.x / 32, 0);
  if (threadIdx.x == 0) {
    for (int i = 0; i < C::kStages; ++i) {
      device::ptx::InitBarrier(&shared.full[i], 1);
      device::ptx::InitBarrier(&shared.empty[i], 4 * C::kSharers);
    }
    if constexpr (C::kPingPong) InitTurns<C>(shared);
    device::ptx::FenceBarrierInit();
  }
  __syncthreads();
  if (warp < 4) {
    device::ptx::ReleaseRegisters<40>();
    if (warp == 0 && device::ptx::ElectOne()) Produce<C>(p, shared);
  } else {
    device::ptx::AcquireRegisters<232>();
    Consume<C>(p, shared, warp / 4 - 1, warp % 4, threadIdx.x % 32);
  }
}

}  // namespace gemm::ladder
