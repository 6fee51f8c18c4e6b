// The main loops: how copies, shared memory reads and products of a block overlap. Warp is WmmaWarp or MmaWarp.
#pragma once

#include "ladder/tensor/copies.cuh"

namespace gemm::ladder {

// Everything of one buffer.
template <class C, class Warp>
__device__ __forceinline__ void MultiplyBuffer(Warp& warp, const Buffers<C>& buffers, int buffer) {
#pragma unroll
  for (int step = 0; step < C::kStepsK; ++step) {
#pragma unroll
    for (int i = 0; i < C::kBlocksM; ++i) warp.ReadA(i, buffers.A(buffer), step);
#pragma unroll
    for (int j = 0; j < C::kBlocksN; ++j) warp.ReadB(j, buffers.B(buffer), step);
#pragma unroll
    for (int i = 0; i < C::kBlocksM; ++i) {
#pragma unroll
      for (int j = 0; j < C::kBlocksN; ++j) warp.Multiply(i, j);
    }
  }
}

// Copy, wait, multiply, in turn.
template <class C, class Warp>
__device__ __forceinline__ void OneBuffer(const Params& p, const BlockTile& tile, const Buffers<C>& buffers,
                                          Warp& warp) {
  const int steps = p.k / C::kTileK;
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
    CopyTiles<C>(p, tile, step, buffers, 0);
    if constexpr (C::kCopies == Copies::kAsync) device::ptx::CpAsyncWait<0>();
    __syncthreads();
    MultiplyBuffer<C>(warp, buffers, 0);
    __syncthreads();
  }
}

// The next tile is copied while this one is multiplied.
template <class C, class Warp>
__device__ __forceinline__ void TwoBuffers(const Params& p, const BlockTile& tile, const Buffers<C>& buffers,
                                           Warp& warp) {
  const int steps = p.k / C::kTileK;
  CopyTiles<C>(p, tile, 0, buffers, 0);
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
    // This tile has come for every thread, and every thread is done with the other buffer.
    device::ptx::CpAsyncWait<0>();
    __syncthreads();
    CopyTiles<C>(p, tile, step + 1, buffers, (step + 1) % 2);
    MultiplyBuffer<C>(warp, buffers, step % 2);
  }
}

// Multiplies one step of 16 and reads the fragments of the next from `buffer` into the same registers, each as soon as its
// last product has been issued: one set of fragments is enough.
template <class C, class Warp>
__device__ __forceinline__ void MultiplyAndReadNext(Warp& warp, const Buffers<C>& buffers, int buffer,
                                                    int step) {
#pragma unroll
  for (int i = 0; i < C::kBlocksM; ++i) {
#pragma unroll
    for (int j = 0; j < C::kBlocksN; ++j) {
      warp.Multiply(i, j);
      if (i == C::kBlocksM - 1) warp.ReadB(j, buffers.B(buffer), step);
    }
    warp.ReadA(i, buffers.A(buffer), step);
  }
}

// Three things at a time: a tile from global to shared memory, fragments from shared memory to registers, and products.
template <class C, class Warp>
__device__ __forceinline__ void ThreeStages(const Params& p, const BlockTile& tile, const Buffers<C>& buffers,
                                            Warp& warp) {
  static_assert(C::kStepsK >= 2,
                "a tile's first fragments are read behind the barrier, its last before the next");
  const int steps = p.k / C::kTileK;
  CopyTiles<C>(p, tile, 0, buffers, 0);
  CopyTiles<C>(p, tile, 1, buffers, 1);
  device::ptx::CpAsyncWait<1>();
  __syncthreads();
#pragma unroll
  for (int i = 0; i < C::kBlocksM; ++i) warp.ReadA(i, buffers.A(0), 0);
#pragma unroll
  for (int j = 0; j < C::kBlocksN; ++j) warp.ReadB(j, buffers.B(0), 0);
  CopyTiles<C>(p, tile, 2, buffers, 2);
  int buffer = 0;
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
    const int next = buffer == 2 ? 0 : buffer + 1;
#pragma unroll
    for (int k = 1; k < C::kStepsK; ++k) MultiplyAndReadNext<C>(warp, buffers, buffer, k);
    // The next tile has come, and everyone has read the last of this one, whose buffer is free.
    device::ptx::CpAsyncWait<1>();
    __syncthreads();
    CopyTiles<C>(p, tile, step + 3, buffers, buffer);
    // Behind the last tile this reads an old buffer, for nothing.
    MultiplyAndReadNext<C>(warp, buffers, next, 0);
    buffer = next;
  }
}

// The kernel of every rung but the one without shared memory.
template <class C, class Warp>
__device__ __forceinline__ void TensorTile(const Params& p, const BlockTile& tile) {
  extern __shared__ __align__(128) unsigned char shared[];
  const Buffers<C> buffers{shared};
  Warp warp;
  if constexpr (C::kLoop == Loop::kOneBuffer) OneBuffer<C>(p, tile, buffers, warp);
  if constexpr (C::kLoop == Loop::kTwoBuffers) TwoBuffers<C>(p, tile, buffers, warp);
  if constexpr (C::kLoop == Loop::kThreeStages) ThreeStages<C>(p, tile, buffers, warp);
  warp.Store(p, tile, shared);
}

}  // namespace gemm::ladder
