// Square tiles of A and B in shared memory: each element that a block loads is used by a whole row or column of threads.
// Still one element of D a thread; in tiles of 64 each thread takes four, because a block has 1024 threads at most.
#pragma once

#include "ladder/element.cuh"
#include "ladder/params.h"

namespace gemm::ladder {

template <class T, int kTile>
__device__ __forceinline__ void SharedTile(const Params& p) {
  constexpr int kRowsPerPass = kTile * kTile <= 1024 ? kTile : 1024 / kTile;  // the block's height in threads
  constexpr int kPasses = kTile / kRowsPerPass;
  __shared__ T a[kTile][kTile];
  __shared__ T b[kTile][kTile];
  const int x = threadIdx.x % kTile;
  const int y = threadIdx.x / kTile;
  const int row = blockIdx.y * kTile + y;
  const int column = blockIdx.x * kTile + x;
  const T* from_a = static_cast<const T*>(p.a) + row * p.k + x;
  const T* from_b = static_cast<const T*>(p.b) + y * p.n + column;
  float sums[kPasses] = {};
  for (int first = 0; first < p.k; first += kTile) {
#pragma unroll
    for (int i = 0; i < kPasses; ++i) {
      a[y + i * kRowsPerPass][x] = from_a[i * kRowsPerPass * p.k + first];
      b[y + i * kRowsPerPass][x] = from_b[(i * kRowsPerPass + first) * p.n];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kTile; ++k) {
#pragma unroll
      for (int i = 0; i < kPasses; ++i) sums[i] += ToFloat(a[y + i * kRowsPerPass][k]) * ToFloat(b[k][x]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kPasses; ++i) {
    StoreRow<1, float>(p, (row + i * kRowsPerPass) * p.n + column, &sums[i]);
  }
}

}  // namespace gemm::ladder
