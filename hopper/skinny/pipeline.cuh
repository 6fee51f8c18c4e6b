// The ring of stages between the producer and the consumers of one CTA; the cluster shares none of it.
#pragma once

#include "hopper/pipeline.cuh"
#include "hopper/skinny/shared.cuh"

namespace gemm::hopper::skinny {

// Each by one thread, which FenceBarrierInit() follows: the barrier of the first stage by the thread that produces, before its
// loads, and all others of the ring by a consumer's.
template <class C>
__device__ __forceinline__ void InitFirst(Shared<C>& shared) {
  device::ptx::InitBarrier(&shared.full[0], 1);
}
template <class C>
__device__ __forceinline__ void InitOthers(Shared<C>& shared) {
#pragma unroll
  for (int i = 1; i < C::kStages; ++i) device::ptx::InitBarrier(&shared.full[i], 1);
#pragma unroll
  for (int i = 0; i < C::kStages; ++i) device::ptx::InitBarrier(&shared.empty[i], C::kConsumerThreads / 32);
}

// Consumers: waits for the stage's bytes.
template <class C>
__device__ __forceinline__ void WaitStage(Shared<C>& shared, const RingPosition<C>& at) {
  device::ptx::WaitParity(&shared.full[at.stage], at.phase);
}

// By every consumer warp, once its wgmma on the stage have finished.
template <class C>
__device__ __forceinline__ void ReleaseStage(Shared<C>& shared, unsigned stage, unsigned lane) {
  if (lane == 0) device::ptx::Arrive(&shared.empty[stage]);
}

}  // namespace gemm::hopper::skinny
