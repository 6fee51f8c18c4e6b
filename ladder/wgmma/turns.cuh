// Ping-pong: the consumers' turns at the ring.
//
// A consumer that has stored its tile runs ahead of the stages that the other still has to take. Barriers tell odd phases
// from even ones only, so it must not look at a stage before the other has seen the one before it in the same place.
#pragma once

#include "common/device/ptx/mbarrier.cuh"
#include "ladder/wgmma/config.h"

namespace gemm::ladder {

// By one thread.
template <class C>
__device__ __forceinline__ void InitTurns(WgmmaShared<C>& shared) {
  for (BarrierWord& turn : shared.turn) device::ptx::InitBarrier(&turn, 4);
}

// By every thread of the consumer that multiplies the block's tile `number`, before it looks at its first stage.
template <class C>
__device__ __forceinline__ void WaitTurn(WgmmaShared<C>& shared, unsigned number) {
  if (number > 0) device::ptx::WaitParity(&shared.turn[number % 2], (number - 1) / 2 % 2);
}

// By every warp that has seen the tile's last stage: the other consumer may begin with the next tile.
template <class C>
__device__ __forceinline__ void PassTurn(WgmmaShared<C>& shared, unsigned number, unsigned lane) {
  if (lane == 0) device::ptx::Arrive(&shared.turn[(number + 1) % 2]);
}

}  // namespace gemm::ladder
