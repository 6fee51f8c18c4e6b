// Two buffers: while one tile is multiplied, the next is on its way, and one barrier a tile is enough.
#pragma once

#include "ladder/simt/register_tile.cuh"

namespace gemm::ladder {

template <class C>
__device__ __forceinline__ void DoubleBuffer(const Params& p) {
  __shared__ Tiles<C> tiles;
  const Place<C> place;
  Results<C> sums = {};
  CopyTilesAsync<C>(p, 0, tiles, 0);
  int buffer = 0;
  for (int k = 0; k < p.k; k += C::kTileK) {
    // The tile has come for every thread, and every thread is done with the other buffer.
    device::ptx::CpAsyncWait<0>();
    __syncthreads();
    if (k + C::kTileK < p.k) CopyTilesAsync<C>(p, k + C::kTileK, tiles, buffer ^ 1);
    MultiplyTiles<C>(tiles, buffer, place, sums);
    buffer ^= 1;
  }
  StoreResults<C>(p, place, sums);
}

}  // namespace gemm::ladder
