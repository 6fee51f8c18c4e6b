// Words in global memory by which one CTA tells another that its data is there. PTX ISA 6.0, sm_70. libcu++'s way to
// them, cuda::atomic_ref, brings tests for local memory that cost branches.
#pragma once

namespace gemm::device::ptx {

// st.release.gpu: by one thread. What it wrote, and what other threads wrote before a barrier with it (of the warp or the
// CTA), is visible to whoever reads `value` with LoadAcquire and to those behind a barrier with that thread.
__device__ __forceinline__ void StoreRelease(unsigned long long* flag, unsigned long long value) {
  asm volatile("st.release.gpu.global.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(flag)), "l"(value)
               : "memory");
}

// st.relaxed.gpu: the same for a word that stands for nothing but itself. It does not wait for what was written before.
__device__ __forceinline__ void StoreRelaxed(unsigned long long* flag, unsigned long long value) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(flag)), "l"(value)
               : "memory");
}

// ld.acquire.gpu: StoreRelease's other side.
__device__ __forceinline__ unsigned long long LoadAcquire(const unsigned long long* flag) {
  unsigned long long value;
  asm volatile("ld.acquire.gpu.global.u64 %0, [%1];"
               : "=l"(value)
               : "l"(__cvta_generic_to_global(flag))
               : "memory");
  return value;
}

}  // namespace gemm::device::ptx
