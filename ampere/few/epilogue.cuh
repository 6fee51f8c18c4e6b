// D = alpha sum + beta C, element by element: there are few of them.
#pragma once

#include "ampere/few/params.h"
#include "common/device/convert.cuh"

namespace gemm::ampere::few {

// Of one element of D, which this thread stores. Made after griddepcontrol.wait and before the main loop: it reads the scalars, and asks for
// C, which comes meanwhile. Asked for behind the sums, C cost 4x8192x1024 1.4 us of 7.4 (H200, 2026-11-29).
class Epilogue {
 public:
  // Asks for nothing where `stores` is false; there must be no Store then.
  __device__ __forceinline__ Epilogue(const Params& params, long long wide, int few, bool stores)
      : params_(params), scalars_(device::ReadScalars(params.scalars)), wide_(wide), few_(few) {
    if (stores && scalars_.beta != 0.0f) {
      c_ = device::LoadBits(params.output_type, params.c, params.c_at.Index(wide, few, blockIdx.y));
    }
  }

  __device__ __forceinline__ void Store(float sum) const {
    float value = scalars_.alpha * sum;
    if (scalars_.beta != 0.0f) value = fmaf(scalars_.beta, device::ElementOf(params_.output_type, c_), value);
    device::StoreElement(params_.output_type, params_.d, params_.d_at.Index(wide_, few_, blockIdx.y), value);
  }

 private:
  const Params& params_;
  const device::AlphaBeta scalars_;
  const long long wide_;
  const int few_;
  unsigned c_ = 0;
};

}  // namespace gemm::ampere::few
