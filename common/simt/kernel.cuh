// The SIMT kernels: what a CTA does, from its index to its tile of D.
#pragma once

#include "common/device/ptx/grid_dependency.cuh"
#include "common/simt/epilogue.cuh"
#include "common/simt/panel.cuh"
#include "common/simt/params.h"
#include "common/simt/product.cuh"

namespace gemm::simt {

struct TileIndex {
  long long m;  // first element
  long long n;
  long long batch;
};

// Number `index` of all tiles of all batches. Tiles are numbered in bands of kBand tile rows, column by column within a
// band, so that CTAs that run together share operands in the L2. Integer is what the numbers fit: unsigned or unsigned
// long long.
template <typename Config, typename Integer>
__device__ __forceinline__ TileIndex FindTile(const Params& p, Integer index) {
  constexpr Integer kBand = 16;
  const Integer tiles_m = static_cast<Integer>((p.m + Config::kTileM - 1) / Config::kTileM);
  const Integer tiles_n = static_cast<Integer>((p.n + Config::kTileN - 1) / Config::kTileN);
  const Integer batch = index / (tiles_m * tiles_n);
  index -= batch * (tiles_m * tiles_n);
  const Integer band = index / (kBand * tiles_n);
  index -= band * (kBand * tiles_n);
  const Integer left = tiles_m - band * kBand;
  const Integer rows = left < kBand ? left : kBand;
  const Integer tile_n = index / rows;
  const Integer tile_m = band * kBand + (index - tile_n * rows);
  return {static_cast<long long>(tile_m) * Config::kTileM, static_cast<long long>(tile_n) * Config::kTileN,
          static_cast<long long>(batch)};
}

template <typename Config, int kMajorA, int kMajorB>
__device__ __forceinline__ void ComputeTile(const Params& p, const TileIndex& tile, Shared<Config>& shared) {
  Accumulators<Config> sum;
  sum.Clear();
  if (p.k > 0) {
    Panel<Config, Config::kTileM, kMajorA> a(
        p.a, p.input_type,
        static_cast<const char*>(p.a.base) + tile.batch * p.a.batch_stride + tile.m * p.a.mn_stride, p.m - tile.m);
    Panel<Config, Config::kTileN, kMajorB> b(
        p.b, p.input_type,
        static_cast<const char*>(p.b.base) + tile.batch * p.b.batch_stride + tile.n * p.b.mn_stride, p.n - tile.n);
    MultiplyPanels<Config>(a, b, p.k, shared, sum);
  }
  WriteTile<Config>(p, tile.m, tile.n, tile.batch, sum);
}

// One tile for each CTA: at most 2^31 - 1 tiles.
template <typename Config, int kMajorA, int kMajorB>
__device__ __forceinline__ void RunTile(const Params& p) {
  __shared__ Shared<Config> shared;
  device::ptx::GridDependencyWait();
  device::ptx::GridDependencyLaunchDependents();
  ComputeTile<Config, kMajorA, kMajorB>(p, FindTile<Config, unsigned>(p, blockIdx.x), shared);
}

// Any number of tiles in any layout: each CTA walks through the list.
template <typename Config>
__device__ __forceinline__ void RunAny(const Params& p) {
  using Integer = unsigned long long;
  __shared__ Shared<Config> shared;
  device::ptx::GridDependencyWait();
  device::ptx::GridDependencyLaunchDependents();
  const Integer tiles = static_cast<Integer>((p.m + Config::kTileM - 1) / Config::kTileM) *
                        static_cast<Integer>((p.n + Config::kTileN - 1) / Config::kTileN) *
                        static_cast<Integer>(p.batch);
  for (Integer tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    ComputeTile<Config, kMajorRuntime, kMajorRuntime>(p, FindTile<Config, Integer>(p, tile), shared);
    __syncthreads();
  }
}

}  // namespace gemm::simt
