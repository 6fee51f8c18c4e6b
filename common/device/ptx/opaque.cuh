// Values that ptxas and the compiler before it must not look into. No instruction.
#pragma once

namespace gemm::device::ptx {

// Hides where `value` comes from, so that it stays in a register. What is cheap to compute, such as the exclusive or of an
// offset and a constant, is otherwise computed again at every use, in the middle of the loop that it was taken out
// of.
__device__ __forceinline__ void KeepInRegister(unsigned& value) { asm volatile("" : "+r"(value)); }
template <class T>
__device__ __forceinline__ void KeepInRegister(const T*& pointer) {
  asm volatile("" : "+l"(pointer));
}

}  // namespace gemm::device::ptx
