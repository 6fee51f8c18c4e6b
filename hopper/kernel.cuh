// The kernel: opens the barriers, splits the roles, closes the cluster.
#pragma once

#include "common/device/ptx/cluster.cuh"
#include "common/device/ptx/elect.cuh"
#include "common/device/ptx/grid_dependency.cuh"
#include "common/device/ptx/setmaxnreg.cuh"
#include "hopper/config.cuh"
#include "hopper/consumer.cuh"
#include "hopper/pingpong.cuh"
#include "hopper/producer.cuh"

namespace gemm::hopper {

template <class C>
__device__ __forceinline__ void BarrierOfCluster() {
  if constexpr (C::kClusterSize > 1) {
    device::ptx::ClusterBarrier();
  } else {
    __syncthreads();
  }
}

template <class C>
__device__ __forceinline__ void Gemm(const Params& params) {
  extern __shared__ __align__(1024) unsigned char raw[];
  Shared<C>& shared = *reinterpret_cast<Shared<C>*>(raw);
  // Through a shuffle, so that the compiler knows it is the same in the whole warp.
  const unsigned warp = __shfl_sync(0xffffffffu, threadIdx.x / 32, 0);
  const unsigned lane = threadIdx.x % 32;
  const unsigned rank = C::kClusterSize > 1 ? device::ptx::ClusterRank() : 0;

  if (threadIdx.x == 0) {
    device::ptx::PrefetchMap(&params.a);
    device::ptx::PrefetchMap(&params.b);
    if (params.whole_columns > 0) device::ptx::PrefetchMap(&params.d);
    InitPipeline(shared);
    InitEpilogue(shared);
    if constexpr (C::kPingpong) InitTurns(shared);
    device::ptx::FenceBarrierInit();
  }
  BarrierOfCluster<C>();
  device::ptx::GridDependencyWait();  // before this: nothing that an earlier kernel may write

  if (warp < 4) {
    device::ptx::ReleaseRegisters<C::kProducerRegisters>();
    if (warp == 0 && device::ptx::ElectOne()) {
      Produce(params, shared, rank);
      device::ptx::GridDependencyLaunchDependents();
    }
    __syncwarp();
  } else {
    device::ptx::AcquireRegisters<C::kConsumerRegisters>();
    ClearUnloadedRows(params, shared, threadIdx.x - 128);
    if constexpr (C::kPingpong) {
      ConsumeByTurns(params, shared, rank, warp / 4 - 1, warp % 4, lane);
    } else {
      Consume(params, shared, rank, warp / 4 - 1, warp % 4, lane);
    }
  }
  // No CTA leaves while a peer may still write into its shared memory or arrive at its barriers.
  BarrierOfCluster<C>();
}

}  // namespace gemm::hopper
