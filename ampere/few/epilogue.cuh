// D = alpha sum + beta C, element by element: there are few of them.
#pragma once

#include "ampere/few/params.h"
#include "common/device/convert.cuh"

namespace gemm::ampere::few {

// Made after griddepcontrol.wait and before the main loop: it reads the scalars.
class Epilogue {
 public:
  __device__ __forceinline__ explicit Epilogue(const Params& params)
      : params_(params), scalars_(device::ReadScalars(params.scalars)) {}

  // Asks for an element of C, which comes during the main loop; as it lies in memory, 0 where beta is 0. Asked for behind the sums, C cost
  // 4x8192x1024 1.4 us of 7.4 (H200, 2026-11-29).
  __device__ __forceinline__ unsigned LoadC(long long wide, int few) const {
    if (scalars_.beta == 0.0f) return 0;
    return device::LoadBits(params_.output_type, params_.c, params_.c_at.Index(wide, few, blockIdx.y));
  }

  // `c` is what LoadC gave of the same element.
  __device__ __forceinline__ void Store(long long wide, int few, unsigned c, float sum) const {
    const float value = scalars_.Blend(sum, device::ElementOf(params_.output_type, c));
    device::StoreElement(params_.output_type, params_.d, params_.d_at.Index(wide, few, blockIdx.y), value);
  }

 private:
  const Params& params_;
  const device::AlphaBeta scalars_;
};

}  // namespace gemm::ampere::few
