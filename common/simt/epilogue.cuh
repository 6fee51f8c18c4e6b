// D = alpha * sum + beta * C, straight from registers: a warp writes whole 128-byte lines of an FP32 D.
#pragma once

#include "common/device/convert.cuh"
#include "common/device/scalars.cuh"
#include "common/simt/params.h"
#include "common/simt/product.cuh"

namespace gemm::simt {

// Element j of four without an array that would live in memory.
__device__ __forceinline__ float Pick(const float (&values)[4], int j) {
  return j == 0 ? values[0] : j == 1 ? values[1] : j == 2 ? values[2] : values[3];
}

// One row's four neighbouring elements; `columns` >= 1 of them exist. A sum of products that are too small for FP32 can be -0, and the zeros
// that fill a panel make +0 of that, which depends on the tile, and so on M: adding +0 leaves both the same, and everything else as it is.
// (Added to alpha * sum, for no instruction more, it took ring kernels of 128x128x16 0.7% longer, H200, 2026-12-01.) C is read only when beta
// is not 0, and each element by the thread that writes it, so that C may be D. Single elements are handled by loops that are not unrolled:
// this code is repeated for each of a thread's sub-tile rows, and unrolled it would be most of the library.
__device__ __forceinline__ void WriteFour(const Params& p, device::AlphaBeta scalars, const float (&sum)[4],
                                          long long c_index, long long d_index, long long columns) {
  const int count = columns < 4 ? static_cast<int>(columns) : 4;
  float out[4];
#pragma unroll
  for (int j = 0; j < 4; ++j) out[j] = scalars.alpha * __fadd_rn(sum[j], 0.0f);
  if (scalars.beta != 0) {
    float c[4] = {0, 0, 0, 0};
    if (p.c_shape.vector && count == 4) {
      device::Load4(p.output_type, p.c, c_index, c);
    } else {
#pragma unroll 1
      for (int j = 0; j < count; ++j) {
        const float value = device::LoadElement(p.output_type, p.c, c_index);
        c_index += p.c_shape.col_stride;
#pragma unroll
        for (int i = 0; i < 4; ++i) c[i] = i == j ? value : c[i];
      }
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) out[j] = __fmaf_rn(scalars.beta, c[j], out[j]);
  }
  if (p.d_shape.vector && count == 4) {
    device::Store4(p.output_type, p.d, d_index, out);
  } else {
#pragma unroll 1
    for (int j = 0; j < count; ++j) device::StoreElement(p.output_type, p.d, d_index + j, Pick(out, j));
  }
}

// Writes the tile whose first element is (m, n) of `batch`: each thread its rows from `first_row` on.
template <typename Config, int kRows>
__device__ __forceinline__ void WriteTile(const Params& p, long long m, long long n, long long batch,
                                          const Accumulators<Config, kRows>& sum, int first_row = 0) {
  const ThreadPlace<Config> place;
  const device::AlphaBeta scalars = device::ReadScalars(p.scalars, p.k);
  m += place.m;
  n += place.n;
  const long long c_base = batch * p.c_shape.batch_stride;
  const long long d_base = batch * p.d_shape.batch_stride;
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    const long long row = m + place.Row(first_row + i);
    if (row >= p.m) continue;
#pragma unroll
    for (int j = 0; j < Config::kThreadN; j += 4) {
      const long long col = n + place.Col(j);
      if (col >= p.n) continue;
      const float four[4] = {sum.at[i][j], sum.at[i][j + 1], sum.at[i][j + 2], sum.at[i][j + 3]};
      WriteFour(p, scalars, four, c_base + row * p.c_shape.row_stride + col * p.c_shape.col_stride,
                d_base + row * p.d_shape.row_stride + col, p.n - col);
    }
  }
}

}  // namespace gemm::simt
