// D = alpha sums + beta C by a warp of a consumer, which holds 16 rows of every 64.
#pragma once

#include "ladder/element.cuh"
#include "ladder/wgmma/products.cuh"

namespace gemm::ladder {

// From the accumulators: two neighbours at a time, 32 bytes of a row by four lanes.
template <class C>
__device__ __forceinline__ void StoreDirect(const Params& p, int row, int column, unsigned lane,
                                            const Sums<C>& sums) {
#pragma unroll
  for (int i = 0; i < C::kBlocksM; ++i) {
    const int at = (row + i * 64 + lane / 4) * p.n + column + lane % 4 * 2;
#pragma unroll
    for (int j = 0; j < C::kTileN / 8; ++j) {
      const float* sum = &sums[i][j * 8 / C::kWgmmaN][j % (C::kWgmmaN / 8) * 4];
      StoreRow<2, float>(p, at + j * 8, sum);
      StoreRow<2, float>(p, at + 8 * p.n + j * 8, sum + 2);
    }
  }
}

// Through shared memory of the warp's own, 32 columns at a time: 16 bytes a lane, 128 of a row by eight lanes.
template <class C>
__device__ __forceinline__ void StoreStaged(const Params& p, int row, int column, unsigned lane, float* staging,
                                            const Sums<C>& sums) {
  constexpr int kStride = C::kStagingStride;
#pragma unroll
  for (int i = 0; i < C::kBlocksM; ++i) {
#pragma unroll
    for (int chunk = 0; chunk < C::kTileN / 32; ++chunk) {
      __syncwarp();
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const int n = chunk * 32 + j * 8;
        const float* sum = &sums[i][n / C::kWgmmaN][n % C::kWgmmaN / 8 * 4];
        float* to = staging + lane / 4 * kStride + j * 8 + lane % 4 * 2;
        *reinterpret_cast<float2*>(to) = make_float2(sum[0], sum[1]);
        *reinterpret_cast<float2*>(to + 8 * kStride) = make_float2(sum[2], sum[3]);
      }
      __syncwarp();
#pragma unroll
      for (int pass = 0; pass < 4; ++pass) {
        const int in_chunk = pass * 4 + lane / 8;
        float values[4];
        ReadRow<4>(staging + in_chunk * kStride + lane % 8 * 4, values);
        StoreRow<4, float>(p, (row + i * 64 + in_chunk) * p.n + column + chunk * 32 + lane % 8 * 4, values);
      }
    }
  }
}

}  // namespace gemm::ladder
