// A stage's products by WGMMA, which reads both operands from shared memory.
#pragma once

#include "common/device/ptx/mbarrier.cuh"
#include "common/device/ptx/tma.cuh"
#include "common/device/ptx/wgmma.cuh"
#include "ladder/wgmma/config.h"

namespace gemm::ladder {

template <class C>
using Sums = float[C::kBlocksM][C::kBlocksN][C::kWgmmaN / 2];

template <class C>
__device__ __forceinline__ void FenceSums(Sums<C>& sums) {
#pragma unroll
  for (int i = 0; i < C::kBlocksM; ++i) {
#pragma unroll
    for (int j = 0; j < C::kBlocksN; ++j) device::ptx::FenceAccumulators(sums[i][j]);
  }
}

// By one thread: the stage's tiles from column `k` of A, row `k` of B.
template <class C>
__device__ __forceinline__ void LoadStage(const TmaParams& p, WgmmaShared<C>& shared, int stage, int row,
                                          int column, int k) {
  device::ptx::ArriveExpectBytes(&shared.full[stage], C::kStageBytes);
  device::ptx::LoadTile(shared.a[stage], &p.a, k, row, 0, &shared.full[stage]);
#pragma unroll
  for (int box = 0; box < C::kTileN / 64; ++box) {
    device::ptx::LoadTile(shared.b[stage] + box * 8192, &p.b, column + box * 64, k, 0, &shared.full[stage]);
  }
}

// One batch of wgmma, committed and in flight: sums (+)= the stage's 64 k. `group_row` is the group's first row in the tile,
// `first` starts the sums anew.
//   A, K-major: 16 k further are 32 bytes, 64 rows further 8192.
//   B, N-major: 16 k further are 2048 bytes; 64 columns further 8192, 32 columns within a box 64.
template <class C>
__device__ __forceinline__ void MultiplyStage(const WgmmaShared<C>& shared, int stage, int group_row,
                                              bool first, Sums<C>& sums) {
  constexpr auto kType =
      C::kType == Type::kFP16 ? device::ptx::WgmmaType::kFP16 : device::ptx::WgmmaType::kBF16;
  using Mma = device::ptx::Wgmma<C::kWgmmaN, kType, false, true>;
  const auto a =
      device::ptx::WgmmaDescriptor(device::ptx::SharedAddress(shared.a[stage] + group_row * 128), 16, 1024);
  const auto b = device::ptx::WgmmaDescriptor(device::ptx::SharedAddress(shared.b[stage]), 8192, 1024);
  device::ptx::WgmmaFence();
#pragma unroll
  for (int k = 0; k < C::kTileK / 16; ++k) {
#pragma unroll
    for (int i = 0; i < C::kBlocksM; ++i) {
#pragma unroll
      for (int j = 0; j < C::kBlocksN; ++j) {
        const int n = j * C::kWgmmaN;
        Mma::Run(sums[i][j], a + (k * 32 + i * 8192) / 16, b + (k * 2048 + n / 64 * 8192 + n % 64 * 2) / 16,
                 first && k == 0 ? 0 : 1);
      }
    }
  }
  device::ptx::WgmmaCommit();
}

}  // namespace gemm::ladder
