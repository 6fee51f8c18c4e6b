// Loads of what is read once (PTX ISA 7.4, sm_70).
#pragma once

namespace gemm::device::ptx {

// ld.global.L1::no_allocate.v4.u32  `global` is a multiple of 16. An ordinary load for the memory model; no line of the L1 is given
// up for it.
__device__ __forceinline__ uint4 LoadStreamed16(const void* global) {
  uint4 v;
  asm volatile("ld.global.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(__cvta_generic_to_global(global))
               : "memory");
  return v;
}

}  // namespace gemm::device::ptx
