// A warp's products by the wmma API: 16x16x16, operands and sums in opaque fragments.
#pragma once

#include <mma.h>

#include "ladder/tensor/copies.cuh"

namespace gemm::ladder {

namespace wmma = nvcuda::wmma;

template <class T>
using FragmentA = wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major>;
template <class T>
using FragmentB = wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::row_major>;
using FragmentSum = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;

// D and C are FP32 and share the fragments' layout, so that the epilogue works on fragments too.
__device__ __forceinline__ void StoreFragment(const Params& p, int row, int column, FragmentSum& sums) {
  const int at = row * p.n + column;
#pragma unroll
  for (int e = 0; e < sums.num_elements; ++e) sums.x[e] *= p.alpha;
  if (p.beta != 0) {
    FragmentSum c;
    wmma::load_matrix_sync(c, static_cast<const float*>(p.c) + at, p.n, wmma::mem_row_major);
#pragma unroll
    for (int e = 0; e < sums.num_elements; ++e) sums.x[e] += p.beta * c.x[e];
  }
  wmma::store_matrix_sync(static_cast<float*>(p.d) + at, sums, p.n, wmma::mem_row_major);
}

// What the main loops ask of a warp (loops.cuh).
template <class C>
class WmmaWarp {
 public:
  using T = ElementOf<C::kType>;

  __device__ __forceinline__ WmmaWarp() {
    const int warp = threadIdx.x / 32;
    row_ = warp / C::kWarpsN * C::kWarpM;
    column_ = warp % C::kWarpsN * C::kWarpN;
#pragma unroll
    for (int i = 0; i < C::kBlocksM; ++i) {
#pragma unroll
      for (int j = 0; j < C::kBlocksN; ++j) wmma::fill_fragment(sums_[i][j], 0.0f);
    }
  }

  __device__ __forceinline__ void ReadA(int i, const unsigned char* tile, int step) {
    wmma::load_matrix_sync(a_[i], reinterpret_cast<const T*>(tile) + (row_ + i * 16) * kStrideA + step * 16,
                           kStrideA);
  }
  __device__ __forceinline__ void ReadB(int j, const unsigned char* tile, int step) {
    wmma::load_matrix_sync(b_[j], reinterpret_cast<const T*>(tile) + step * 16 * kStrideB + column_ + j * 16,
                           kStrideB);
  }
  __device__ __forceinline__ void Multiply(int i, int j) {
    wmma::mma_sync(sums_[i][j], a_[i], b_[j], sums_[i][j]);
  }

  __device__ __forceinline__ void Store(const Params& p, const BlockTile& tile, unsigned char*) {
#pragma unroll
    for (int i = 0; i < C::kBlocksM; ++i) {
#pragma unroll
      for (int j = 0; j < C::kBlocksN; ++j) {
        StoreFragment(p, tile.row + row_ + i * 16, tile.column + column_ + j * 16, sums_[i][j]);
      }
    }
  }

 private:
  static constexpr int kStrideA = C::kTileK + (C::kRowsA == Rows::kPadded ? 8 : 0);
  static constexpr int kStrideB = C::kTileN + (C::kRowsB == Rows::kPadded ? 8 : 0);
  static_assert(C::kRowsA != Rows::kSwizzled && C::kRowsB != Rows::kSwizzled,
                "wmma reads rows with a fixed stride");

  int row_;
  int column_;
  FragmentA<T> a_[C::kBlocksM];
  FragmentB<T> b_[C::kBlocksN];
  FragmentSum sums_[C::kBlocksM][C::kBlocksN];
};

// Without shared memory: a warp has one 16 x 16 tile and reads its operands where they are. 8 warps, 2 x 4.
template <class T>
__device__ __forceinline__ void WmmaFromGlobal(const Params& p) {
  const int warp = threadIdx.x / 32;
  const int row = blockIdx.y * 32 + warp / 4 * 16;
  const int column = blockIdx.x * 64 + warp % 4 * 16;
  FragmentSum sums;
  wmma::fill_fragment(sums, 0.0f);
  for (int k = 0; k < p.k; k += 16) {
    FragmentA<T> a;
    FragmentB<T> b;
    wmma::load_matrix_sync(a, static_cast<const T*>(p.a) + row * p.k + k, p.k);
    wmma::load_matrix_sync(b, static_cast<const T*>(p.b) + k * p.n + column, p.n);
    wmma::mma_sync(sums, a, b, sums);
  }
  StoreFragment(p, row, column, sums);
}

}  // namespace gemm::ladder
