// The kernel for operands whose rows start anywhere: that of kernel.cuh, with threads for a copy engine.
#pragma once

#include "common/device/ptx/elect.cuh"
#include "common/device/ptx/grid_dependency.cuh"
#include "hopper/config.cuh"
#include "hopper/consumer.cuh"
#include "hopper/opening.cuh"
#include "hopper/thread_producer.cuh"

namespace gemm::hopper {

template <class C>
__device__ __forceinline__ void GemmAnywhere(const Params& params) {
  extern __shared__ __align__(1024) unsigned char raw[];
  Shared<C>& shared = *reinterpret_cast<Shared<C>*>(raw);
  const unsigned warp = __shfl_sync(0xffffffffu, threadIdx.x / 32, 0);
  const unsigned lane = threadIdx.x % 32;
  if constexpr (!C::kParallelSplitK) device::ptx::GridDependencyLaunchDependents();
  if (warp == 0 && device::ptx::ElectOne()) {
    InitRing(params, shared);
    if constexpr (!C::kParallelSplitK) InitEpilogue(shared);
    device::ptx::FenceBarrierInit();
  }
  __syncthreads();
  // The producers' code in front, as in kernel.cuh, made [k, n] 1x4100x14336 72.8 us for 49.8: ptxas then computes the addresses of copies anew in
  // every step (nvcc 13.0, H200, 2026-11-29).
  if (warp < kRawGroups * kRawWarps) {
    if (warp == 0) Opening<C::kConsumerThreads>::ProducersStand();
    device::ptx::GridDependencyWait();
    ThreadProducer<C>(params, shared, warp).Run();
  } else {
    const unsigned consumer = warp / 4 - C::kProducers;
    if constexpr (C::kParallelSplitK) {
      ConsumePart(params, shared, 0, consumer, warp % 4, lane);
    } else {
      Consume(params, shared, 0, consumer, warp % 4, lane);
    }
  }
}

}  // namespace gemm::hopper
