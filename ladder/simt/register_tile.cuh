// Several results a thread: each element read from shared memory is used kThreadM or kThreadN times from a register.
#pragma once

#include "ladder/simt/loads.cuh"

namespace gemm::ladder {

// Where a thread's results begin in the block's tile.
template <class C>
struct Place {
  int row;
  int column;

  __device__ __forceinline__ Place() {
    const int warp = threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    row = warp / C::kWarpsN * C::kWarpM + lane / C::kLanesN * C::kThreadM;
    column = warp % C::kWarpsN * C::kWarpN + lane % C::kLanesN * C::kThreadN;
  }
  __device__ __forceinline__ int Row(int step) const { return row + step * C::kLanesM * C::kThreadM; }
  __device__ __forceinline__ int Column(int step) const { return column + step * C::kLanesN * C::kThreadN; }
};

template <class C>
using Results = float[C::kStepsM * C::kThreadM][C::kStepsN * C::kThreadN];

// sums += the product of one buffer's tiles.
template <class C>
__device__ __forceinline__ void MultiplyTiles(const Tiles<C>& tiles, int from, const Place<C>& place,
                                              Results<C>& sums) {
#pragma unroll(C::kUnroll)
  for (int k = 0; k < C::kTileK; ++k) {
    float a[C::kStepsM * C::kThreadM];
    float b[C::kStepsN * C::kThreadN];
#pragma unroll
    for (int step = 0; step < C::kStepsM; ++step) {
      float* to = a + step * C::kThreadM;
      if constexpr (C::kTransposedA) {
        ReadRow<C::kThreadM>(&tiles.a[from][k][place.Row(step)], to);
      } else {
#pragma unroll
        for (int i = 0; i < C::kThreadM; ++i) to[i] = ToFloat(tiles.a[from][place.Row(step) + i][k]);
      }
    }
#pragma unroll
    for (int step = 0; step < C::kStepsN; ++step) {
      const auto* row = &tiles.b[from][k][place.Column(step)];
      if constexpr (C::kVectors) {
        ReadRow<C::kThreadN>(row, b + step * C::kThreadN);
      } else {
#pragma unroll
        for (int j = 0; j < C::kThreadN; ++j) b[step * C::kThreadN + j] = ToFloat(row[j]);
      }
    }
#pragma unroll
    for (int i = 0; i < C::kStepsM * C::kThreadM; ++i) {
#pragma unroll
      for (int j = 0; j < C::kStepsN * C::kThreadN; ++j) sums[i][j] += a[i] * b[j];
    }
  }
}

template <class C>
__device__ __forceinline__ void StoreResults(const Params& p, const Place<C>& place, const Results<C>& sums) {
  constexpr int kWidth = C::kVectors ? 4 : 1;
#pragma unroll
  for (int i = 0; i < C::kStepsM * C::kThreadM; ++i) {
    const int row = blockIdx.y * C::kTileM + place.Row(i / C::kThreadM) + i % C::kThreadM;
#pragma unroll
    for (int j = 0; j < C::kStepsN * C::kThreadN; j += kWidth) {
      const int column = blockIdx.x * C::kTileN + place.Column(j / C::kThreadN) + j % C::kThreadN;
      StoreRow<kWidth, float>(p, row * p.n + column, &sums[i][j]);
    }
  }
}

// The kernel of every rung with one buffer.
template <class C>
__device__ __forceinline__ void RegisterTile(const Params& p) {
  __shared__ Tiles<C> tiles;
  const Place<C> place;
  Results<C> sums = {};
  for (int k = 0; k < p.k; k += C::kTileK) {
    LoadTiles<C>(p, k, tiles, 0);
    __syncthreads();
    MultiplyTiles<C>(tiles, 0, place, sums);
    __syncthreads();
  }
  StoreResults<C>(p, place, sums);
}

}  // namespace gemm::ladder
