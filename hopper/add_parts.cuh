// What the kernels that add up parts of K have in common (add_parts.cu, add_classes.cu).
//
// A thread has the accumulators that one of the product's threads has of eight columns: two neighbours in each of two rows, eight apart
// (wgmma.cuh). Parts are added in their order, from the beginning of K: the bits repeat.
#pragma once

#include "common/device/convert.cuh"
#include "common/device/scalars.cuh"
#include "hopper/add_parts.h"

namespace gemm::hopper {

// This thread's place among the kAddPartsThreads that add up 32 rows of 8 columns: its first row and its first column. The others are
// eight rows and one column further.
struct PlaceOfSums {
  int row;
  int column;

  __device__ __forceinline__ explicit PlaceOfSums(unsigned thread)
      : row(static_cast<int>(thread / 32 * 16 + thread % 32 / 4)), column(static_cast<int>(thread % 4 * 2)) {}
};

// This thread's accumulators of the first part, and how many vectors of 16 bytes further those of the next are.
struct PartsAt {
  const float4* first;
  unsigned long long step;
};

// Of the CTA `cta` of those that have the first part of a tile: of its rows the 32s `row_block`, of its columns the eights `column_block`.
__device__ __forceinline__ PartsAt FindParts(const PartialTiles& tiles, unsigned cta, unsigned row_block,
                                             unsigned column_block, unsigned thread) {
  const unsigned threads = 2 * tiles.tile_m;  // consumers'
  const unsigned long long tile = static_cast<unsigned long long>(tiles.tile_n / 8) * threads;
  return {static_cast<const float4*>(tiles.partials) + cta * tile + column_block * threads +
              row_block * kAddPartsThreads + thread,
          tiles.ctas * tile};
}

// With kAtOnce loads under way.
template <unsigned kAtOnce>
__device__ __forceinline__ float4 AddParts(const PartsAt& at, unsigned parts) {
  float4 sum = __ldcg(at.first);
#pragma unroll 1
  for (unsigned part = 1; part < parts; part += kAtOnce) {
    float4 others[kAtOnce];
#pragma unroll
    for (unsigned i = 0; i < kAtOnce; ++i) {
      if (part + i < parts) others[i] = __ldcg(at.first + (part + i) * at.step);
    }
#pragma unroll
    for (unsigned i = 0; i < kAtOnce; ++i) {
      if (part + i >= parts) break;
      sum.x += others[i].x, sum.y += others[i].y, sum.z += others[i].z, sum.w += others[i].w;
    }
  }
  return sum;
}

// Two neighbours of a row of D, which this thread stores. An odd number of columns ends with one alone.
class Pair {
 public:
  // Asks for C, which comes while the parts are added up.
  __device__ __forceinline__ Pair(const SumsOutput& output, const device::AlphaBeta& scalars, int batch,
                                  int row, int column)
      : output_(output), scalars_(scalars), batch_(batch), row_(row), column_(column) {
    if (scalars.beta == 0.0f) return;
    const long long c =
        batch * output.c_batch_stride + row * output.c_row_stride + column * output.c_column_stride;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      if (i < There())
        c_[i] = device::LoadBits(output.output_type, output.c_address, c + i * output.c_column_stride);
    }
  }

  __device__ __forceinline__ void Store(float first, float second) const {
    const int type = output_.output_type, there = There();
    const long long d =
        batch_ * output_.d_batch_stride + row_ * output_.d_row_stride + column_ * output_.d_column_stride;
    const float values[2] = {scalars_.Blend(first, device::ElementOf(type, c_[0])),
                             scalars_.Blend(second, device::ElementOf(type, c_[1]))};
    if (output_.in_pairs && there == 2) {
      device::Store2(type, output_.d_address, d, values[0], values[1]);
      return;
    }
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      if (i < there) device::StoreElement(type, output_.d_address, d + i * output_.d_column_stride, values[i]);
    }
  }

 private:
  __device__ __forceinline__ int There() const { return row_ < output_.m ? min(output_.n - column_, 2) : 0; }

  const SumsOutput& output_;
  const device::AlphaBeta& scalars_;
  const int batch_;
  const int row_;
  const int column_;
  unsigned c_[2] = {};
};

}  // namespace gemm::hopper
