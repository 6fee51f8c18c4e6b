// The main loop's arithmetic: fragments from shared memory, outer products in registers.
#pragma once

#include "common/simt/config.h"
#include "common/simt/shared.cuh"

namespace gemm::simt {

// Where a thread's sub-tiles lie in the CTA's tile: row r of the thread is m + r / 4 * kLanesM * 4 + r % 4, likewise
// n. Lanes alternate between two rows of lanes: the 16-byte reads of a warp then take 2 wavefronts of shared memory
// instead of 3 (H200, 2026-11-21, counted over A's and B's reads together).
template <typename Config>
struct ThreadPlace {
  int m;
  int n;

  __device__ __forceinline__ ThreadPlace() {
    constexpr int kWarps = Config::kWarpsM * Config::kWarpsN;  // of a slice
    const int number = static_cast<int>(threadIdx.x) / 32;
    const int warp = Config::kSlices == 1 ? number : number % kWarps;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int lane_m = lane / (2 * Config::kLanesN) * 2 + lane % 2;
    const int lane_n = lane / 2 % Config::kLanesN;
    m = warp / Config::kWarpsN * (Config::kLanesM * Config::kThreadM) + lane_m * 4;
    n = warp % Config::kWarpsN * (Config::kLanesN * Config::kThreadN) + lane_n * 4;
  }
  static constexpr __device__ __forceinline__ int Row(int r) { return r / 4 * (Config::kLanesM * 4) + r % 4; }
  static constexpr __device__ __forceinline__ int Col(int c) { return c / 4 * (Config::kLanesN * 4) + c % 4; }
};

// One K column of A and one K row of B, as far as this thread needs them.
template <typename Config>
struct Fragments {
  float a[Config::kThreadM];
  float b[Config::kThreadN];

  __device__ __forceinline__ void Load(const Shared<Config>& shared, int buffer, int k,
                                       ThreadPlace<Config> place) {
#pragma unroll
    for (int i = 0; i < Config::kThreadM; i += 4) {
      const float4 v = *reinterpret_cast<const float4*>(&shared.a[buffer].at[k][place.m + place.Row(i)]);
      a[i] = v.x, a[i + 1] = v.y, a[i + 2] = v.z, a[i + 3] = v.w;
    }
#pragma unroll
    for (int i = 0; i < Config::kThreadN; i += 4) {
      const float4 v = *reinterpret_cast<const float4*>(&shared.b[buffer].at[k][place.n + place.Col(i)]);
      b[i] = v.x, b[i + 1] = v.y, b[i + 2] = v.z, b[i + 3] = v.w;
    }
  }
};

// A thread's sums, or kRows rows of them.
template <typename Config, int kRows = Config::kThreadM>
struct Accumulators {
  float at[kRows][Config::kThreadN];

  __device__ __forceinline__ void Clear() {
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
#pragma unroll
      for (int j = 0; j < Config::kThreadN; ++j) at[i][j] = 0;
    }
  }

  // Row by row, to and fro. In this order ptxas 13.0 finds registers for which no FFMA reads three of one bank;
  // straight on, 30% of them did in some layouts, at 7% of the speed (H200, 2026-11-21).
  __device__ __forceinline__ void Add(const Fragments<Config>& f) {
#pragma unroll
    for (int i = 0; i < Config::kThreadM; ++i) {
#pragma unroll
      for (int step = 0; step < Config::kThreadN; ++step) {
        const int j = i % 2 == 0 ? step : Config::kThreadN - 1 - step;
        at[i][j] = __fmaf_rn(f.a[i], f.b[j], at[i][j]);
      }
    }
  }
};

// The pipeline of whole panels: while one is multiplied, the next is on its way from global memory to registers.
// Multiplies `panels` >= 1 of them into `sum`. Here and below elements are added in ascending k, one FMA each, in
// every configuration: all SIMT kernels that neither split nor slice K give the same bits. All threads of the CTA must call it together, and must
// have passed a barrier since they last read `shared`.
template <typename Config, typename PanelA, typename PanelB>
__device__ __forceinline__ void MultiplyPipelined(PanelA& a, PanelB& b, unsigned panels, Shared<Config>& shared,
                                                  Accumulators<Config>& sum) {
  const ThreadPlace<Config> place;
  Fragments<Config> fragments[2];
  a.Load();
  b.Load();
  a.Store(shared.a[0]);
  b.Store(shared.b[0]);
  __syncthreads();
  fragments[0].Load(shared, 0, 0, place);
  int buffer = 0;
  while (--panels != 0) {
#pragma unroll
    for (int k = 0; k < Config::kTileK; ++k) {
      if (k == 0) {
        a.Load();
        b.Load();
      }
      if (k == Config::kTileK - 3) {  // early enough that the barrier does not wait for the stores
        a.Store(shared.a[buffer ^ 1]);
        b.Store(shared.b[buffer ^ 1]);
      }
      if (k == Config::kTileK - 1) {
        buffer ^= 1;
        __syncthreads();
      }
      fragments[(k + 1) % 2].Load(shared, buffer, (k + 1) % Config::kTileK, place);
      sum.Add(fragments[k % 2]);
    }
  }
#pragma unroll
  for (int k = 0; k < Config::kTileK; ++k) {
    if (k + 1 < Config::kTileK) fragments[(k + 1) % 2].Load(shared, buffer, k + 1, place);
    sum.Add(fragments[k % 2]);
  }
}

// Multiplies k >= 1 columns, copied element by element. The copies of one CTA wait for global memory while other CTAs
// of the SM multiply.
template <typename Config, typename PanelA, typename PanelB>
__device__ __forceinline__ void MultiplyCopied(PanelA& a, PanelB& b, long long k, Shared<Config>& shared,
                                               Accumulators<Config>& sum) {
  const ThreadPlace<Config> place;
  for (int buffer = 0; k > 0; k -= Config::kTileK, buffer ^= 1) {
    a.Copy(k, shared.a[buffer]);
    b.Copy(k, shared.b[buffer]);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < Config::kTileK; ++i) {
      Fragments<Config> fragments;
      fragments.Load(shared, buffer, i, place);
      sum.Add(fragments);
    }
  }
}

}  // namespace gemm::simt
