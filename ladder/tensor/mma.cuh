// A warp's products by ldmatrix and mma.sync m16n8k16.
#pragma once

#include "common/device/ptx/ldmatrix.cuh"
#include "common/device/ptx/mma.cuh"
#include "ladder/tensor/copies.cuh"
#include "ladder/tensor/staged_store.cuh"

namespace gemm::ladder {

// What the main loops ask of a warp (loops.cuh). Blocks of 16 x 16 results: two mma side by side.
template <class C>
class MmaWarp {
 public:
  __device__ __forceinline__ MmaWarp() {
    const int warp = threadIdx.x / 32;
    row_ = warp / C::kWarpsN * C::kWarpM;
    column_ = warp % C::kWarpsN * C::kWarpN;
    lane_row_ = threadIdx.x % 16;
    lane_chunk_ = threadIdx.x % 32 / 16;
  }

  // Lanes 0-15 give the rows of the block's left half, 16-31 those of its right half: the order of mma's registers.
  __device__ __forceinline__ void ReadA(int i, const unsigned char* tile, int step) {
    const auto* at =
        tile + ChunkAt<C::kRowsA, C::kTileM, C::kTileK>(row_ + i * 16 + lane_row_, step * 2 + lane_chunk_);
    device::ptx::LdmatrixX4(Shared(at), a_[i][0], a_[i][1], a_[i][2], a_[i][3]);
  }
  // B lies in rows of n, mma wants columns of k: .trans turns each 8x8 matrix on its way. One x4 is two x2.
  __device__ __forceinline__ void ReadB(int j, const unsigned char* tile, int step) {
    const int chunk = column_ / 8 + j * 2 + lane_chunk_;
    const auto* at = tile + ChunkAt<C::kRowsB, C::kTileK, C::kTileN>(step * 16 + lane_row_, chunk);
    device::ptx::LdmatrixX4Trans(Shared(at), b_[j][0][0], b_[j][0][1], b_[j][1][0], b_[j][1][1]);
  }
  __device__ __forceinline__ void Multiply(int i, int j) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      if constexpr (C::kType == Type::kBF16) {
        device::ptx::MmaM16N8K16BF16(sums_[i][2 * j + half], a_[i], b_[j][half]);
      } else {
        device::ptx::MmaM16N8K16F16(sums_[i][2 * j + half], a_[i], b_[j][half]);
      }
    }
  }

  __device__ __forceinline__ void Store(const Params& p, const BlockTile& tile, unsigned char* shared) {
    if constexpr (C::kStores == Stores::kStaged) {
      StoreStaged<C>(p, tile, shared, row_, column_, sums_);
    } else {
      StoreSums(p, tile);
    }
  }

 private:
  static __device__ __forceinline__ unsigned Shared(const unsigned char* pointer) {
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
  }

  // A lane holds two neighbours of row lane / 4 and two of the row 8 further.
  __device__ __forceinline__ void StoreSums(const Params& p, const BlockTile& tile) const {
    const int lane = threadIdx.x % 32;
    const int first = (tile.row + row_ + lane / 4) * p.n + tile.column + column_ + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < C::kBlocksM; ++i) {
#pragma unroll
      for (int j = 0; j < 2 * C::kBlocksN; ++j) {
        const int at = first + i * 16 * p.n + j * 8;
        StoreRow<2, ElementOf<C::kOut>>(p, at, &sums_[i][j][0]);
        StoreRow<2, ElementOf<C::kOut>>(p, at + 8 * p.n, &sums_[i][j][2]);
      }
    }
  }

  int row_;
  int column_;
  int lane_row_;
  int lane_chunk_;
  unsigned a_[C::kBlocksM][4];
  unsigned b_[C::kBlocksN][2][2];
  float sums_[C::kBlocksM][2 * C::kBlocksN][4] = {};
};

}  // namespace gemm::ladder
