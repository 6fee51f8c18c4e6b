// The main loop's arithmetic: fragments from shared memory, outer products in registers.
#pragma once

#include "common/simt/config.h"
#include "common/simt/panel.cuh"

namespace gemm::simt {

template <typename Config>
struct Shared {
  SharedPanel<Config::kTileK, Config::kTileM> a[2];
  SharedPanel<Config::kTileK, Config::kTileN> b[2];
};

// Where a thread's sub-tiles lie in the CTA's tile: row r of the thread is m + r / 4 * kLanesM * 4 + r % 4, likewise n.
template <typename Config>
struct ThreadPlace {
  int m;
  int n;

  __device__ __forceinline__ ThreadPlace() {
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    m = warp / Config::kWarpsN * (Config::kLanesM * Config::kThreadM) + lane / Config::kLanesN * 4;
    n = warp % Config::kWarpsN * (Config::kLanesN * Config::kThreadN) + lane % Config::kLanesN * 4;
  }
  static constexpr __device__ __forceinline__ int Row(int r) { return r / 4 * (Config::kLanesM * 4) + r % 4; }
  static constexpr __device__ __forceinline__ int Col(int c) { return c / 4 * (Config::kLanesN * 4) + c % 4; }
};

// One K column of A and one K row of B, as far as this thread needs them.
template <typename Config>
struct Fragments {
  float a[Config::kThreadM];
  float b[Config::kThreadN];

  __device__ __forceinline__ void Load(const Shared<Config>& shared, int buffer, int k, ThreadPlace<Config> place) {
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

template <typename Config>
struct Accumulators {
  float at[Config::kThreadM][Config::kThreadN];

  __device__ __forceinline__ void Clear() {
#pragma unroll
    for (int i = 0; i < Config::kThreadM; ++i) {
#pragma unroll
      for (int j = 0; j < Config::kThreadN; ++j) at[i][j] = 0;
    }
  }

  __device__ __forceinline__ void Add(const Fragments<Config>& f) {
#pragma unroll
    for (int i = 0; i < Config::kThreadM; ++i) {
#pragma unroll
      for (int j = 0; j < Config::kThreadN; ++j) at[i][j] = __fmaf_rn(f.a[i], f.b[j], at[i][j]);
    }
  }
};

// Multiplies the panels' K columns, k >= 1 of them, into `sum`. Elements are added in ascending k, one FMA each, in every
// configuration: all SIMT kernels give the same bits. All threads of the CTA must call it together, and must have passed a
// barrier since they last read `shared`.
template <typename Config, typename PanelA, typename PanelB>
__device__ __forceinline__ void MultiplyPanels(PanelA& a, PanelB& b, long long k, Shared<Config>& shared,
                                               Accumulators<Config>& sum) {
  const ThreadPlace<Config> place;
  Fragments<Config> fragments[2];
  a.Load(k);
  b.Load(k);
  a.Store(shared.a[0]);
  b.Store(shared.b[0]);
  __syncthreads();
  fragments[0].Load(shared, 0, 0, place);
  int buffer = 0;
  while (true) {
    k -= Config::kTileK;
    const bool more = k > 0;
#pragma unroll
    for (int i = 0; i < Config::kTileK; ++i) {
      if (i + 1 < Config::kTileK) {
        fragments[(i + 1) % 2].Load(shared, buffer, i + 1, place);
      } else if (more) {
        buffer ^= 1;
        a.Store(shared.a[buffer]);
        b.Store(shared.b[buffer]);
        __syncthreads();
        fragments[0].Load(shared, buffer, 0, place);
      }
      if (i == 0 && more) {
        a.Load(k);
        b.Load(k);
      }
      sum.Add(fragments[i % 2]);
    }
    if (!more) break;
  }
}

}  // namespace gemm::simt
