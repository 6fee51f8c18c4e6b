// cp.async: copies from global to shared memory that bypass the registers (PTX ISA 7.0, sm_80).
//
// Each calling thread copies for itself. `shared` is a shared::cta address, `global` a pointer to global
// memory; both are multiples of the copy's size. `bytes`, in [0, size], are read; the rest of the destination
// is filled with zeros, and with 0 nothing is read. The copies are asynchronous and unordered: the thread may
// read what it copied after CpAsyncWait, other threads after a barrier that follows it.
#pragma once

namespace gemm::device::ptx {

// cp.async.cg.shared.global.L2::128B [shared], [global], 16, bytes;  (prefetch size: PTX ISA 7.4)
// Around the L1; only 16 bytes exist in this form. `bytes` that ptxas sees to be 0 or 16 cost a predicate, others also an addition
// to the address.
__device__ __forceinline__ void CpAsync16(unsigned shared, const void* global, int bytes) {
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(shared), "l"(global), "r"(bytes)
               : "memory");
}

// cp.async.ca.shared.global [shared], [global], 16, bytes;  Through the L1, for what other CTAs of the SM copy too.
__device__ __forceinline__ void CpAsync16Cached(unsigned shared, const void* global, int bytes) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(global), "r"(bytes)
               : "memory");
}

// cp.async.ca.shared.global [shared], [global], 8, bytes;
__device__ __forceinline__ void CpAsync8(unsigned shared, const void* global, int bytes) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(shared), "l"(global), "r"(bytes)
               : "memory");
}

// cp.async.ca.shared.global [shared], [global], 4, bytes;
__device__ __forceinline__ void CpAsync4(unsigned shared, const void* global, int bytes) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared), "l"(global), "r"(bytes)
               : "memory");
}

// cp.async.commit_group;  Closes the calling thread's group of copies; a group may be empty.
__device__ __forceinline__ void CpAsyncCommit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

// cp.async.wait_group kPending;  Waits until at most the kPending youngest of the calling thread's groups are
// under way.
template <int kPending>
__device__ __forceinline__ void CpAsyncWait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

}  // namespace gemm::device::ptx
