// The end of the main loop where a CTA's warps slice K: their sums become one.
#pragma once

#include "common/simt/product.cuh"
#include "common/simt/ring_product.cuh"

namespace gemm::simt {

// Adds the slices' sums in their order, by way of `shared`, which has room for the tile kSlices times and nothing in it that
// is still wanted, nor copies on their way into it from the calling thread. Slice s gets its threads' rows [s, s + 1) *
// kThreadM / kSlices. All threads of the CTA must call it together.
template <typename Config>
__device__ __forceinline__ Accumulators<Config, Config::kThreadM / Config::kSlices> CombineSlices(
    const Accumulators<Config>& sum, float* shared) {
  constexpr int kRows = Config::kThreadM / Config::kSlices;
  const int slice = SliceOf<Config>();
  const int thread = static_cast<int>(threadIdx.x) - slice * Config::kSliceThreads;
  __syncthreads();  // all copies have ended, and all fragments have been read
#pragma unroll
  for (int i = 0; i < Config::kThreadM; ++i) {
#pragma unroll
    for (int j = 0; j < Config::kThreadN; ++j) {
      shared[(i * Config::kThreadN + j) * Config::kThreads + threadIdx.x] = sum.at[i][j];
    }
  }
  __syncthreads();
  Accumulators<Config, kRows> total;
  total.Clear();
  const float* from = shared + slice * (kRows * Config::kThreadN * Config::kThreads) + thread;
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
#pragma unroll
    for (int j = 0; j < Config::kThreadN; ++j) {
#pragma unroll
      for (int other = 0; other < Config::kSlices; ++other) {
        total.at[i][j] += from[(i * Config::kThreadN + j) * Config::kThreads + other * Config::kSliceThreads];
      }
    }
  }
  return total;
}

}  // namespace gemm::simt
