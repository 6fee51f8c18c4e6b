// The ring of stages between producer and consumers.
#pragma once

#include "common/device/ptx/cluster.cuh"
#include "common/device/ptx/mbarrier.cuh"
#include "common/device/ptx/tma.cuh"
#include "hopper/loaders.cuh"
#include "hopper/shared.cuh"

namespace gemm::hopper {

// A role's position in the ring. Every role walks all stages in order; the phase flips with each turn of the
// ring.
template <class C>
struct RingPosition {
  unsigned stage = 0;
  unsigned phase = 0;

  __device__ __forceinline__ void Advance() {
    if (++stage == C::kStages) {
      stage = 0;
      phase ^= 1;
    }
  }

  __device__ __forceinline__ void Advance(unsigned steps) {
    stage += steps;
    phase ^= stage / C::kStages & 1;
    stage %= C::kStages;
  }
};

// The most stages that the producer asks for before it has met the consumers (opening.cuh), in a cluster each CTA all of them for itself.
// There one takes 0.98 to 0.995 of the time of two where rows start off lines, since asking for what peers would have brought takes longer
// than the cluster's barrier; on lines pairs take 0.997, larger clusters 0.99 to 1.02 by few times. With none, up to 2% longer than with one
// (H200, 2026-11-27; K-major operands).
constexpr unsigned kFirstStages = 2;
template <class C>
__device__ __forceinline__ unsigned FirstStages(const Params& params) {
  return C::kKMajor && !IsAlone<C>(params) ? 1 : kFirstStages;
}

// Each by one thread, which FenceBarrierInit() follows: the barriers of the first stages by the thread that produces, before its loads,
// all others by consumers. One takes 10 cycles, and not the lanes of a warp together.
template <class C>
__device__ __forceinline__ void InitFirst(Shared<C>& shared) {
#pragma unroll
  for (unsigned i = 0; i < kFirstStages; ++i) device::ptx::InitBarrier(&shared.full[i], 1);
}
template <class C>
__device__ __forceinline__ void InitOthers(Shared<C>& shared) {
#pragma unroll
  for (unsigned i = kFirstStages; i < C::kStages; ++i) device::ptx::InitBarrier(&shared.full[i], 1);
}
template <class C>
__device__ __forceinline__ void InitEmpty(const Params& params, Shared<C>& shared, unsigned cluster_rank) {
  if (IsAlone<C>(params)) {
#pragma unroll
    for (unsigned i = 0; i < C::kStages; ++i)
      device::ptx::InitBarrier(&shared.empty[i], Loaders<C>::kOwnReaders);
  } else {
    const unsigned others = Loaders<C>(params, cluster_rank).Others();
#pragma unroll
    for (unsigned i = 0; i < C::kStages; ++i) {
      device::ptx::InitBarrier(&shared.empty[i], Loaders<C>::Readers(others, i));
    }
  }
}

// Producer thread: waits until every reader has handed the stage back; at once on the first turn, which need not ask. It then
// announces the bytes of the stage, this CTA's loads and its peers' alike, on shared.full, where the loads count them: that is
// the commit.
template <class C>
__device__ __forceinline__ void AcquireStage(Shared<C>& shared, const RingPosition<C>& at) {
  device::ptx::WaitParity(&shared.empty[at.stage], at.phase ^ 1);
}

// Consumers: waits for the stage's bytes. Those that threads have stored are made visible to wgmma here: where the threads did so that store,
// which have copies under way, products took 1.01 to 1.16 of the time (H200, 2026-11-29, docs/perf/unaligned.md).
template <class C>
__device__ __forceinline__ void WaitStage(Shared<C>& shared, const RingPosition<C>& at) {
  device::ptx::WaitParity(&shared.full[at.stage], at.phase);
  if constexpr (C::kStartsAnywhere) device::ptx::FenceSharedForAsync();
}

// Hands a stage back to the producers that write into this CTA's: its own, and those whose turn it is to load the stage's A or B. One
// lane of each warp arrives at one of them, so that the remote arrivals of a cluster cost one instruction. They are few because they are
// dear: where each CTA of a cluster of 2x4 loaded slices of every stage, and each warp arrived at all eight CTAs, 64x64 took
// 45.8 us at 512x1536x8192, with one arrival of each warpgroup 40.9, and so 31.8 (H200, 2026-11-26).
template <class C>
class StageReleaser {
 public:
  __device__ __forceinline__ StageReleaser(Shared<C>& shared, const Loaders<C>& loaders, unsigned cluster_rank,
                                           unsigned lane)
      : stages_(loaders.StagesOfPeer(lane)),
        first_empty_(device::ptx::MapToRank(device::ptx::SharedAddress(&shared.empty[0]),
                                            stages_ != 0 ? loaders.RankOfPeer(lane) : cluster_rank)) {}

  // By every warp of every consumer that reads the stage, once its wgmma on it have finished.
  __device__ __forceinline__ void Release(unsigned stage) const {
    const bool arrives = C::kEverInCluster ? (stages_ >> stage & 1) != 0 : stages_ != 0;
    if (arrives) device::ptx::ArriveCluster(first_empty_ + stage * 8);
  }

 private:
  unsigned stages_;       // bits of those that this lane hands back
  unsigned first_empty_;  // shared::cluster address of empty[0] in the CTA that this lane serves
};

}  // namespace gemm::hopper
