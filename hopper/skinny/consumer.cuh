// A consumer warpgroup: multiplies its part of the stages into registers, then has the tile added and stored.
#pragma once

#include "common/device/ptx/elect.cuh"
#include "common/device/ptx/grid_dependency.cuh"
#include "common/device/ptx/wgmma.cuh"
#include "hopper/opening.cuh"
#include "hopper/operand_layout.cuh"
#include "hopper/skinny/epilogue.cuh"
#include "hopper/skinny/fragment.cuh"
#include "hopper/skinny/params.h"
#include "hopper/skinny/pipeline.cuh"
#include "hopper/skinny/producer.cuh"
#include "hopper/skinny/reduction.cuh"
#include "hopper/skinny/walk.cuh"

namespace gemm::hopper::skinny {

template <class C>
__device__ __forceinline__ void FenceAll(Accumulators<C>& acc) {
#pragma unroll
  for (int block = 0; block < C::kBlocks; ++block) device::ptx::FenceAccumulators(acc[block]);
}

// One batch of wgmma: acc (+)= the stage's kTileK. `first` starts the sums anew. The descriptors are those of stage 0.
template <class C>
__device__ __forceinline__ void MultiplyStage(cuda::std::uint64_t wide, cuda::std::uint64_t narrow,
                                              unsigned stage, bool first, Accumulators<C>& acc) {
  using WideLayout = OperandLayout<C::kWideTransposed>;
  using NarrowLayout = OperandLayout<false>;
  constexpr auto kType =
      C::kInput == InputType::kFP16 ? device::ptx::WgmmaType::kFP16 : device::ptx::WgmmaType::kBF16;
  using Mma = device::ptx::Wgmma<C::kNarrow, kType, C::kWideTransposed, false>;
  wide = device::ptx::AdvanceDescriptor(wide, stage * (C::kBoxes * C::kWideBoxBytes / 16));
  narrow = device::ptx::AdvanceDescriptor(narrow, stage * (C::kBoxes * C::kNarrowBoxBytes / 16));
  device::ptx::WgmmaFence();
#pragma unroll
  for (int box = 0; box < C::kBoxes; ++box) {
#pragma unroll
    for (int k = 0; k < C::kWgmmaSteps; ++k) {
#pragma unroll
      for (int block = 0; block < C::kBlocks; ++block) {
        const unsigned in_wide =
            box * C::kWideBoxBytes + k * WideLayout::kBytesPerK16 + block * WideLayout::kBytesPerRows64;
        const unsigned in_narrow = box * C::kNarrowBoxBytes + k * NarrowLayout::kBytesPerK16;
        Mma::Run(acc[block], device::ptx::AdvanceDescriptor(wide, in_wide / 16),
                 device::ptx::AdvanceDescriptor(narrow, in_narrow / 16), first && box == 0 && k == 0 ? 0 : 1);
      }
    }
  }
  device::ptx::WgmmaCommit();
}

// The narrow operand's first turn of the ring, where the producer has left it out.
template <class C>
__device__ __forceinline__ void LoadNarrow(const Params& params, Shared<C>& shared, unsigned rank) {
  if (device::ptx::ElectOne()) {
    Producer<C> narrow(params, shared, rank);
    device::ptx::GridDependencyWait();
    narrow.FirstTurnOfNarrow();
  }
  __syncwarp();
}

// A consumer's whole life after it has opened its barriers. By the four warps of each warpgroup; `thread`
// counts all consumer threads from 0.
template <class C>
__device__ __forceinline__ void Consume(const Params& params, Shared<C>& shared, unsigned rank, unsigned warp,
                                        unsigned thread) {
  const Fragment<C> fragment(thread, warp / 4);
  const auto wide = OperandLayout<C::kWideTransposed>::Descriptor(
      shared.wide[0][0] + warp / 4 * C::kBlocks * OperandLayout<false>::kBytesPerRows64);
  const auto narrow = OperandLayout<false>::Descriptor(shared.narrow[0][0]);
  const unsigned steps = StepsOf(params, rank);
  Reduction<C> reduction(params, shared, rank, fragment);
  Epilogue<C> epilogue(params, shared, fragment, reduction.mine());
  Opening<C::kConsumerThreads>::WaitForProducer();
  if (warp == 0 && params.wide_early) LoadNarrow(params, shared, rank);
  device::ptx::GridDependencyWait();
  epilogue.ReadScalars();
  RingPosition<C> at;
  TileWalk tiles(params);
  TileAt tile;
  Accumulators<C> acc;
  unsigned previous = 0;  // stage
  const auto multiply_next = [&](bool first) {
    WaitStage(shared, at);
    MultiplyStage<C>(wide, narrow, at.stage, first, acc);
    device::ptx::WgmmaWait<C::kKeepsBatch ? 1 : 0>();
    if constexpr (!C::kKeepsBatch) ReleaseStage(shared, at.stage, thread % 32);
    if (C::kKeepsBatch && !first) ReleaseStage(shared, previous, thread % 32);
    previous = at.stage;
    at.Advance();
  };
  while (tiles.Next<C>(params, &tile)) {
    epilogue.FetchAhead(tile);
    FenceAll<C>(acc);
    multiply_next(true);
    for (unsigned step = 1; step < steps; ++step) multiply_next(false);
    if constexpr (C::kKeepsBatch) {
      device::ptx::WgmmaWait<0>();
      ReleaseStage(shared, previous, thread % 32);
    }
    FenceAll<C>(acc);
    if (params.split > 1) reduction.Exchange(params, acc);
    epilogue.Store(tile, acc);
  }
  if (params.split > 1) reduction.Finish();
}

}  // namespace gemm::hopper::skinny
