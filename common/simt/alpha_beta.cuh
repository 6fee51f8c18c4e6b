// alpha and beta of a run.
#pragma once

#include "common/device/scalars.cuh"
#include "common/simt/params.h"

namespace gemm::simt {

// Without K there is no product, and an infinite alpha must not make a NaN of it.
__device__ __forceinline__ device::AlphaBeta AlphaBetaOf(const Params& p) {
  device::AlphaBeta scalars = device::ReadScalars(p.scalars);
  if (p.k == 0) scalars.alpha = 0;
  return scalars;
}

}  // namespace gemm::simt
