// A kernel that is compiled for sm_80 and has instructions of sm_90 where it is retargeted.
#include "common/device/ptx/grid_dependency.cuh"

extern "C" __global__ void dependency() {
  gemm::device::ptx::GridDependencyWait();
  gemm::device::ptx::GridDependencyLaunchDependents();
}
