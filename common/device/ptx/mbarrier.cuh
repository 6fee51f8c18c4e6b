// mbarrier: what libcu++ has is called by its name there; here is what it lacks or spells at a price. PTX
// ISA 8.0, sm_90.
#pragma once

#include <cuda/ptx>
#include <cuda/std/cstdint>

namespace gemm::device::ptx {

using Barrier = cuda::std::uint64_t;

// A shared::cta address as the 32 bits that instructions take.
__device__ __forceinline__ unsigned SharedAddress(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

// mbarrier.init. By one thread, before anyone uses the barrier; then FenceBarrierInit() by the same thread and
// a barrier of the CTA (of the cluster, when peers arrive on it).
__device__ __forceinline__ void InitBarrier(Barrier* barrier, unsigned arrivals) {
  cuda::ptx::mbarrier_init(barrier, arrivals);
}

// fence.mbarrier_init.release.cluster: makes initialised barriers visible to the cluster and to the copy
// engine.
__device__ __forceinline__ void FenceBarrierInit() {
  cuda::ptx::fence_mbarrier_init(cuda::ptx::sem_release, cuda::ptx::scope_cluster);
}

// One arrival that also announces `bytes` which bulk copies will bring; the phase ends when all arrivals and
// all bytes have come. Bytes may come before their announcement.
__device__ __forceinline__ void ArriveExpectBytes(Barrier* barrier, unsigned bytes) {
  cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta, cuda::ptx::space_shared,
                                       barrier, bytes);
}

// mbarrier.arrive.release.cta: one arrival on a barrier of this CTA. What the thread did before it is visible to whoever
// has waited for the phase that it completes.
__device__ __forceinline__ void Arrive(Barrier* barrier) {
  cuda::ptx::mbarrier_arrive(cuda::ptx::sem_release, cuda::ptx::scope_cta, cuda::ptx::space_shared, barrier);
}

// Blocks until the phase of the given parity is over. Acquire at CTA scope: what the arrivals released, and
// what the copies they counted wrote, is visible afterwards.
__device__ __forceinline__ void WaitParity(Barrier* barrier, unsigned parity) {
  while (!cuda::ptx::mbarrier_try_wait_parity(barrier, parity)) {
  }
}

// Whether the phase of the given parity is over; as WaitParity if so.
__device__ __forceinline__ bool TestParity(Barrier* barrier, unsigned parity) {
  return cuda::ptx::mbarrier_test_wait_parity(barrier, parity);
}

// mbarrier.arrive.shared::cluster.b64 on a barrier of any CTA of the cluster (an address from MapToRank). Not
// the libcu++ function: that one says .release.cluster, which ptxas turns into MEMBAR.ALL.GPU and which cost a
// probe kernel a third of its speed (530 -> 638 TFLOP/s, H200, 2026-11-21). The unqualified form has release
// semantics too; it is used here to hand back shared memory whose readers (wgmma) are known to have finished.
__device__ __forceinline__ void ArriveCluster(unsigned cluster_address) {
  asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(cluster_address) : "memory");
}

}  // namespace gemm::device::ptx
