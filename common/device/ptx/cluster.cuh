// Clusters: ranks, barriers, the peers' shared memory. PTX ISA 7.8, sm_90.
#pragma once

#include <cuda/ptx>
#include <cuda/std/cstdint>

namespace gemm::device::ptx {

// Rank of this CTA in its cluster; 0 in a launch without clusters.
__device__ __forceinline__ unsigned ClusterRank() { return cuda::ptx::get_sreg_cluster_ctarank(); }

// Number of this cluster in a grid of one dimension.
__device__ __forceinline__ unsigned ClusterNumber() { return cuda::ptx::get_sreg_clusterid_x(); }

// barrier.cluster.arrive, relaxed: every thread of every CTA of the cluster must call it, warps converged, and then
// ClusterWait(). Orders nothing but what FenceBarrierInit() has released, so that peers may use mbarriers that were
// initialised before it. Costs no MEMBAR.ALL.GPU, which the releasing form is compiled to.
__device__ __forceinline__ void ClusterArriveRelaxed() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}

// barrier.cluster.wait: until all threads of the cluster have arrived or exited. Acquire at cluster scope.
__device__ __forceinline__ void ClusterWait() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// mapa: the shared::cluster address of `address` (a shared::cta address of this CTA) in the CTA of rank `rank`.
// The own rank is allowed.
__device__ __forceinline__ unsigned MapToRank(unsigned address, unsigned rank) {
  unsigned mapped;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(address), "r"(rank));
  return mapped;
}

// st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 (PTX ISA 8.1): four floats to shared memory of
// any CTA of the cluster, whose 16 bytes are counted on an mbarrier of the same CTA; both addresses are MapToRank's,
// `address` a multiple of 16. Whoever waits for that mbarrier sees the floats; the sender needs no fence and waits for
// nothing. By any thread, in a launch with clusters only (elsewhere an H200 traps).
__device__ __forceinline__ void StoreAsync4(unsigned address, float x, float y, float z, float w,
                                            unsigned barrier) {
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(
          address),
      "f"(x), "f"(y), "f"(z), "f"(w), "r"(barrier)
      : "memory");
}

}  // namespace gemm::device::ptx
