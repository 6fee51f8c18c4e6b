// D = alpha sum + beta C, element by element: there are few of them.
#pragma once

#include "ampere/few/params.h"
#include "common/device/convert.cuh"

namespace gemm::ampere::few {

// A thread's. Made after griddepcontrol.wait: it reads the scalars.
class Epilogue {
 public:
  __device__ __forceinline__ explicit Epilogue(const Params& params)
      : params_(params), scalars_(device::ReadScalars(params.scalars)) {}

  __device__ __forceinline__ void Store(long long wide, int few, float sum) const {
    float value = scalars_.alpha * sum;
    if (scalars_.beta != 0.0f) {
      const long long c = params_.c_at.Index(wide, few, blockIdx.y);
      value = fmaf(scalars_.beta, device::LoadElement(params_.output_type, params_.c, c), value);
    }
    device::StoreElement(params_.output_type, params_.d, params_.d_at.Index(wide, few, blockIdx.y), value);
  }

 private:
  const Params& params_;
  const device::AlphaBeta scalars_;
};

}  // namespace gemm::ampere::few
