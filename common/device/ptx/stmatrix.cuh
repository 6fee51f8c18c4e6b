// stmatrix: 8x8 matrices of 16-bit elements from fragments to shared memory. PTX ISA 7.8, sm_90.
#pragma once

namespace gemm::device::ptx {

// Four matrices. Lane i gives in `address` (shared::cta, 16-byte aligned) the row i % 8 of matrix i / 8; every
// lane holds in r[j] the elements (lane / 4, 2 (lane % 4)) and its right neighbour of matrix j. The whole warp
// must execute it together. An ordinary write to shared memory: FenceSharedForAsync() before the copy engine
// reads it.
__device__ __forceinline__ void StoreMatrix4(unsigned address, unsigned r0, unsigned r1, unsigned r2,
                                             unsigned r3) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(r0),
               "r"(r1), "r"(r2), "r"(r3)
               : "memory");
}

// The first two of four: lanes 16 to 31 give addresses that are not looked at.
__device__ __forceinline__ void StoreMatrix2(unsigned address, unsigned r0, unsigned r1) {
  asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(address), "r"(r0), "r"(r1)
               : "memory");
}

// The same with .trans: row i % 8 of matrix i / 8 in memory holds what fragments call a column, so a lane's r[j] are
// the elements (2 (lane % 4), lane / 4) and the one in the next row.
__device__ __forceinline__ void StoreMatrix4Transposed(unsigned address, unsigned r0, unsigned r1, unsigned r2,
                                                       unsigned r3) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(r0),
               "r"(r1), "r"(r2), "r"(r3)
               : "memory");
}

__device__ __forceinline__ void StoreMatrix2Transposed(unsigned address, unsigned r0, unsigned r1) {
  asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(address), "r"(r0), "r"(r1)
               : "memory");
}

}  // namespace gemm::device::ptx
