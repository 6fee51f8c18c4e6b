// One warpgroup, one buffer: a thread asks for a stage, everyone waits for it and multiplies it, in turn.
#pragma once

#include "ladder/wgmma/epilogue.cuh"

namespace gemm::ladder {

template <class C>
__device__ __forceinline__ void OneGroup(const TmaParams& p) {
  extern __shared__ __align__(1024) unsigned char raw[];
  auto& shared = *reinterpret_cast<WgmmaShared<C>*>(raw);
  const int row = blockIdx.y * C::kTileM;
  const int column = blockIdx.x * C::kTileN;
  if (threadIdx.x == 0) {
    device::ptx::InitBarrier(&shared.full[0], 1);
    device::ptx::FenceBarrierInit();
  }
  __syncthreads();
  Sums<C> sums;
  const int steps = p.p.k / C::kTileK;
  for (int step = 0; step < steps; ++step) {
    if (threadIdx.x == 0) LoadStage<C>(p, shared, 0, row, column, step * C::kTileK);
    device::ptx::WaitParity(&shared.full[0], step % 2);
    FenceSums<C>(sums);
    MultiplyStage<C>(shared, 0, 0, step == 0, sums);
    device::ptx::WgmmaWait<0>();
    FenceSums<C>(sums);
    __syncthreads();
  }
  const unsigned warp = threadIdx.x / 32;
  StoreDirect<C>(p.p, row + warp * 16, column, threadIdx.x % 32, sums);
}

}  // namespace gemm::ladder
