// ldmatrix: two or four 8x8 matrices of 16-bit elements from shared memory into the fragments of mma.sync (PTX
// ISA 6.5, sm_75).
//
// The whole warp calls, converged. Lane l gives the shared::cta address, a multiple of 16, of row l % 8 of
// matrix l / 8: 16 contiguous bytes; of two matrices, those of lanes 16 to 31 are not looked at. Register i of
// lane l receives the elements (l / 4, 2 (l % 4)) and the one after it of matrix i; with .trans those of its
// transpose. Synchronous: an ordinary shared-memory read for the memory model.
#pragma once

namespace gemm::device::ptx {

// ldmatrix.sync.aligned.m8n8.x4.shared.b16 {r0, r1, r2, r3}, [shared];
__device__ __forceinline__ void LdmatrixX4(unsigned shared, unsigned& r0, unsigned& r1, unsigned& r2,
                                           unsigned& r3) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
               : "r"(shared)
               : "memory");
}

// ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {r0, r1, r2, r3}, [shared];
__device__ __forceinline__ void LdmatrixX4Trans(unsigned shared, unsigned& r0, unsigned& r1, unsigned& r2,
                                                unsigned& r3) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
               : "r"(shared)
               : "memory");
}

// ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {r0, r1}, [shared];
__device__ __forceinline__ void LdmatrixX2Trans(unsigned shared, unsigned& r0, unsigned& r1) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
               : "=r"(r0), "=r"(r1)
               : "r"(shared)
               : "memory");
}

}  // namespace gemm::device::ptx
