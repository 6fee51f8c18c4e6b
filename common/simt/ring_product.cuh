// The main loop over a ring of stages in shared memory that cp.async fills.
#pragma once

#include "common/simt/product.cuh"
#include "common/simt/ring_panel.cuh"

namespace gemm::simt {

template <typename Config>
struct Ring {
  struct Stage {
    SharedPanel<Config::kTileK, Config::kTileM> a;
    SharedPanel<Config::kTileK, Config::kTileN> b;
  };
  Stage stages[Config::kStages];
};

template <typename Config>
struct RingFragments {
  float a[Config::kThreadM];
  float b[Config::kThreadN];

  __device__ __forceinline__ void Load(const typename Ring<Config>::Stage& stage, int k,
                                       ThreadPlace<Config> place) {
#pragma unroll
    for (int i = 0; i < Config::kThreadM; i += 4) {
      const float4 v = *reinterpret_cast<const float4*>(&stage.a.at[k][place.m + place.Row(i)]);
      a[i] = v.x, a[i + 1] = v.y, a[i + 2] = v.z, a[i + 3] = v.w;
    }
#pragma unroll
    for (int i = 0; i < Config::kThreadN; i += 4) {
      const float4 v = *reinterpret_cast<const float4*>(&stage.b.at[k][place.n + place.Col(i)]);
      b[i] = v.x, b[i + 1] = v.y, b[i + 2] = v.z, b[i + 3] = v.w;
    }
  }
};

template <typename Config>
__device__ __forceinline__ void AddOuter(const RingFragments<Config>& f, Accumulators<Config>& sum) {
  if constexpr (Config::kOrder == kRowsFirst) {
#pragma unroll
    for (int i = 0; i < Config::kThreadM; ++i) {
#pragma unroll
      for (int step = 0; step < Config::kThreadN; ++step) {
        const int j = i % 2 == 0 ? step : Config::kThreadN - 1 - step;
        sum.at[i][j] = __fmaf_rn(f.a[i], f.b[j], sum.at[i][j]);
      }
    }
  } else {
#pragma unroll
    for (int j = 0; j < Config::kThreadN; ++j) {
#pragma unroll
      for (int step = 0; step < Config::kThreadM; ++step) {
        const int i = j % 2 == 0 ? step : Config::kThreadM - 1 - step;
        sum.at[i][j] = __fmaf_rn(f.a[i], f.b[j], sum.at[i][j]);
      }
    }
  }
}

// Which of the kSlices this thread belongs to.
template <typename Config>
__device__ __forceinline__ int SliceOf() {
  return Config::kSlices == 1 ? 0 : static_cast<int>(threadIdx.x) / Config::kSliceThreads;
}

// Multiplies k columns, of which the operands must have kTileK or more that end with these; with slices, a thread those of its
// own. They are added in ascending k, one FMA each, as everywhere in this backend: the first panel takes what is left of k by whole panels, and zeros
// behind it. The loop's body has no branch, so that ptxas can order all of it: past the end the last panel is copied
// again, and not read. All threads of the CTA must call it together.
template <typename Config, typename PanelA, typename PanelB>
__device__ __forceinline__ void MultiplyRing(PanelA& a, PanelB& b, int k, Ring<Config>& ring,
                                             Accumulators<Config>& sum) {
  constexpr int kAhead = Config::kStages - 1;
  constexpr int kSliceK = Config::kSliceK;
  const ThreadPlace<Config> place;
  const int column = SliceOf<Config>() * kSliceK;  // of each panel, the first of this thread's
  const int first = (k - 1) % Config::kTileK + 1;
  int steps = (k - 1) / Config::kTileK + 1;
  a.CopyFirst(ring.stages[0].a, first);
  b.CopyFirst(ring.stages[0].b, first);
  device::ptx::CpAsyncCommit();
#pragma unroll
  for (int slot = 1; slot <= kAhead; ++slot) {
    if (slot == steps) {
      a.StepBack();
      b.StepBack();
    }
    if (slot == kAhead) break;
    a.Copy(ring.stages[slot].a);
    b.Copy(ring.stages[slot].b);
    if (slot < steps) {
      a.Advance();
      b.Advance();
    }
    device::ptx::CpAsyncCommit();
  }
  device::ptx::CpAsyncWait<kAhead - 1>();
  __syncthreads();
  RingFragments<Config> fragments[2];
  fragments[0].Load(ring.stages[0], column, place);
  int read = 0;
  int write = kAhead;
  int copies = steps - kAhead;
#pragma unroll 1
  for (; steps != 0; --steps) {
#pragma unroll
    for (int k = 0; k < kSliceK; ++k) {
      if (k == kSliceK - 1) {
        device::ptx::CpAsyncCommit();
        device::ptx::CpAsyncWait<kAhead - 1>();
        __syncthreads();
        read = read + 1 == Config::kStages ? 0 : read + 1;
        write = write + 1 == Config::kStages ? 0 : write + 1;
        --copies;
        if (copies > 0) {
          a.Advance();
          b.Advance();
        }
      }
      fragments[(k + 1) % 2].Load(ring.stages[read], column + (k + 1) % kSliceK, place);
      if (k != kSliceK - 1) {
        a.CopyPart(ring.stages[write].a, k, kSliceK - 1);
        b.CopyPart(ring.stages[write].b, k, kSliceK - 1);
      }
      AddOuter<Config>(fragments[k % 2], sum);
    }
  }
  device::ptx::CpAsyncWait<0>();
}

}  // namespace gemm::simt
