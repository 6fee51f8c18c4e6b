// A consumer warpgroup: multiplies the stages into registers, then has the tile added and stored.
#pragma once

#include "common/device/ptx/grid_dependency.cuh"
#include "common/device/ptx/wgmma.cuh"
#include "hopper/operand_layout.cuh"
#include "hopper/skinny/params.h"
#include "hopper/skinny/pipeline.cuh"
#include "hopper/skinny/reduction.cuh"
#include "hopper/skinny/walk.cuh"

namespace gemm::hopper::skinny {

// One batch of wgmma: acc (+)= the stage's kTileK. `first` starts the sum anew.
template <class C>
__device__ __forceinline__ void MultiplyStage(cuda::std::uint64_t wide, cuda::std::uint64_t narrow,
                                              unsigned stage, bool first, float (&acc)[C::kNarrow / 2]) {
  using WideLayout = OperandLayout<C::kWideTransposed>;
  using NarrowLayout = OperandLayout<false>;
  constexpr auto kType =
      C::kInput == InputType::kFP16 ? device::ptx::WgmmaType::kFP16 : device::ptx::WgmmaType::kBF16;
  using Mma = device::ptx::Wgmma<C::kNarrow, kType, C::kWideTransposed, false>;
  // The address field counts 16 bytes and never overflows into the next: shared memory ends below 2^18.
  wide += stage * (C::kBoxes * C::kWideBoxBytes / 16);
  narrow += stage * (C::kBoxes * C::kNarrowBoxBytes / 16);
  device::ptx::WgmmaFence();
#pragma unroll
  for (int box = 0; box < C::kBoxes; ++box) {
#pragma unroll
    for (int k = 0; k < C::kWgmmaSteps; ++k) {
      Mma::Run(acc, wide + (box * C::kWideBoxBytes + k * WideLayout::kBytesPerK16) / 16,
               narrow + (box * C::kNarrowBoxBytes + k * NarrowLayout::kBytesPerK16) / 16,
               first && box == 0 && k == 0 ? 0 : 1);
    }
  }
  device::ptx::WgmmaCommit();
}

// A consumer's whole life. By the four warps of each warpgroup; `thread` counts all consumer threads from 0.
template <class C>
__device__ __forceinline__ void Consume(const Params& params, Shared<C>& shared, Place place, unsigned warp,
                                        unsigned thread) {
  const auto wide = OperandLayout<C::kWideTransposed>::Descriptor(
      shared.wide[0][0] + warp / 4 * OperandLayout<false>::kBytesPerRows64);
  const auto narrow = OperandLayout<false>::Descriptor(shared.narrow[0][0]);
  const unsigned lane = thread % 32;
  const unsigned steps = StepsOf<C>(params, place).count;
  device::ptx::GridDependencyWait();
  Reduction<C> reduction(params, shared, place, thread);
  RingPosition<C> at;
  TileWalk<C> tiles(params, place);
  TileAt tile;
  float acc[C::kNarrow / 2];
  while (tiles.Next(&tile)) {
    WaitStage(shared, at);
    device::ptx::FenceAccumulators(acc);
    MultiplyStage<C>(wide, narrow, at.stage, true, acc);
    unsigned previous = at.stage;
    at.Advance();
    for (unsigned step = 1; step < steps; ++step) {
      WaitStage(shared, at);
      MultiplyStage<C>(wide, narrow, at.stage, false, acc);
      device::ptx::WgmmaWait<1>();
      ReleaseStage(shared, previous, lane);
      previous = at.stage;
      at.Advance();
    }
    device::ptx::WgmmaWait<0>();
    device::ptx::FenceAccumulators(acc);
    ReleaseStage(shared, previous, lane);
    reduction.Store(tile, acc);
  }
}

}  // namespace gemm::hopper::skinny
