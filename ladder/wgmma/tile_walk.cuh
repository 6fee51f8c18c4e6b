// Which tiles of D a block computes, in which order. Every role of a block walks them alike.
#pragma once

#include "ladder/wgmma/config.h"

namespace gemm::ladder {

struct WalkedTile {
  int row;
  int column;
};

// One tile a block as the grid has it; or, persistent, every gridDim.x-th, in bands of 8 tile columns: blocks that run
// together share more of A and B in the L2.
template <class C>
class TileWalk {
 public:
  __device__ __forceinline__ explicit TileWalk(const Params& p)
      : rows_(p.m / C::kTileM), columns_(p.n / C::kTileN), next_(kOneTile ? 0 : blockIdx.x) {}

  __device__ __forceinline__ bool Next(WalkedTile* tile) {
    if constexpr (kOneTile) {
      *tile = {static_cast<int>(blockIdx.y) * C::kTileM, static_cast<int>(blockIdx.x) * C::kTileN};
      return next_-- == 0;
    } else {
      if (next_ >= rows_ * columns_) return false;
      const int band = next_ / (kWidth * rows_);
      const int in_band = next_ % (kWidth * rows_);
      const int width = min(kWidth, columns_ - band * kWidth);
      *tile = {in_band / width * C::kTileM, (band * kWidth + in_band % width) * C::kTileN};
      next_ += gridDim.x;
      return true;
    }
  }

 private:
  static constexpr bool kOneTile = C::kSchedule == Schedule::kPipeline;
  static constexpr int kWidth = 8;

  int rows_;
  int columns_;
  int next_;
};

}  // namespace gemm::ladder
