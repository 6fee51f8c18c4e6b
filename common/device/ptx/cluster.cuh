// Clusters: ranks, barriers, the peers' shared memory. PTX ISA 7.8, sm_90.
#pragma once

#include <cuda/ptx>
#include <cuda/std/cstdint>

namespace gemm::device::ptx {

// Rank of this CTA in its cluster; 0 in a launch without clusters.
__device__ __forceinline__ unsigned ClusterRank() { return cuda::ptx::get_sreg_cluster_ctarank(); }

// barrier.cluster.arrive + wait: every thread of every CTA of the cluster must call it, warps converged.
// Release and acquire at cluster scope: shared memory written before it is seen by the peers after it, and no
// CTA passes it (to its exit, say) while a peer still has work in front of it.
__device__ __forceinline__ void ClusterBarrier() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// mapa: the shared::cluster address of `address` (a shared::cta address of this CTA) in the CTA of rank `rank`.
// The own rank is allowed.
__device__ __forceinline__ unsigned MapToRank(unsigned address, unsigned rank) {
  unsigned mapped;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(address), "r"(rank));
  return mapped;
}

}  // namespace gemm::device::ptx
