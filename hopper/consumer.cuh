// A consumer warpgroup: multiplies the stages into registers, then runs the epilogue.
#pragma once

#include "common/device/ptx/named_barrier.cuh"
#include "common/device/ptx/tma.cuh"
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

// Zeros for one operand's rows from `rows` on, in all stages. Both layouts hold 128 bytes a row of 64 k, or 64
// rows a block.
template <class C, unsigned Bytes>
__device__ __forceinline__ void ClearRowsFrom(int rows, unsigned char (&stages)[C::kStages][Bytes],
                                              unsigned thread) {
#pragma unroll 1
  for (int stage = 0; stage < C::kStages; ++stage) {
#pragma unroll 1
    for (unsigned at = static_cast<unsigned>(rows) * C::kSwizzleBytes + thread * 16; at < Bytes;
         at += C::kConsumerThreads * 16) {
      *reinterpret_cast<uint4*>(stages[stage] + at) = make_uint4(0, 0, 0, 0);
    }
  }
}

// By all consumer threads, before their first wgmma: zeros for the rows of both operands that no box brings, so
// that wgmma reads nothing undefined. The first loads are on their way meanwhile.
template <class C>
__device__ __forceinline__ void ClearUnloadedRows(const Params& params, Shared<C>& shared, unsigned thread) {
  if (params.a_rows == C::kTileM && params.b_rows == C::kTileN) return;
  ClearRowsFrom<C>(params.a_rows, shared.a, thread);
  ClearRowsFrom<C>(params.b_rows, shared.b, thread);
  device::ptx::FenceSharedForAsync();
  device::ptx::SyncThreads(1, C::kConsumerThreads);
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
  a = device::ptx::AdvanceDescriptor(a, stage * (C::kABytes / 16));
  b = device::ptx::AdvanceDescriptor(b, stage * (C::kBBytes / 16));
  device::ptx::WgmmaFence();
#pragma unroll
  for (int k = 0; k < C::kWgmmaSteps; ++k) {
#pragma unroll
    for (int i = 0; i < C::kBlocksM; ++i) {
      Mma::Run(
          acc[i],
          device::ptx::AdvanceDescriptor(a, (k * ALayout::kBytesPerK16 + i * ALayout::kBytesPerRows64) / 16),
          device::ptx::AdvanceDescriptor(b, k * BLayout::kBytesPerK16 / 16), first && k == 0 ? 0 : 1);
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
