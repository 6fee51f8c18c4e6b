// griddepcontrol: programmatic dependent launch (PTX ISA 7.8, sm_90). Code for older architectures has no such
// instruction; there both functions are a comment in the PTX, of which tools/cuda/retarget.sh makes the instruction where it makes
// PTX for sm_90 of that, and the host must not launch with programmatic serialization.
#pragma once

namespace gemm::device::ptx {

// griddepcontrol.wait;
// Waits until the grids that this one depends on have finished and their writes are visible. Every thread that
// reads or writes global memory must have called it before, or be ordered by a barrier after one that did.
// Returns at once where the launch asked for no programmatic serialization.
__device__ __forceinline__ void GridDependencyWait() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#else
  asm volatile("// sm_90: griddepcontrol.wait;" ::: "memory");
#endif
}

// griddepcontrol.launch_dependents;
// Lets the dependent grid start once every CTA has called it (one thread is enough) or exited. It hands over no
// memory: the dependent grid's own wait does.
__device__ __forceinline__ void GridDependencyLaunchDependents() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#else
  asm volatile("// sm_90: griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

}  // namespace gemm::device::ptx
