// The producers of a kernel whose operands' rows start anywhere: two groups of eight warps, which take K steps in turn. The warps of one copy
// their rows of a step, and shift what has come into the ring.
#pragma once

#include "common/device/ptx/cp_async.cuh"
#include "common/device/ptx/mbarrier.cuh"
#include "hopper/params.h"
#include "hopper/pipeline.cuh"
#include "hopper/shifted_operand.cuh"
#include "hopper/stream_k.cuh"

namespace gemm::hopper {

// The ring's barriers, by one thread: a stage's bytes have come when all warps have arrived.
template <class C>
__device__ __forceinline__ void InitRing(const Params& params, Shared<C>& shared) {
#pragma unroll
  for (unsigned i = 0; i < C::kStages; ++i) device::ptx::InitBarrier(&shared.full[i], kRawWarps);
  InitEmpty(params, shared, 0);
}

// One of the warps. With one group a step of 64x128 took 0.8 to 1.1 us, with two 0.7 to 1 (H200, 2026-11-29, docs/perf/unaligned.md).
template <class C>
class ThreadProducer {
 public:
  __device__ __forceinline__ ThreadProducer(const Params& params, Shared<C>& shared, unsigned warp)
      : shared_(shared),
        group_(warp / kRawWarps),
        own_(shared.raw[warp]),
        copies_(params, warp),
        stores_(params, warp) {}

  // What is committed together is a step's copies, or nothing behind the last one.
  __device__ __forceinline__ void Run() {
    for (int i = 0; i < C::kRawStages - 1; ++i) Start(i);
    int raw = 0;
    RingPosition<C> at;
    for (unsigned i = 0; i < group_; ++i) at.Advance();
    while (stores_.Next()) {
      Start(raw == 0 ? C::kRawStages - 1 : raw - 1);
      device::ptx::CpAsyncWait<C::kRawStages - 1>();
      __syncwarp();
      AcquireStage(shared_, at);
      stores_.a.Store(own_[raw].a, shared_.a[at.stage]);
      stores_.b.Store(own_[raw].b, shared_.b[at.stage]);
      __syncwarp();
      if (threadIdx.x % 32 == 0) device::ptx::Arrive(&shared_.full[at.stage]);
      for (int i = 0; i < kRawGroups; ++i) at.Advance();
      raw = raw + 1 == C::kRawStages ? 0 : raw + 1;
    }
  }

 private:
  static_assert(C::kStages % kRawGroups == 0,
                "a stage is always the same group's, so that its writers need not wait for one another");

  // A walk through the group's steps of the CTA's tiles.
  class Walk {
   public:
    __device__ __forceinline__ Walk(const Params& params, unsigned warp)
        : a(params.a_rows, params.m, params.k, warp % kRawWarps),
          b(params.b_rows, params.n, params.k, warp % kRawWarps),
          params_(params),
          scheduler_(params, 0),
          ahead_(1 + warp / kRawWarps) {}

    // Goes to the next one; false when none is left.
    __device__ __forceinline__ bool Next() {
      step_ += ahead_;
      ahead_ = kRawGroups;
      while (step_ >= end_) {
        const unsigned behind = step_ - end_;
        TileAt tile;
        if (!scheduler_.Next(&tile)) return false;
        step_ = tile.first_step + behind;
        end_ = tile.first_step + tile.steps;
        a.SetTile(tile.row, tile.batch * params_.a_batch_step);
        b.SetTile(tile.column, tile.batch * params_.b_batch_step);
      }
      return true;
    }
    __device__ __forceinline__ int k() const { return static_cast<int>(step_ * C::kTileK); }

    ShiftedOperand<C::kATransposed, C::kTileM> a;
    ShiftedOperand<C::kBTransposed, C::kTileN> b;

   private:
    const Params& params_;
    Scheduler<C> scheduler_;
    unsigned ahead_;  // steps to the next
    unsigned step_ = 0;
    unsigned end_ = 1;
  };

  __device__ __forceinline__ void Start(int raw) {
    if (copies_.Next()) {
      copies_.b.Start(device::ptx::SharedAddress(own_[raw].b), copies_.k());
      copies_.a.Start(device::ptx::SharedAddress(own_[raw].a), copies_.k());
    }
    device::ptx::CpAsyncCommit();
  }

  Shared<C>& shared_;
  const unsigned group_;
  RawStage<C> (&own_)[C::kRawStages];
  Walk copies_;
  Walk stores_;
};

}  // namespace gemm::hopper
