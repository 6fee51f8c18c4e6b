// The skinny kernel: opens the barriers and splits the roles. Nothing that the producer can leave to others stands before its first
// load: for a product of few microseconds the way to the first byte counts.
#pragma once

#include "common/device/ptx/cluster.cuh"
#include "common/device/ptx/elect.cuh"
#include "common/device/ptx/grid_dependency.cuh"
#include "hopper/opening.cuh"
#include "hopper/skinny/consumer.cuh"
#include "hopper/skinny/producer.cuh"

namespace gemm::hopper::skinny {

template <class C>
__device__ __forceinline__ void Gemm(const Params& params) {
  extern __shared__ __align__(1024) unsigned char raw[];
  Shared<C>& shared = *reinterpret_cast<Shared<C>*>(raw);
  // The next kernel may start as soon as all CTAs of this one have; what it may read early is its own affair.
  device::ptx::GridDependencyLaunchDependents();
  // Through a shuffle, so that the compiler knows it is the same in the whole warp.
  const unsigned warp = __shfl_sync(0xffffffffu, threadIdx.x / 32, 0);
  using CtaOpening = Opening<C::kConsumerThreads>;

  const bool is_producer = warp == C::kConsumerThreads / 32;
  if (is_producer) {
    Producer<C> producer(params, shared, device::ptx::ClusterRank());
    if (device::ptx::ElectOne()) {
      InitFirst(shared);
      device::ptx::FenceBarrierInit();
      producer.FirstStage();
    }
    __syncwarp();
    CtaOpening::ProducersStand();
    if (params.split > 1) device::ptx::ClusterArriveRelaxed();
    CtaOpening::WaitForConsumers();
    if (device::ptx::ElectOne()) producer.OtherStages();
    __syncwarp();
    if (params.split > 1) device::ptx::ClusterWait();
  }
  // Instead of an else, so that ptxas leaves the producer's code in front (hopper/kernel.cuh).
  __syncwarp();
  if (!is_producer) {
    if (warp == 0) {
      if (device::ptx::ElectOne()) {
        InitOthers(shared);
        InitReduction(params, shared);
        device::ptx::InitBarrier(&shared.released, 1);
        device::ptx::FenceBarrierInit();
      }
      __syncwarp();
    }
    CtaOpening::ConsumersStand();
    if (params.split > 1) device::ptx::ClusterArriveRelaxed();
    Consume(params, shared, device::ptx::ClusterRank(), warp, threadIdx.x);
  }
}

}  // namespace gemm::hopper::skinny
