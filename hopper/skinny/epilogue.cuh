// The epilogue: D = alpha (sum of partials) + beta C, from shared memory by ordinary loads and stores, four
// rows of a column at a time. Neighbouring threads take neighbours along whichever of D's strides is 1, so
// the stores of a warp are whole lines; four rows are one store where D allows it (params.h), and else D may
// have any alignment.
//
// The consumer warps run this one tile after the other, each alone on its quarter of the SM: what counts is
// how many instructions wait for each other. An element at a time, with a division each, took 0.14 us for
// every element of a thread (H200, 2026-11-21): 4 us for a tile of 64 x 64.
#pragma once

#include "common/device/convert.cuh"
#include "common/device/scalars.cuh"
#include "hopper/skinny/config.cuh"
#include "hopper/skinny/params.h"
#include "hopper/skinny/walk.cuh"

namespace gemm::hopper::skinny {

// What to add, in the order of ranks, column by column, `stride` floats apart: `own`, of rank `rank`, and
// those of the others, which lie `step` floats apart at `others`. With a rank of `count` all lie at `others`.
struct Parts {
  const float* own;
  const float* others;
  unsigned rank;
  unsigned count;
  unsigned stride;
  unsigned step;
};

// A thread's way through the quads of rows of a part of D.
struct Quads {
  unsigned inner_extent;
  unsigned outer_extent;
  unsigned inner;
  unsigned outer;
  unsigned inner_step;
  unsigned outer_step;
};

template <class C>
class Epilogue {
 public:
  // After griddepcontrol.wait: reads the scalars.
  __device__ __forceinline__ explicit Epilogue(const Params& params)
      : params_(params),
        scalars_(device::ReadScalars(params.scalars)),
        along_wide_(params.d_at.wide_stride == 1) {}

  // Of `rows` (a multiple of 4) by `columns`. Apart from Store, because it divides and need not wait for any
  // data.
  __device__ __forceinline__ Quads QuadsOf(unsigned rows, unsigned columns, unsigned thread) const {
    Quads quads;
    quads.inner_extent = along_wide_ ? rows / 4 : columns;
    quads.outer_extent = along_wide_ ? columns : rows / 4;
    quads.outer_step = C::kConsumerThreads / quads.inner_extent;
    quads.inner_step = C::kConsumerThreads - quads.outer_step * quads.inner_extent;
    quads.outer = thread / quads.inner_extent;
    quads.inner = thread - quads.outer * quads.inner_extent;
    return quads;
  }

  // The part of D from `at`.
  __device__ __forceinline__ void Store(const TileAt& at, const Parts& parts, Quads quads) const {
    while (quads.outer < quads.outer_extent) {
      const unsigned row = (along_wide_ ? quads.inner : quads.outer) * 4;
      const unsigned column = along_wide_ ? quads.outer : quads.inner;
      StoreQuad(at.wide + static_cast<int>(row), at.narrow + static_cast<int>(column), at.batch,
                Sum(parts, column * parts.stride + row));
      quads.outer += quads.outer_step;
      quads.inner += quads.inner_step;
      if (quads.inner >= quads.inner_extent) quads.inner -= quads.inner_extent, ++quads.outer;
    }
  }

 private:
  // In the order of ranks, so that the bits repeat.
  static __device__ __forceinline__ float4 Sum(const Parts& parts, unsigned offset) {
    float4 sum = make_float4(0, 0, 0, 0);
    const float* others = parts.others + offset;
#pragma unroll 4
    for (unsigned p = 0; p < parts.count; ++p) {
      const bool own = p == parts.rank;
      const float4 part = *reinterpret_cast<const float4*>(own ? parts.own + offset : others);
      if (!own) others += parts.step;
      sum.x += part.x, sum.y += part.y, sum.z += part.z, sum.w += part.w;
    }
    return sum;
  }

  __device__ __forceinline__ void StoreQuad(int wide, int narrow, int batch, const float4& sum) const {
    const float alpha = scalars_.alpha;
    float values[4] = {alpha * sum.x, alpha * sum.y, alpha * sum.z, alpha * sum.w};
    const int rows = params_.wide_rows - wide;
    const long long d = Index(params_.d_at, wide, narrow, batch);
    const long long c = Index(params_.c_at, wide, narrow, batch);
    if (params_.whole_quads && rows >= 4) {
      if (scalars_.beta != 0.0f) {
        float before[4];
        device::Load4(params_.output_type, params_.c, c, before);
#pragma unroll
        for (int i = 0; i < 4; ++i) values[i] = fmaf(scalars_.beta, before[i], values[i]);
      }
      device::Store4(params_.output_type, params_.d, d, values);
    } else {
#pragma unroll 1  // rare, and code that is not there need not be fetched
      for (int i = 0; i < min(rows, 4); ++i) {
        float value = i == 0 ? values[0] : i == 1 ? values[1] : i == 2 ? values[2] : values[3];
        if (scalars_.beta != 0.0f) {
          const long long at = c + i * params_.c_at.wide_stride;
          value = fmaf(scalars_.beta, device::LoadElement(params_.output_type, params_.c, at), value);
        }
        device::StoreElement(params_.output_type, params_.d, d + i * params_.d_at.wide_stride, value);
      }
    }
  }

  static __device__ __forceinline__ long long Index(const OutputAt& at, int wide, int narrow, int batch) {
    return wide * at.wide_stride + narrow * at.narrow_stride + batch * at.batch_stride;
  }

  const Params& params_;
  const device::AlphaBeta scalars_;
  const bool along_wide_;
};

}  // namespace gemm::hopper::skinny
