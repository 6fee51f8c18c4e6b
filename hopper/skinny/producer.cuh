// The producer: one thread that keeps the ring filled.
//
// Tensor maps of both operands (128-byte swizzle, dimension 2 is the batch, made by launch.cc):
//   K-major   dimensions k, row; box 64 x kWide or 64 x narrow_box. The narrow box has no more rows than the
//             operand: one that hangs over the edge is slow.
//   MN-major  (the wide operand only) dimensions row, k; box 64 x 64, kWide / 64 boxes
// Beyond K both read as zeros, so a ragged last step adds zeros.
#pragma once

#include "common/device/ptx/grid_dependency.cuh"
#include "common/device/ptx/tma.cuh"
#include "hopper/skinny/params.h"
#include "hopper/skinny/pipeline.cuh"
#include "hopper/skinny/walk.cuh"

namespace gemm::hopper::skinny {

// One thread's.
template <class C>
class Producer {
 public:
  __device__ __forceinline__ Producer(const Params& params, Shared<C>& shared, Place place)
      : params_(params),
        shared_(shared),
        tiles_(params, place),
        steps_(StepsOf<C>(params, place)),
        step_(steps_.count) {}

  // Fills the ring for the first time; waits for nobody but the kernel's predecessor in the stream. What does
  // not depend on that one is loaded before it has finished.
  __device__ __forceinline__ void FirstTurn() {
    unsigned loaded = 0;
    if (params_.constant != kNothing) {
      Producer early = *this;
      for (; loaded < C::kStages && early.Next(); ++loaded) {
        device::ptx::ArriveExpectBytes(&shared_.full[loaded], StageBytes());
        early.Load(params_.constant == kWideOperand, params_.constant == kNarrowOperand);
        early.at_.Advance();
      }
    }
    device::ptx::GridDependencyWait();
    for (unsigned i = 0; i < C::kStages && Next(); ++i) {
      if (i < loaded) {
        Load(params_.constant != kWideOperand, params_.constant != kNarrowOperand);
      } else {
        device::ptx::ArriveExpectBytes(&shared_.full[at_.stage], StageBytes());
        Load(true, true);
      }
      at_.Advance();
    }
  }

  // The rest, until no tile is left.
  __device__ __forceinline__ void OtherTurns() {
    while (Next()) {
      AcquireStage(shared_, at_, StageBytes());
      Load(true, true);
      at_.Advance();
    }
  }

 private:
  __device__ __forceinline__ unsigned StageBytes() const {
    return C::kBoxes * (C::kWideBoxBytes + params_.narrow_box * 128);
  }

  // To the next K step, or to the next tile's first. False, however often it is asked, when none is left.
  __device__ __forceinline__ bool Next() {
    if (step_ + 1 < steps_.count) {
      ++step_;
      return true;
    }
    step_ = 0;
    if (tiles_.Next(&tile_)) return true;
    step_ = steps_.count;
    return false;
  }

  // The current step into the current stage.
  __device__ __forceinline__ void Load(bool wide, bool narrow) {
    const int first_k = static_cast<int>((steps_.first + step_ * steps_.stride) * C::kTileK);
    device::ptx::Barrier* full = &shared_.full[at_.stage];
#pragma unroll
    for (int box = 0; box < C::kBoxes; ++box) {
      const int k = first_k + box * C::kBoxK;
      if (wide) LoadWide(shared_.wide[at_.stage][box], k, full);
      if (narrow) {
        device::ptx::LoadTile(shared_.narrow[at_.stage][box], &params_.narrow, k, tile_.narrow,
                              tile_.batch * params_.narrow_batch_step, full);
      }
    }
  }

  __device__ __forceinline__ void LoadWide(unsigned char* to, int k, device::ptx::Barrier* full) {
    const int batch = tile_.batch * params_.wide_batch_step;
    if constexpr (C::kWideTransposed) {
#pragma unroll
      for (int i = 0; i < C::kWide / 64; ++i) {
        device::ptx::LoadTile(to + i * 8192, &params_.wide, tile_.wide + i * 64, k, batch, full);
      }
    } else {
      device::ptx::LoadTile(to, &params_.wide, k, tile_.wide, batch, full);
    }
  }

  const Params& params_;
  Shared<C>& shared_;
  TileWalk<C> tiles_;
  const Steps steps_;
  unsigned step_;
  TileAt tile_;
  RingPosition<C> at_;
};

// By all consumer threads: zeros for the rows of the narrow operand that no box brings, so that wgmma reads
// nothing undefined. The proxy fence is this function's; a barrier must follow before the consumers start.
template <class C>
__device__ __forceinline__ void ClearUnloadedRows(const Params& params, Shared<C>& shared, unsigned thread) {
  for (int box = 0; box < C::kStages * C::kBoxes; ++box) {
    uint4* rows = reinterpret_cast<uint4*>(shared.narrow[0][0] + box * C::kNarrowBoxBytes);
    for (int i = params.narrow_box * 8 + static_cast<int>(thread); i < C::kNarrow * 8;
         i += C::kConsumerThreads) {
      rows[i] = make_uint4(0, 0, 0, 0);
    }
  }
  device::ptx::FenceSharedForAsync();
}

}  // namespace gemm::hopper::skinny
