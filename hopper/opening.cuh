// How a CTA opens its mbarriers: the producer's thread those of its first loads, consumers' all others, and neither waits for what
// the other does next. The producer asks for the first stages at once, and the consumers prepare their way through the tile
// meanwhile. Where they met at one barrier behind those loads, the consumers of a skinny kernel saw the first stage 0.5 us after it had
// come (H200, 2026-11-23).
#pragma once

#include "common/device/ptx/named_barrier.cuh"

namespace gemm::hopper {

// `kConsumers` consumer threads and the producer's warp. Each of the four by whole warps, once.
template <int kConsumers>
struct Opening {
  // The producer's warp: the barriers that it opens stand.
  static __device__ __forceinline__ void ProducersStand() { device::ptx::ArriveThreads(kByProducer, kThreads); }
  // Every consumer warp, when it has opened what it opens.
  static __device__ __forceinline__ void ConsumersStand() { device::ptx::ArriveThreads(kByConsumer, kThreads); }
  // The producer's warp, before it looks at a barrier of the consumers.
  static __device__ __forceinline__ void WaitForConsumers() { device::ptx::SyncThreads(kByConsumer, kThreads); }
  // Every consumer warp, before it looks at any barrier.
  static __device__ __forceinline__ void WaitForProducer() { device::ptx::SyncThreads(kByProducer, kThreads); }

 private:
  static constexpr unsigned kThreads = kConsumers + 32;
  static constexpr unsigned kByProducer = 2;  // 1 is an epilogue's
  static constexpr unsigned kByConsumer = 3;
};

}  // namespace gemm::hopper
