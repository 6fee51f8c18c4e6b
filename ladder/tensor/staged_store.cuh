// Results through shared memory: fragments leave in pieces of 8 bytes, rows of them in pieces of 16 that neighbouring lanes
// write side by side.
#pragma once

#include "ladder/tensor/copies.cuh"

namespace gemm::ladder {

// FP32, so that D is rounded once; the memory of As and Bs holds one row of warps at a time. By the whole block, once no
// warp reads As or Bs any more. Rows are 16 bytes longer than they need to be: no bank conflicts.
template <class C>
__device__ __forceinline__ void StoreStaged(const Params& p, const BlockTile& tile, unsigned char* shared,
                                            int row, int column,
                                            const float (&sums)[C::kBlocksM][2 * C::kBlocksN][4]) {
  using T = ElementOf<C::kOut>;
  constexpr int kWidth = kElementsOf16Bytes<T>;
  constexpr int kStride = C::kTileN + 4;
  constexpr int kRows = C::kWarpM / 2;  // what fits: half a warp's rows
  static_assert(kRows * kStride * 4 <= C::kSharedBytes && kRows % 16 == 0);
  float* staging = reinterpret_cast<float*>(shared);
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int first = 0; first < C::kTileM; first += kRows) {
    __syncthreads();
    if (row == first / C::kWarpM * C::kWarpM) {
      float* to = staging + lane / 4 * kStride + column + lane % 4 * 2;
#pragma unroll
      for (int i = 0; i < kRows / 16; ++i) {
#pragma unroll
        for (int j = 0; j < 2 * C::kBlocksN; ++j) {
          const float(&sum)[4] = sums[first % C::kWarpM / 16 + i][j];
          *reinterpret_cast<float2*>(to + i * 16 * kStride + j * 8) = make_float2(sum[0], sum[1]);
          *reinterpret_cast<float2*>(to + (i * 16 + 8) * kStride + j * 8) = make_float2(sum[2], sum[3]);
        }
      }
    }
    __syncthreads();
    constexpr int kInRow = C::kTileN / kWidth;
#pragma unroll
    for (int piece = threadIdx.x; piece < kRows * kInRow; piece += C::kThreads) {
      float values[kWidth];
      ReadRow<kWidth>(staging + piece / kInRow * kStride + piece % kInRow * kWidth, values);
      const int at = (tile.row + first + piece / kInRow) * p.n + tile.column + piece % kInRow * kWidth;
      StoreRow<kWidth, T>(p, at, values);
    }
  }
}

}  // namespace gemm::ladder
