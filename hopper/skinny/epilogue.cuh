// The epilogue: D = alpha (sum of partials) + beta C, from shared memory by ordinary loads and stores.
//
// Neighbouring threads take neighbours along whichever of D's strides is 1, so the stores of a warp are whole
// lines without asking for any alignment of D or C.
#pragma once

#include "common/device/convert.cuh"
#include "common/device/scalars.cuh"
#include "hopper/skinny/config.cuh"
#include "hopper/skinny/params.h"
#include "hopper/skinny/walk.cuh"

namespace gemm::hopper::skinny {

template <class C>
class Epilogue {
 public:
  // After griddepcontrol.wait: reads the scalars.
  __device__ __forceinline__ explicit Epilogue(const Params& params)
      : params_(params), scalars_(device::ReadScalars(params.scalars)) {}

  // `rows` x `columns` of D from `at`, each the sum of `parts` partials that lie `rows` rows apart. By all
  // consumer threads.
  __device__ __forceinline__ void Store(const TileAt& at, const float* partials, unsigned parts, unsigned rows,
                                        unsigned columns, unsigned thread) const {
    const bool along_wide = params_.d_at.wide_stride == 1;
    const unsigned inner = along_wide ? rows : columns;
    for (unsigned i = thread; i < rows * columns; i += C::kConsumerThreads) {
      const unsigned outer = i / inner;
      const unsigned row = along_wide ? i - outer * inner : outer;
      const unsigned column = along_wide ? outer : i - outer * inner;
      const int wide = at.wide + static_cast<int>(row);
      if (wide >= params_.wide_rows) continue;
      const float* part = partials + row * C::kPartialStride + column;
      float sum = *part;
      for (unsigned p = 1; p < parts; ++p) sum += part[p * rows * C::kPartialStride];
      StoreElement(wide, at.narrow + static_cast<int>(column), at.batch, sum);
    }
  }

 private:
  __device__ __forceinline__ void StoreElement(int wide, int narrow, int batch, float sum) const {
    float value = scalars_.alpha * sum;
    if (scalars_.beta != 0.0f) {
      const float c =
          device::LoadElement(params_.output_type, params_.c, Index(params_.c_at, wide, narrow, batch));
      value = fmaf(scalars_.beta, c, value);
    }
    device::StoreElement(params_.output_type, params_.d, Index(params_.d_at, wide, narrow, batch), value);
  }

  static __device__ __forceinline__ long long Index(const OutputAt& at, int wide, int narrow, int batch) {
    return wide * at.wide_stride + narrow * at.narrow_stride + batch * at.batch_stride;
  }

  const Params& params_;
  const device::AlphaBeta scalars_;
};

}  // namespace gemm::hopper::skinny
