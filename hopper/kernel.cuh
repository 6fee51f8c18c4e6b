// The kernel: opens the barriers, splits the roles, closes the cluster.
#pragma once

#include "common/device/ptx/cluster.cuh"
#include "common/device/ptx/elect.cuh"
#include "common/device/ptx/grid_dependency.cuh"
#include "common/device/ptx/setmaxnreg.cuh"
#include "hopper/config.cuh"
#include "hopper/consumer.cuh"
#include "hopper/opening.cuh"
#include "hopper/pingpong.cuh"
#include "hopper/producer.cuh"

namespace gemm::hopper {

// What consumers open beside the producer's first stages: by one thread of each of the first four consumer warps, so that none does all
// of it before the producer may go on.
template <class C>
__device__ __forceinline__ void OpenConsumers(const Params& params, Shared<C>& shared, unsigned rank,
                                              unsigned warp) {
  if (warp == 4) {
    InitEmpty(params, shared, rank);
  } else if (warp == 5) {
    InitOthers(shared);
    if constexpr (C::kPingpong) InitTurns(shared);
  } else if (warp == 6) {
    if constexpr (!C::kParallelSplitK) InitEpilogue(shared);
    if constexpr (C::kSplitK) InitSplitK(params, shared);
  } else {
    PrefetchRaggedMaps<C>(params);
    if (params.whole_columns > 0 || (OwnsTiles(C::kSchedule) && params.transposed == kTransposedUnits &&
                                     params.output_type != device::kElementFP32)) {
      device::ptx::PrefetchMap(&params.d);
    }
    if constexpr (C::kStoresSectors) {
      if (params.by_sectors) SectorStore<C>::PrefetchMaps(params);
    }
  }
  device::ptx::FenceBarrierInit();
}

// The first warpgroup: one thread produces.
template <class C>
__device__ __forceinline__ void RunProducers(const Params& params, Shared<C>& shared, unsigned rank,
                                             unsigned warp) {
  using CtaOpening = Opening<C::kConsumerThreads>;
  const bool alone = IsAlone<C>(params);
  if constexpr (C::kMovesRegisters) device::ptx::ReleaseRegisters<C::kProducerRegisters>();
  // Its lane is elected anew each time and kept in no variable, so that ptxas knows that one lane is left: else it issues each
  // copy in a loop over the warp's lanes, and that is slower than a small tile's wgmma (tests/codegen).
  const bool producer_warp = warp == 0;
  if (producer_warp) {
    if (device::ptx::ElectOne()) {
      InitFirst(shared);
      device::ptx::FenceBarrierInit();
    }
    __syncwarp();
  }
  // A peer may be the first to load into the second stage.
  if (!alone) device::ptx::ClusterArriveRelaxed();
  Producer<C> producer(params, shared, rank);
  if (producer_warp) {
    if (device::ptx::ElectOne()) producer.FirstSteps();
    __syncwarp();
    CtaOpening::ProducersStand();
    CtaOpening::WaitForConsumers();
    if (device::ptx::ElectOne()) producer.EarlySteps();
    __syncwarp();
  }
  if (!alone) device::ptx::ClusterWait();
  if (producer_warp) {
    if (device::ptx::ElectOne()) {
      producer.OtherSteps();
      // Also where there is no peer: with a copy as the last thing of a stream-K producer, ptxas issues them all in loops over lanes.
      producer.Drain();
    }
    __syncwarp();
  }
}

// The other warpgroups.
template <class C>
__device__ __forceinline__ void RunConsumers(const Params& params, Shared<C>& shared, unsigned rank,
                                             unsigned warp, unsigned lane) {
  if (warp < 8 && device::ptx::ElectOne()) OpenConsumers(params, shared, rank, warp);
  __syncwarp();
  if (!IsAlone<C>(params)) device::ptx::ClusterArriveRelaxed();
  Opening<C::kConsumerThreads>::ConsumersStand();
  if constexpr (C::kMovesRegisters) device::ptx::AcquireRegisters<C::kConsumerRegisters>();
  if constexpr (C::kPingpong) {
    ConsumeByTurns(params, shared, rank, warp / 4 - 1, warp % 4, lane);
  } else if constexpr (C::kParallelSplitK) {
    ConsumePart(params, shared, rank, warp / 4 - 1, warp % 4, lane);
  } else {
    Consume(params, shared, rank, warp / 4 - 1, warp % 4, lane);
  }
}

// A CTA of a cluster may exit when no peer writes into its shared memory or arrives at its barriers any more: its
// consumers have waited for every byte, and its producer waits for every arrival (Producer::Drain).
template <class C>
__device__ __forceinline__ void Gemm(const Params& params) {
  extern __shared__ __align__(1024) unsigned char raw[];
  Shared<C>& shared = *reinterpret_cast<Shared<C>*>(raw);
  // Through a shuffle, so that the compiler knows it is the same in the whole warp.
  const unsigned warp = __shfl_sync(0xffffffffu, threadIdx.x / 32, 0);
  const unsigned lane = threadIdx.x % 32;
  // The next kernel may start as soon as all CTAs of this one have; what it may read early is its own affair. That of parallel split K
  // starts when the main loop has ended (ConsumePart): 0.98 of the time of starting here (H200, 2026-11-27; why is not known).
  if constexpr (!C::kParallelSplitK) device::ptx::GridDependencyLaunchDependents();
  const unsigned rank = device::ptx::ClusterRank();

  // The way to the first byte counts: one thread opens the first stages and asks for them, while consumers' open the rest.
  if constexpr (C::kPingpong) {
    if (warp < 4) {
      RunProducers(params, shared, rank, warp);
    } else {
      RunConsumers(params, shared, rank, warp, lane);
    }
  } else {
    // With __syncwarp for an else ptxas leaves the producer's code in front, and does not put it behind the consumers', 75 KB and a miss of
    // the instruction cache away (docs/perf/hopper/cold.md). So written, ping-pong 128x192 spills.
    if (warp < 4) RunProducers(params, shared, rank, warp);
    __syncwarp();
    if (warp >= 4) RunConsumers(params, shared, rank, warp, lane);
  }
}

}  // namespace gemm::hopper
