// Clusters: ranks, barriers, the peers' shared memory. PTX ISA 7.8, sm_90.
#pragma once

#include <cuda/ptx>
#include <cuda/std/cstdint>

namespace gemm::device::ptx {

// Rank of this CTA in its cluster; 0 in a launch without clusters.
__device__ __forceinline__ unsigned ClusterRank() { return cuda::ptx::get_sreg_cluster_ctarank(); }

// CTAs in this cluster; 1 in a launch without clusters.
__device__ __forceinline__ unsigned ClusterSize() { return cuda::ptx::get_sreg_cluster_nctarank(); }

// barrier.cluster.arrive: every thread of every CTA of the cluster must call it, warps converged, and then
// ClusterWait(). Release at cluster scope.
__device__ __forceinline__ void ClusterArrive() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}

// barrier.cluster.wait: until all threads of the cluster have arrived or exited. Acquire at cluster scope.
__device__ __forceinline__ void ClusterWait() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// Both: shared memory written before it is seen by the peers after it, and no CTA passes it (to its exit, say)
// while a peer still has work in front of it.
__device__ __forceinline__ void ClusterBarrier() {
  ClusterArrive();
  ClusterWait();
}

// mapa: the shared::cluster address of `address` (a shared::cta address of this CTA) in the CTA of rank `rank`.
// The own rank is allowed.
__device__ __forceinline__ unsigned MapToRank(unsigned address, unsigned rank) {
  unsigned mapped;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(address), "r"(rank));
  return mapped;
}

// st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 (PTX ISA 8.1): two floats to shared
// memory of any CTA of the cluster, whose 8 bytes are counted on an mbarrier of the same CTA; both addresses
// are MapToRank's, `address` a multiple of 8. Whoever waits for that mbarrier sees the floats; the sender
// needs no fence and waits for nothing. By any thread.
__device__ __forceinline__ void StoreAsync2(unsigned address, float x, float y, unsigned barrier) {
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 [%0], {%1, %2}, [%3];" ::"r"(address),
      "f"(x), "f"(y), "r"(barrier)
      : "memory");
}

}  // namespace gemm::device::ptx
