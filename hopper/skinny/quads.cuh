// D = alpha sums + beta C from columns of FP32 sums in shared memory, by ordinary loads and stores, four rows of a column
// at a time: for what staged 16-bit columns cannot do (epilogue.cuh). Neighbouring threads take neighbours along whichever
// of D's strides is 1, so the stores of a warp are whole lines; four rows are one store where D allows it (params.h), and
// else D may have any alignment.
#pragma once

#include "common/device/convert.cuh"
#include "common/device/scalars.cuh"
#include "hopper/skinny/params.h"
#include "hopper/skinny/walk.cuh"

namespace gemm::hopper::skinny {

template <class C>
class QuadStore {
 public:
  __device__ __forceinline__ QuadStore(const Params& params, const device::AlphaBeta& scalars)
      : params_(params), scalars_(scalars), along_wide_(params.d_at.wide_stride == 1) {}

  // `columns` columns of a tile's own rows, from `sums`, C::kColumnStride floats apart, to D from `at`.
  __device__ __forceinline__ void Store(const TileAt& at, const float* sums, unsigned columns,
                                        unsigned thread) const {
    const unsigned quads = static_cast<unsigned>(params_.wide_box) / 4;
    const unsigned inner = along_wide_ ? quads : columns;
    for (unsigned i = thread; i < quads * columns; i += C::kConsumerThreads) {
      const unsigned outer = i / inner;
      const unsigned row = (along_wide_ ? i - outer * inner : outer) * 4;
      const unsigned column = along_wide_ ? outer : i - outer * inner;
      StoreQuad(at.wide + static_cast<int>(row), at.narrow + static_cast<int>(column), at.batch,
                at.wide_others - static_cast<int>(row),
                *reinterpret_cast<const float4*>(sums + column * C::kColumnStride + row));
    }
  }

 private:
  // Without the first `others` rows.
  __device__ __forceinline__ void StoreQuad(int wide, int narrow, int batch, int others,
                                            const float4& sum) const {
    const float alpha = scalars_.alpha;
    float values[4] = {alpha * sum.x, alpha * sum.y, alpha * sum.z, alpha * sum.w};
    const int rows = params_.wide_rows - wide;
    const long long d = params_.d_at.Index(wide, narrow, batch);
    const long long c = params_.c_at.Index(wide, narrow, batch);
    if (params_.whole_quads && rows >= 4 && others <= 0 && wide % 4 == 0) {
      if (scalars_.beta != 0.0f) {
        float before[4];
        device::Load4(params_.output_type, params_.c, c, before);
#pragma unroll
        for (int i = 0; i < 4; ++i) values[i] = fmaf(scalars_.beta, before[i], values[i]);
      }
      device::Store4(params_.output_type, params_.d, d, values);
    } else {
#pragma unroll 1  // rare, and code that is not there need not be fetched
      for (int i = max(others, 0); i < min(rows, 4); ++i) {
        float value = i == 0 ? values[0] : i == 1 ? values[1] : i == 2 ? values[2] : values[3];
        if (scalars_.beta != 0.0f) {
          const long long at = c + i * params_.c_at.wide_stride;
          value = fmaf(scalars_.beta, device::LoadElement(params_.output_type, params_.c, at), value);
        }
        device::StoreElement(params_.output_type, params_.d, d + i * params_.d_at.wide_stride, value);
      }
    }
  }

  const Params& params_;
  const device::AlphaBeta scalars_;
  const bool along_wide_;
};

}  // namespace gemm::hopper::skinny
