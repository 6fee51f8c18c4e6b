// What the warps of a CTA add up of its products where each takes a part of K.
#pragma once

#include "ampere/few/config.h"

namespace gemm::ampere::few {

// The warps' sums of an element, always in the same order.
template <class C>
__device__ __forceinline__ float SumOfWarps(const Shared<C>& shared, int few, int row) {
  float sum = 0;
#pragma unroll
  for (int warp = 0; warp < C::kWarps; ++warp) sum += shared.warps[warp].sums.of[few][row];
  return sum;
}

}  // namespace gemm::ampere::few
