// Which tile of D a block computes.
#pragma once

#include "ladder/tensor/copies.cuh"

namespace gemm::ladder {

// As the grid has it: x along N, y along M.
template <class C>
__device__ __forceinline__ BlockTile TileOfGrid() {
  return {static_cast<int>(blockIdx.y) * C::kTileM, static_cast<int>(blockIdx.x) * C::kTileN};
}

// Bands of 8 tile columns, row by row within a band: blocks that run together share more of A and B in the L2. A grid of one
// dimension.
template <class C>
__device__ __forceinline__ BlockTile TileOfBand(const Params& p) {
  constexpr int kWidth = 8;
  const int rows = p.m / C::kTileM;
  const int columns = p.n / C::kTileN;
  const int band = blockIdx.x / (kWidth * rows);
  const int in_band = blockIdx.x % (kWidth * rows);
  const int width = min(kWidth, columns - band * kWidth);
  return {in_band / width * C::kTileM, (band * kWidth + in_band % width) * C::kTileN};
}

}  // namespace gemm::ladder
