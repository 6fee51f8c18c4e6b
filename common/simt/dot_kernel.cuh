// The kernels for small products: nothing is staged and nobody waits for another warp, so that it takes one way to memory and back.
#pragma once

#include "common/device/convert.cuh"
#include "common/device/ptx/grid_dependency.cuh"
#include "common/device/scalars.cuh"
#include "common/simt/dot_config.h"
#include "common/simt/params.h"

namespace gemm::simt {

// Where a warp's elements of D begin, of which the first `columns` >= 1 exist.
struct DotPlace {
  unsigned m;
  unsigned n;
  unsigned batch;
  int columns;
};

// The grid is one of tiles, N first; the host has seen to it that they, m and n fit 32 bits.
template <class Shape>
__device__ __forceinline__ DotPlace FindDotPlace(const Params& p) {
  const auto tiles_n = static_cast<unsigned>((p.n + Shape::kTileN - 1) / Shape::kTileN);
  const unsigned row = blockIdx.x / tiles_n;
  const unsigned m = static_cast<unsigned>(p.m);
  const unsigned n = (blockIdx.x - row * tiles_n) * Shape::kTileN + threadIdx.x / 32 * Shape::kColumns;
  const long long left = p.n - n;
  return {row % m, n, row / m, left < Shape::kColumns ? static_cast<int>(left) : Shape::kColumns};
}

// What a lane has of a round's elements of K, as it lies in memory: nothing waits for it until it is multiplied.
template <class Shape>
struct DotLoads {
  unsigned a[Shape::kPerLane];
  unsigned b[Shape::kPerLane][Shape::kColumns];
};

// The sums of a lane's elements of K: those of lane, lane + 32 and so on. Loads of kRounds rounds are under way together; addresses go on by a
// step, for where there are few warps their instructions are what takes the time.
template <class Shape, int kType>
__device__ __forceinline__ void SumOfLane(const Params& p, const DotPlace& place, int lane,
                                          float (&sum)[Shape::kColumns]) {
  const char* a = static_cast<const char*>(p.a.base) + place.batch * p.a.batch_stride +
                  place.m * p.a.mn_stride + lane * p.a.k_stride;
  const char* b[Shape::kColumns];
#pragma unroll
  for (int j = 0; j < Shape::kColumns; ++j) {
    // A column that is not there is the last one that is: its sum is not stored.
    const unsigned column = place.n + (j < place.columns ? j : place.columns - 1);
    b[j] = static_cast<const char*>(p.b.base) + place.batch * p.b.batch_stride + column * p.b.mn_stride +
           lane * p.b.k_stride;
  }
  const long long step_a = 32 * p.a.k_stride;
  const long long step_b = 32 * p.b.k_stride;
  for (int left = static_cast<int>(p.k); left > 0; left -= Shape::kTileK) {
    DotLoads<Shape> loads[Shape::kRounds];
#pragma unroll
    for (int round = 0; round < Shape::kRounds; ++round) {
      if (left <= round * Shape::kRoundK) break;
#pragma unroll
      for (int i = 0; i < Shape::kPerLane; ++i) {
        const bool inside = left - lane > round * Shape::kRoundK + 32 * i;
        loads[round].a[i] = inside ? device::LoadBits(kType, a, 0) : 0;  // zero bits are a zero of every type
        a += step_a;
#pragma unroll
        for (int j = 0; j < Shape::kColumns; ++j) {
          loads[round].b[i][j] = inside ? device::LoadBits(kType, b[j], 0) : 0;
          b[j] += step_b;
        }
      }
    }
#pragma unroll
    for (int round = 0; round < Shape::kRounds; ++round) {
      if (left <= round * Shape::kRoundK) break;
#pragma unroll
      for (int i = 0; i < Shape::kPerLane; ++i) {
        const float of_a = device::ElementOf(kType, loads[round].a[i]);
#pragma unroll
        for (int j = 0; j < Shape::kColumns; ++j) {
          sum[j] = __fmaf_rn(of_a, device::ElementOf(kType, loads[round].b[i][j]), sum[j]);
        }
      }
    }
  }
}

// Adds up the lanes' sums: of column j in lanes 8 j to 8 j + 7. Each exchange halves what a lane has, while there is more than one column.
// All lanes must call it together.
template <class Shape>
__device__ __forceinline__ float AddLanes(const float (&sum)[Shape::kColumns], int lane) {
  static_assert(Shape::kColumns == 4, "two exchanges leave one column of four");
  constexpr unsigned kAll = 0xffffffff;
  const bool upper = (lane & 16) != 0;
  const float even = (upper ? sum[2] : sum[0]) + __shfl_xor_sync(kAll, upper ? sum[0] : sum[2], 16);
  const float odd = (upper ? sum[3] : sum[1]) + __shfl_xor_sync(kAll, upper ? sum[1] : sum[3], 16);
  const bool second = (lane & 8) != 0;
  float total = (second ? odd : even) + __shfl_xor_sync(kAll, second ? even : odd, 8);
#pragma unroll
  for (int distance = 4; distance > 0; distance /= 2) total += __shfl_xor_sync(kAll, total, distance);
  return total;
}

// C is read only where beta is not 0, by the thread that writes D there, so that C may be D.
__device__ __forceinline__ void WriteElement(const Params& p, const DotPlace& place, int column, float sum) {
  const device::AlphaBeta scalars = device::ReadScalars(p.scalars, p.k);
  const long long n = place.n + column;
  float c = 0;
  if (scalars.beta != 0.0f) {
    c = device::LoadElement(
        p.output_type, p.c,
        place.batch * p.c_shape.batch_stride + place.m * p.c_shape.row_stride + n * p.c_shape.col_stride);
  }
  device::StoreElement(p.output_type, p.d,
                       place.batch * p.d_shape.batch_stride + place.m * p.d_shape.row_stride + n,
                       scalars.Blend(sum, c));
}

template <class Shape>
__device__ __forceinline__ void RunDot(const Params& p) {
  const DotPlace place = FindDotPlace<Shape>(p);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  device::ptx::GridDependencyWait();
  device::ptx::GridDependencyLaunchDependents();
  if (place.columns <= 0) return;
  float sum[Shape::kColumns] = {};
  if (p.input_type == device::kElementFP32) {
    SumOfLane<Shape, device::kElementFP32>(p, place, lane, sum);
  } else if (p.input_type == device::kElementFP16) {
    SumOfLane<Shape, device::kElementFP16>(p, place, lane, sum);
  } else {
    SumOfLane<Shape, device::kElementBF16>(p, place, lane, sum);
  }
  const float total = AddLanes<Shape>(sum, lane);
  const int column = lane / 8;
  if (lane % 8 == 0 && column < place.columns) WriteElement(p, place, column, total);
}

}  // namespace gemm::simt
