// Tiles of A and B on their way to shared memory, 16 bytes a thread and step.
#pragma once

#include "common/device/ptx/cp_async.cuh"
#include "ladder/element.cuh"
#include "ladder/tensor/shared_rows.cuh"

namespace gemm::ladder {

// The tile of D that a block computes.
struct BlockTile {
  int row;
  int column;
};

// One buffer's tiles; `to` is a shared::cta address.
template <class C, Rows kLayout, int kRows, int kColumns>
__device__ __forceinline__ void CopyTile(const void* matrix, int first, int stride, unsigned char* to) {
  constexpr int kInRow = kColumns / 8;
  constexpr int kChunks = kRows * kInRow;
  static_assert(kChunks % C::kThreads == 0, "each thread moves the same number of chunks");
  const auto* from = static_cast<const unsigned short*>(matrix) + first;
#pragma unroll
  for (int i = 0; i < kChunks / C::kThreads; ++i) {
    const int chunk = i * C::kThreads + threadIdx.x;
    const int row = chunk / kInRow;
    const auto* source = from + row * stride + chunk % kInRow * 8;
    unsigned char* target = to + ChunkAt<kLayout, kRows, kColumns>(row, chunk % kInRow);
    if constexpr (C::kCopies == Copies::kAsync) {
      device::ptx::CpAsync16(static_cast<unsigned>(__cvta_generic_to_shared(target)), source, 16);
    } else {
      *reinterpret_cast<uint4*>(target) = *reinterpret_cast<const uint4*>(source);
    }
  }
}

// The dynamic shared memory of a block: A's buffers, then B's.
template <class C>
struct Buffers {
  unsigned char* base;
  __device__ __forceinline__ unsigned char* A(int buffer) const { return base + buffer * C::kABytes; }
  __device__ __forceinline__ unsigned char* B(int buffer) const {
    return base + C::kBuffers * C::kABytes + buffer * C::kBBytes;
  }
};

// The tiles of step `step` of K; one group of cp.async, empty behind the last step.
template <class C>
__device__ __forceinline__ void CopyTiles(const Params& p, const BlockTile& tile, int step,
                                          const Buffers<C>& to, int buffer) {
  const int k = step * C::kTileK;
  if (k < p.k) {
    CopyTile<C, C::kRowsA, C::kTileM, C::kTileK>(p.a, tile.row * p.k + k, p.k, to.A(buffer));
    CopyTile<C, C::kRowsB, C::kTileK, C::kTileN>(p.b, k * p.n + tile.column, p.n, to.B(buffer));
  }
  if constexpr (C::kCopies == Copies::kAsync) device::ptx::CpAsyncCommit();
}

}  // namespace gemm::ladder
