// The SIMT kernels: what a CTA does, from its index to its tile of D.
#pragma once

#include "common/device/ptx/grid_dependency.cuh"
#include "common/simt/epilogue.cuh"
#include "common/simt/params.h"
#include "common/simt/product.cuh"
#include "common/simt/scalar_panel.cuh"
#include "common/simt/vector_panel.cuh"

namespace gemm::simt {

struct TileIndex {
  long long m;  // first element
  long long n;
  long long batch;
};

// Number `index` of all tiles of all batches. Tiles are numbered in bands of kBandRows tile rows, column by column within a
// band, so that CTAs that run together share operands in the L2. Integer is what the numbers, and those of a whole band, fit:
// unsigned or unsigned long long.
template <typename Config, typename Integer>
__device__ __forceinline__ TileIndex FindTile(const Params& p, Integer index) {
  constexpr Integer kBand = kBandRows;
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

// A's and B's first elements of a tile, and how many lines of each exist from there on.
struct Origins {
  const char* a;
  const char* b;
  long long m_left;
  long long n_left;

  __device__ __forceinline__ Origins(const Params& p, const TileIndex& tile)
      : a(static_cast<const char*>(p.a.base) + tile.batch * p.a.batch_stride + tile.m * p.a.mn_stride),
        b(static_cast<const char*>(p.b.base) + tile.batch * p.b.batch_stride + tile.n * p.b.mn_stride),
        m_left(p.m - tile.m),
        n_left(p.n - tile.n) {}
};

// Multiplies as many columns as whole panels hold, if A and B can be read by vectors, and returns their number.
template <typename Config, int kMajorA, int kMajorB, int kBytes>
__device__ __forceinline__ long long MultiplyVectors(const Params& p, const Origins& from, Shared<Config>& shared,
                                                     Accumulators<Config>& sum) {
  using PanelA = VectorPanel<Config, Config::kTileM, kMajorA, kBytes>;
  using PanelB = VectorPanel<Config, Config::kTileN, kMajorB, kBytes>;
  // 2^31 panels are more than any device holds; beyond them the careful way takes over.
  const unsigned panels = static_cast<unsigned>(min(p.k / Config::kTileK, 0x7fffffffll));
  if (panels == 0 || !PanelA::Fits(p.a, from.m_left) || !PanelB::Fits(p.b, from.n_left)) return 0;
  PanelA a(p.a, p.input_type, from.a, from.m_left);
  PanelB b(p.b, p.input_type, from.b, from.n_left);
  MultiplyPipelined<Config>(a, b, panels, shared, sum);
  return static_cast<long long>(panels) * Config::kTileK;
}

template <typename Config, int kMajorA, int kMajorB>
__device__ __forceinline__ void ComputeTile(const Params& p, const TileIndex& tile, Shared<Config>& shared) {
  Accumulators<Config> sum;
  sum.Clear();
  const Origins from(p, tile);
  long long done = 0;
  if constexpr (kMajorA != kMajorRuntime) {
    done = p.input_type == device::kElementFP32
               ? MultiplyVectors<Config, kMajorA, kMajorB, 4>(p, from, shared, sum)
               : MultiplyVectors<Config, kMajorA, kMajorB, 2>(p, from, shared, sum);
  }
  if (done < p.k) {
    ScalarPanel<Config, Config::kTileM, kMajorA> a(p.a, p.input_type, from.a + done * p.a.k_stride, from.m_left);
    ScalarPanel<Config, Config::kTileN, kMajorB> b(p.b, p.input_type, from.b + done * p.b.k_stride, from.n_left);
    __syncthreads();  // the vectors' last panel has been read
    MultiplyCopied<Config>(a, b, p.k - done, shared, sum);
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
    __syncthreads();  // the next tile's panels may overwrite this one's
  }
}

}  // namespace gemm::simt
