// Tiles of A and B on their way to shared memory.
#pragma once

#include "common/device/ptx/cp_async.cuh"
#include "ladder/element.cuh"
#include "ladder/params.h"
#include "ladder/simt/config.h"

namespace gemm::ladder {

// A lies in rows of k, or turned in rows of m. Turned, rows are 16 bytes longer than the tile (4 of FP32), so that the
// elements of one row of A do not all fall into the same bank.
template <class C>
struct Tiles {
  using Element = ElementOf<C::kType>;
  static constexpr int kRowsA = C::kTransposedA ? C::kTileK : C::kTileM;
  static constexpr int kColumnsA = C::kTransposedA ? C::kTileM + kElementsOf16Bytes<Element> : C::kTileK;
  alignas(16) Element a[C::kBuffers][kRowsA][kColumnsA];
  alignas(16) Element b[C::kBuffers][C::kTileK][C::kTileN];
};

// Calls body(row, column) for the pieces of kWidth elements of a tile that are this thread's; neighbouring threads take
// neighbouring pieces.
template <int kRows, int kColumns, int kWidth, int kThreads, class Body>
__device__ __forceinline__ void ForEachPiece(const Body& body) {
  constexpr int kInRow = kColumns / kWidth;
  constexpr int kPieces = kRows * kInRow;
  static_assert(kPieces % kThreads == 0, "each thread moves the same number of pieces");
#pragma unroll
  for (int i = 0; i < kPieces / kThreads; ++i) {
    const int piece = i * kThreads + threadIdx.x;
    body(piece / kInRow, piece % kInRow * kWidth);
  }
}

// The tile from `k` on into buffer `to`.
template <class C>
__device__ __forceinline__ void LoadTiles(const Params& p, int k, Tiles<C>& tiles, int to) {
  using T = ElementOf<C::kType>;
  constexpr int kWidth = C::kVectors ? kElementsOf16Bytes<T> : 1;
  using Piece = Vector<T, kWidth>;
  const T* a = static_cast<const T*>(p.a) + blockIdx.y * C::kTileM * p.k + k;
  const T* b = static_cast<const T*>(p.b) + k * p.n + blockIdx.x * C::kTileN;
  ForEachPiece<C::kTileM, C::kTileK, kWidth, C::kThreads>([&](int row, int column) {
    const Piece piece = *reinterpret_cast<const Piece*>(a + row * p.k + column);
    if constexpr (C::kTransposedA) {
#pragma unroll
      for (int i = 0; i < kWidth; ++i) tiles.a[to][column + i][row] = piece.values[i];
    } else {
      *reinterpret_cast<Piece*>(&tiles.a[to][row][column]) = piece;
    }
  });
  ForEachPiece<C::kTileK, C::kTileN, kWidth, C::kThreads>([&](int row, int column) {
    *reinterpret_cast<Piece*>(&tiles.b[to][row][column]) =
        *reinterpret_cast<const Piece*>(b + row * p.n + column);
  });
}

// The same without a detour through registers, and without waiting: 4 bytes a copy for A, which is turned, 16 for B.
template <class C>
__device__ __forceinline__ void CopyTilesAsync(const Params& p, int k, Tiles<C>& tiles, int to) {
  static_assert(C::kType == Type::kFP32, "cp.async moves 4 bytes at least");
  const float* a = static_cast<const float*>(p.a) + blockIdx.y * C::kTileM * p.k + k;
  const float* b = static_cast<const float*>(p.b) + k * p.n + blockIdx.x * C::kTileN;
  const auto shared = [](const void* pointer) {
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
  };
  ForEachPiece<C::kTileM, C::kTileK, 1, C::kThreads>([&](int row, int column) {
    device::ptx::CpAsync4(shared(&tiles.a[to][column][row]), a + row * p.k + column, 4);
  });
  ForEachPiece<C::kTileK, C::kTileN, 4, C::kThreads>([&](int row, int column) {
    device::ptx::CpAsync16(shared(&tiles.b[to][row][column]), b + row * p.n + column, 16);
  });
  device::ptx::CpAsyncCommit();
}

}  // namespace gemm::ladder
