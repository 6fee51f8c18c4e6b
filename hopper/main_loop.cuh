// A tile's main loop: multiplies stage after stage of the ring into a consumer's registers.
#pragma once

#include "common/device/ptx/wgmma.cuh"
#include "hopper/operand_layout.cuh"
#include "hopper/pipeline.cuh"

namespace gemm::hopper {

template <class C>
using Accumulators = float[C::kBlocksM][C::kTileN / 2];

template <class C>
__device__ __forceinline__ void FenceAll(Accumulators<C>& acc) {
#pragma unroll
  for (int i = 0; i < C::kBlocksM; ++i) device::ptx::FenceAccumulators(acc[i]);
}

// One batch of wgmma: acc (+)= the stage's 64 k, or the first `slices` times 16 of them. `first` starts the sum anew.
template <class C, bool Ragged = false>
__device__ __forceinline__ void MultiplyStage(cuda::std::uint64_t a, cuda::std::uint64_t b, unsigned stage,
                                              bool first, Accumulators<C>& acc,
                                              unsigned slices = C::kWgmmaSteps) {
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
    if constexpr (Ragged) {
      if (static_cast<unsigned>(k) >= slices) break;
      if (k > 0) device::ptx::WgmmaFence();  // else ptxas adds it behind each branch
    }
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

// A consumer's place in the ring, which goes on from tile to tile. For each tile First, Others and Finish in turn, or Pass; by
// the four warps of a warpgroup.
//
// One batch of wgmma is in flight while the next is issued, and a stage is handed back when the batch after it has been
// issued.
template <class C>
class MainLoop {
 public:
  __device__ __forceinline__ MainLoop(Shared<C>& shared, const Loaders<C>& loaders, unsigned cluster_rank,
                                      unsigned consumer, unsigned lane)
      : shared_(shared),
        a_(OperandLayout<C::kATransposed>::Descriptor(shared.a[0] + consumer * C::kConsumerOffset * 128)),
        b_(OperandLayout<C::kBTransposed>::Descriptor(shared.b[0])),
        releaser_(shared, loaders, cluster_rank, lane) {}

  // Hands `steps` back unused.
  __device__ __forceinline__ void Pass(unsigned steps) {
#pragma unroll 1
    for (; steps > 0; --steps) {
      WaitStage(shared_, at_);
      __syncwarp();  // all lanes have seen the phase's end before it can be followed by another
      releaser_.Release(at_.stage);
      at_.Advance();
    }
  }

  // Leaves out `steps` of the ring, another consumer's.
  __device__ __forceinline__ void Skip(unsigned steps) { at_.Advance(steps); }

  // Starts the sums anew with one step.
  __device__ __forceinline__ void First(Accumulators<C>& acc) {
    WaitStage(shared_, at_);
    FenceAll<C>(acc);
    MultiplyStage<C>(a_, b_, at_.stage, true, acc);
    at_.Advance();
  }

  // Adds `steps` more.
  __device__ __forceinline__ void Others(unsigned steps, Accumulators<C>& acc) {
    while (steps > 0) {
      if (at_.stage == 0 && steps >= C::kStages) {
        WholeTurn(acc);
        steps -= C::kStages;
      } else {
        Step(at_, acc);
        at_.Advance();
        --steps;
      }
    }
  }

  // Adds the first `slices` times 16 k of one more.
  __device__ __forceinline__ void Last(unsigned slices, Accumulators<C>& acc) {
    Step<true>(at_, acc, slices);
    at_.Advance();
  }

  // Until the sums are complete; hands the last stage back.
  __device__ __forceinline__ void Finish(Accumulators<C>& acc) {
    device::ptx::WgmmaWait<0>();
    FenceAll<C>(acc);
    releaser_.Release(Before(at_.stage));
  }

 private:
  static __device__ __forceinline__ constexpr unsigned Before(unsigned stage) {
    return (stage == 0 ? C::kStages : stage) - 1;
  }

  template <bool Ragged = false>
  __device__ __forceinline__ void Step(const RingPosition<C>& at, Accumulators<C>& acc,
                                       unsigned slices = C::kWgmmaSteps) {
    WaitStage(shared_, at);
    MultiplyStage<C, Ragged>(a_, b_, at.stage, false, acc, slices);
    device::ptx::WgmmaWait<1>();
    releaser_.Release(Before(at.stage));
  }

  // All stages from 0 on, unrolled: addresses are then constants, which takes a step from 47 instructions to 25.
  // 128x64 takes 4% less time for it, wider tiles less than 1% (H200, 2026-11-22).
  __device__ __forceinline__ void WholeTurn(Accumulators<C>& acc) {
    RingPosition<C> at = at_;
#pragma unroll
    for (at.stage = 0; at.stage < C::kStages; ++at.stage) Step(at, acc);
    at_.phase ^= 1;
  }

  Shared<C>& shared_;
  const cuda::std::uint64_t a_;
  const cuda::std::uint64_t b_;
  const StageReleaser<C> releaser_;
  RingPosition<C> at_;
};

}  // namespace gemm::hopper
