// prefetch: asks for a line of global memory that will be read later (PTX ISA 2.0). A hint; nothing waits for it.
#pragma once

namespace gemm::device::ptx {

// prefetch.global.L2 [global];  By one thread for each line. `global` lies in an allocation.
__device__ __forceinline__ void PrefetchL2(const void* global) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(global)));
}

}  // namespace gemm::device::ptx
