// The ring of stages between the producers and the consumers of the CTAs that share the narrow operand.
#pragma once

#include "hopper/pipeline.cuh"
#include "hopper/skinny/shared.cuh"
#include "hopper/skinny/walk.cuh"

namespace gemm::hopper::skinny {

// By the thread that will produce, before it does; FenceBarrierInit() follows, and a barrier of the CTA (of the
// cluster, for its peers) before anyone else looks.
template <class C>
__device__ __forceinline__ void InitPipeline(const Params& params, Shared<C>& shared) {
#pragma unroll
  for (int i = 0; i < C::kStages; ++i) {
    device::ptx::InitBarrier(&shared.full[i], 1);
    device::ptx::InitBarrier(&shared.empty[i], 4 * C::kRowGroups * params.share);
  }
}

// Consumers: waits for the stage's bytes.
template <class C>
__device__ __forceinline__ void WaitStage(Shared<C>& shared, const RingPosition<C>& at) {
  device::ptx::WaitParity(&shared.full[at.stage], at.phase);
}

// Hands stages back to all producers that write into this CTA. One lane of each warp arrives at each of them.
struct StageReleaser {
  unsigned first_empty;  // shared::cluster address of empty[0] in the CTA that this lane serves
  bool arrives;

  template <class C>
  __device__ __forceinline__ StageReleaser(const Params& params, Shared<C>& shared, Place place, unsigned lane)
      : arrives(lane < params.share) {
    first_empty = device::ptx::MapToRank(device::ptx::SharedAddress(&shared.empty[0]),
                                         RankOf(params, place.k, arrives ? lane : place.tile));
  }

  // By every warp that reads the stage, once its wgmma on it have finished.
  __device__ __forceinline__ void Release(unsigned stage) const {
    if (arrives) device::ptx::ArriveCluster(first_empty + stage * 8);
  }
};

}  // namespace gemm::hopper::skinny
