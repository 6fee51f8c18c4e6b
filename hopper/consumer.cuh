// A consumer warpgroup: multiplies the stages into registers, then runs the epilogue.
#pragma once

#include "common/device/ptx/wgmma.cuh"
#include "hopper/epilogue.cuh"
#include "hopper/operand_layout.cuh"
#include "hopper/params.h"
#include "hopper/pipeline.cuh"
#include "hopper/stream_k.cuh"

namespace gemm::hopper {

template <class C>
using Accumulators = float[C::kBlocksM][C::kTileN / 2];

template <class C>
__device__ __forceinline__ void FenceAll(Accumulators<C>& acc) {
#pragma unroll
  for (int i = 0; i < C::kBlocksM; ++i) device::ptx::FenceAccumulators(acc[i]);
}

// One batch of wgmma: acc (+)= the stage's 64 k. `first` starts the sum anew.
template <class C>
__device__ __forceinline__ void MultiplyStage(cuda::std::uint64_t a, cuda::std::uint64_t b, unsigned stage,
                                              bool first, Accumulators<C>& acc) {
  using ALayout = OperandLayout<C::kATransposed>;
  using BLayout = OperandLayout<C::kBTransposed>;
  constexpr auto kType =
      C::kInput == InputType::kFP16 ? device::ptx::WgmmaType::kFP16 : device::ptx::WgmmaType::kBF16;
  using Mma = device::ptx::Wgmma<C::kTileN, kType, C::kATransposed, C::kBTransposed>;
  // The address field counts 16 bytes and never overflows into the next: shared memory ends below 2^18.
  a += stage * (C::kABytes / 16);
  b += stage * (C::kBBytes / 16);
  device::ptx::WgmmaFence();
#pragma unroll
  for (int k = 0; k < C::kWgmmaSteps; ++k) {
#pragma unroll
    for (int i = 0; i < C::kBlocksM; ++i) {
      Mma::Run(acc[i], a + (k * ALayout::kBytesPerK16 + i * ALayout::kBytesPerRows64) / 16,
               b + k * BLayout::kBytesPerK16 / 16, first && k == 0 ? 0 : 1);
    }
  }
  device::ptx::WgmmaCommit();
}

// A consumer's whole life. By the four warps of a warpgroup; `consumer` numbers it from 0.
template <class C>
__device__ __forceinline__ void Consume(const Params& params, Shared<C>& shared, unsigned cluster_rank,
                                        unsigned consumer, unsigned warp, unsigned lane) {
  const auto a = OperandLayout<C::kATransposed>::Descriptor(shared.a[0] + consumer * C::kConsumerOffset * 128);
  const auto b = OperandLayout<C::kBTransposed>::Descriptor(shared.b[0]);
  const StageReleaser<C> releaser(shared, cluster_rank, lane);
  Epilogue<C> epilogue(params, shared, consumer, warp, lane);
  RingPosition<C> at;
  Scheduler<C> scheduler(params, cluster_rank);
  TileAt tile;
  Accumulators<C> acc;
  while (scheduler.Next(&tile)) {
    WaitStage(shared, at);
    FenceAll<C>(acc);
    MultiplyStage<C>(a, b, at.stage, true, acc);
    if (Finishes<C>(tile)) epilogue.FetchAhead(tile);
    unsigned previous = at.stage;
    at.Advance();
    for (unsigned step = 1; step < tile.steps; ++step) {
      WaitStage(shared, at);
      MultiplyStage<C>(a, b, at.stage, false, acc);
      device::ptx::WgmmaWait<1>();
      releaser.Release(previous);
      previous = at.stage;
      at.Advance();
    }
    device::ptx::WgmmaWait<0>();
    FenceAll<C>(acc);
    releaser.Release(previous);
    if constexpr (C::kSchedule == Schedule::kStreamK) {
      PartialSums<C>(params, consumer, warp, lane).Combine(tile, acc);
    }
    if (Finishes<C>(tile)) epilogue.Store(tile, acc);
  }
  epilogue.Finish();
}

}  // namespace gemm::hopper
