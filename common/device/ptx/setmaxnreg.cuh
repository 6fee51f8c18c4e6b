// setmaxnreg: warpgroups of one CTA trade registers. PTX ISA 8.0, sm_90a.
#pragma once

namespace gemm::device::ptx {

// Gives registers back to the CTA's pool, down to Count a thread. To be executed by every warp of a warpgroup,
// in a branch that the whole warpgroup takes; registers above Count are lost. Count is a multiple of 8 in [24,
// 256]. ptxas ignores it (warning C7508) unless the kernel has a register cap at entry:
// __launch_bounds__(threads, 1).
template <int Count>
__device__ __forceinline__ void ReleaseRegisters() {
  static_assert(Count >= 24 && Count <= 256 && Count % 8 == 0);
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Count));
}

// Asks for Count registers a thread and blocks until the pool has them. Same callers and limits.
template <int Count>
__device__ __forceinline__ void AcquireRegisters() {
  static_assert(Count >= 24 && Count <= 256 && Count % 8 == 0);
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Count));
}

}  // namespace gemm::device::ptx
