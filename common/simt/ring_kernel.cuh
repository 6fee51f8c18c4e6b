// The SIMT kernels of ring.inc: what a CTA does.
#pragma once

#include "common/device/ptx/grid_dependency.cuh"
#include "common/simt/epilogue.cuh"
#include "common/simt/kernel.cuh"
#include "common/simt/ring_product.cuh"
#include "common/simt/ring_slices.cuh"
#include "common/simt/ring_split.cuh"

namespace gemm::simt {

// The columns [begin, end) of one part of K. Parts meet where panels do, counted from K's end: MultiplyRing's first panel
// takes what is left.
template <typename Config>
struct Columns {
  int begin;
  int end;

  __device__ __forceinline__ Columns(int k, unsigned part, unsigned parts) {
    const unsigned panels = (static_cast<unsigned>(k) + Config::kTileK - 1) / Config::kTileK;
    const auto first = static_cast<unsigned>(static_cast<unsigned long long>(part) * panels / parts);
    const auto last = static_cast<unsigned>((part + 1ull) * panels / parts);
    begin = part == 0 ? 0 : k - static_cast<int>((panels - first) * Config::kTileK);
    end = k - static_cast<int>((panels - last) * Config::kTileK);
  }
};

// One part of one tile for each CTA: all tiles' first parts, then their second ones. The host keeps K below 2^31, at kTileK or
// more, and each part at two panels or more.
template <typename Config, int kMajorA, int kMajorB>
__device__ __forceinline__ void RunRing(const Params& p, const SplitK& split) {
  static_assert(sizeof(Ring<Config>) == Config::kRingBytes);
  extern __shared__ __align__(16) char raw[];
  Ring<Config>& ring = *reinterpret_cast<Ring<Config>*>(raw);
  device::ptx::GridDependencyWait();
  device::ptx::GridDependencyLaunchDependents();
  const unsigned tiles = gridDim.x / static_cast<unsigned>(split.parts);
  const unsigned part = blockIdx.x / tiles;
  const unsigned number = blockIdx.x - part * tiles;
  const TileIndex tile = FindTile<Config, unsigned>(p, number);
  const Origins from(p, tile);
  const Columns<Config> columns(static_cast<int>(p.k), part, static_cast<unsigned>(split.parts));
  RingPanel<Config, Config::kTileM, kMajorA> a(p.a, from.a + columns.begin * p.a.k_stride, from.m_left);
  RingPanel<Config, Config::kTileN, kMajorB> b(p.b, from.b + columns.begin * p.b.k_stride, from.n_left);
  Accumulators<Config> sum;
  sum.Clear();
  MultiplyRing<Config>(a, b, columns.end - columns.begin, ring, sum);
  if constexpr (Config::kSlices == 1) {
    if (split.parts > 1 && !CombineParts(split, number, tiles, part, sum)) return;
    WriteTile(p, tile.m, tile.n, tile.batch, sum);
  } else {
    auto rows = CombineSlices(sum, reinterpret_cast<float*>(raw));
    if (split.parts > 1 && !CombineParts(split, number, tiles, part, rows)) return;
    WriteTile(p, tile.m, tile.n, tile.batch, rows, SliceOf<Config>() * (Config::kThreadM / Config::kSlices));
  }
}

}  // namespace gemm::simt
