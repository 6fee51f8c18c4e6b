// elect.sync: one lane of a converged warp. PTX ISA 8.0, sm_90.
#pragma once

namespace gemm::device::ptx {

// True in exactly one lane, always the same one for the same warp. All 32 lanes must call it together. ptxas
// knows that a branch on it leaves one lane, so single-thread instructions in it need no loop over the warp's
// lanes.
__device__ __forceinline__ bool ElectOne() {
  unsigned elected;
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "elect.sync _|p, 0xffffffff;\n"
      "selp.u32 %0, 1, 0, p;\n"
      "}\n"
      : "=r"(elected));
  return elected != 0;
}

}  // namespace gemm::device::ptx
