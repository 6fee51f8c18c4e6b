// A consumer warpgroup: multiplies its part of the stages into registers, then has the tile added and stored.
#pragma once

#include "common/device/ptx/grid_dependency.cuh"
#include "common/device/ptx/wgmma.cuh"
#include "hopper/operand_layout.cuh"
#include "hopper/skinny/fragment.cuh"
#include "hopper/skinny/params.h"
#include "hopper/skinny/pipeline.cuh"
#include "hopper/skinny/reduction.cuh"
#include "hopper/skinny/walk.cuh"

namespace gemm::hopper::skinny {

template <class C>
__device__ __forceinline__ void FenceAll(Accumulators<C>& acc) {
#pragma unroll
  for (int block = 0; block < C::kBlocks; ++block) device::ptx::FenceAccumulators(acc[block]);
}

template <class C>
__device__ __forceinline__ void Clear(Accumulators<C>& acc) {
#pragma unroll
  for (int block = 0; block < C::kBlocks; ++block) {
#pragma unroll
    for (int i = 0; i < C::kNarrow / 2; ++i) acc[block][i] = 0.0f;
  }
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
  // The address field counts 16 bytes and never overflows into the next: shared memory ends below 2^18.
  wide += stage * (C::kBoxes * C::kWideBoxBytes / 16);
  narrow += stage * (C::kBoxes * C::kNarrowBoxBytes / 16);
  device::ptx::WgmmaFence();
#pragma unroll
  for (int box = 0; box < C::kBoxes; ++box) {
#pragma unroll
    for (int k = 0; k < C::kWgmmaSteps; ++k) {
#pragma unroll
      for (int block = 0; block < C::kBlocks; ++block) {
        const unsigned in_wide =
            box * C::kWideBoxBytes + k * WideLayout::kBytesPerK16 + block * WideLayout::kBytesPerRows64;
        Mma::Run(acc[block], wide + in_wide / 16,
                 narrow + (box * C::kNarrowBoxBytes + k * NarrowLayout::kBytesPerK16) / 16,
                 first && box == 0 && k == 0 ? 0 : 1);
      }
    }
  }
  device::ptx::WgmmaCommit();
}

// The consumer's first K step of a tile whose steps begin at `begin` of the ring. Consumers that take turns have every
// second stage each; which one begins a tile depends on the tile before, but the two sums of a tile are the same ones.
template <class C>
__device__ __forceinline__ unsigned FirstStep(const Params& params, const Fragment<C>& fragment,
                                              const RingPosition<C>& begin) {
  if (params.step_groups == 1) return fragment.step_group == 0 ? 0 : ~0u / 2;
  return (fragment.step_group ^ begin.stage) & 1;
}

// A consumer's whole life after the cluster's barrier. By the four warps of each warpgroup; `thread` counts all
// consumer threads from 0.
template <class C>
__device__ __forceinline__ void Consume(const Params& params, Shared<C>& shared, Place place, unsigned warp,
                                        unsigned thread) {
  const Fragment<C> fragment(thread, warp / 4);
  const auto wide = OperandLayout<C::kWideTransposed>::Descriptor(
      shared.wide[0][0] + fragment.row_group * C::kBlocks * OperandLayout<false>::kBytesPerRows64);
  const auto narrow = OperandLayout<false>::Descriptor(shared.narrow[0][0]);
  const StageReleaser releaser(params, shared, place, thread % 32);
  const unsigned steps = StepsOf(params, place);
  device::ptx::GridDependencyWait();
  Reduction<C> reduction(params, shared, place, fragment);
  RingPosition<C> tile_begin;
  TileWalk<C> tiles(params);
  TileAt tile;
  Accumulators<C> acc;
  while (tiles.Next(place, &tile)) {
    const unsigned first = FirstStep(params, fragment, tile_begin);
    RingPosition<C> at = tile_begin;
    at.Advance(first);
    if (first >= steps) Clear<C>(acc);
    FenceAll<C>(acc);
    // A batch kept in flight would keep its stage from the producer until the next one has come, which is what all
    // wait for here.
    for (unsigned step = first; step < steps; step += params.step_groups) {
      WaitStage(shared, at);
      MultiplyStage<C>(wide, narrow, at.stage, step == first, acc);
      device::ptx::WgmmaWait<0>();
      releaser.Release(at.stage);
      at.Advance(params.step_groups);
    }
    FenceAll<C>(acc);
    reduction.Store(tile, acc);
    tile_begin.Advance(steps);
  }
  reduction.Finish();
}

}  // namespace gemm::hopper::skinny
