// bar.sync: some warps of a CTA meet. PTX ISA 1.0 (an id other than 0: 2.0).
#pragma once

namespace gemm::device::ptx {

// bar.sync id, threads; `threads`, a multiple of 32, of the CTA wait for each other at barrier `id` in [1, 15]
// (0 is __syncthreads). Whole warps call it, converged. Orders their accesses to memory.
__device__ __forceinline__ void SyncThreads(unsigned id, unsigned threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// bar.arrive id, threads; the same for a warp that does not wait: it counts as come, and what it has written is seen by those
// who wait (PTX ISA, "bar": producer and consumers).
__device__ __forceinline__ void ArriveThreads(unsigned id, unsigned threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

}  // namespace gemm::device::ptx
