// The producer: one thread that keeps the ring filled.
//
// Tensor maps of both operands (128-byte swizzle, dimension 2 is the batch, made by launch.cc):
//   K-major   dimensions k, row; box 64 x wide_box or 64 x narrow_box. A box that hangs over the edge is slow: the
//             narrow one is sized to the operand
//   MN-major  (the wide operand only) dimensions row, k; box 64 x 64, wide_box / 64 boxes
// Beyond K both read as zeros, so a ragged last step adds zeros.
#pragma once

#include "common/device/ptx/grid_dependency.cuh"
#include "common/device/ptx/tma.cuh"
#include "hopper/skinny/params.h"
#include "hopper/skinny/pipeline.cuh"
#include "hopper/skinny/walk.cuh"

namespace gemm::hopper::skinny {

// Zeros for the rows `first` to `end` of a box.
template <class C>
__device__ __forceinline__ void ClearRows(unsigned char* box, int first, int end, unsigned thread) {
  uint4* units = reinterpret_cast<uint4*>(box);
  for (int i = first * 8 + static_cast<int>(thread); i < end * 8; i += C::kConsumerThreads) {
    units[i] = make_uint4(0, 0, 0, 0);
  }
}

// One thread's.
template <class C>
class Producer {
 public:
  __device__ __forceinline__ Producer(const Params& params, Shared<C>& shared, Place place)
      : params_(params), shared_(shared), place_(place), steps_(StepsOf(params, place)), at_(Begin()) {
    for (unsigned tile = 0; tile < params.share; ++tile) sharers_ |= 1u << RankOf(params, place.k, tile);
  }

  // Fills the ring for the first time, as far as that needs no peer: their barriers may not stand yet. What does not
  // depend on the kernel's predecessor in the stream is loaded before that has finished.
  __device__ __forceinline__ void FirstTurnAlone() {
    const bool early = params_.wide_is_constant;
    if (!early) device::ptx::GridDependencyWait();
    FillRing({true, !early && params_.share == 1, true});
    if (early) device::ptx::GridDependencyWait();
    if (early && params_.share == 1) FillRing({false, true, false});
  }

  // The rest of the first turn; the peers' barriers stand.
  __device__ __forceinline__ void FirstTurnTogether() const {
    if (params_.share > 1) FillRing({false, true, false});
  }

  // All that is left, until there is no tile.
  __device__ __forceinline__ void OtherTurns() {
    for (int i = 0; i < C::kStages && at_.live; ++i) Advance(at_);
    while (at_.live) {
      device::ptx::WaitParity(&shared_.empty[at_.ring.stage], at_.ring.phase ^ 1);
      Load(at_, {true, true, true});
      Advance(at_);
    }
  }

 private:
  struct What {
    bool wide;
    bool narrow;
    bool announce;  // the bytes of both, to the barrier
  };

  // A K step of a tile, and its stage.
  struct At {
    TileWalk<C> tiles;
    TileAt tile;
    unsigned step;
    bool live;  // false when no tile is left
    RingPosition<C> ring;
  };

  __device__ __forceinline__ At Begin() const {
    At at = {TileWalk<C>(params_), {}, 0, false, {}};
    at.live = at.tiles.Next(place_, &at.tile);
    return at;
  }

  __device__ __forceinline__ void Advance(At& at) const {
    at.ring.Advance();
    if (++at.step == steps_) {
      at.step = 0;
      at.live = at.tiles.Next(place_, &at.tile);
    }
  }

  __device__ __forceinline__ void FillRing(const What& what) const {
    At at = Begin();
#pragma unroll 1  // the way to the first load is short in bytes of code too
    for (int i = 0; i < C::kStages && at.live; ++i) {
      Load(at, what);
      Advance(at);
    }
  }

  __device__ __forceinline__ void Load(const At& at, const What& what) const {
    device::ptx::Barrier* full = &shared_.full[at.ring.stage];
    if (what.announce) {
      const int rows = params_.wide_box + static_cast<int>(params_.loaders) * params_.narrow_box;
      device::ptx::ArriveExpectBytes(full, static_cast<unsigned>(C::kBoxes * 128 * rows));
    }
    const int first_k = static_cast<int>((place_.k + at.step * params_.split) * C::kTileK);
#pragma unroll
    for (int box = 0; box < C::kBoxes; ++box) {
      const int k = first_k + box * C::kBoxK;
      if (what.wide) LoadWide(shared_.wide[at.ring.stage][box], at.tile, k, full);
      if (what.narrow && place_.tile < params_.loaders) {
        LoadNarrow(shared_.narrow[at.ring.stage][box], at.tile, k, full);
      }
    }
  }

  __device__ __forceinline__ void LoadWide(unsigned char* to, const TileAt& tile, int k,
                                           device::ptx::Barrier* full) const {
    const int batch = tile.batch * params_.wide_batch_step;
    if constexpr (C::kWideTransposed) {
      for (int row = 0; row < params_.wide_box; row += 64) {
        device::ptx::LoadTile(to + row * 128, &params_.wide, tile.wide + row, k, batch, full);
      }
    } else {
      device::ptx::LoadTile(to, &params_.wide, k, tile.wide, batch, full);
    }
  }

  __device__ __forceinline__ void LoadNarrow(unsigned char* to, const TileAt& tile, int k,
                                             device::ptx::Barrier* full) const {
    const int batch = tile.batch * params_.narrow_batch_step;
    if (params_.share == 1) {
      device::ptx::LoadTile(to, &params_.narrow, k, tile.narrow, batch, full);
    } else {
      const int row = static_cast<int>(place_.tile) * params_.narrow_box;
      device::ptx::LoadTileMulticast(to + row * 128, &params_.narrow, k, tile.narrow + row, batch, full,
                                     sharers_);
    }
  }

  const Params& params_;
  Shared<C>& shared_;
  const Place place_;
  const unsigned steps_;  // of a tile
  unsigned sharers_ = 0;  // the CTAs that get what this one loads of the narrow operand: a bit each
  At at_;
};

// By all consumer threads: zeros for the rows that no box brings, so that wgmma reads nothing undefined. The proxy
// fence is this function's; a barrier must follow before the consumers start.
template <class C>
__device__ __forceinline__ void ClearUnloadedRows(const Params& params, Shared<C>& shared, unsigned thread) {
  const int narrow_rows = static_cast<int>(params.loaders) * params.narrow_box;
  for (int box = 0; box < C::kStages * C::kBoxes; ++box) {
    ClearRows<C>(shared.wide[0][0] + box * C::kWideBoxBytes, params.wide_box, C::kWide, thread);
    ClearRows<C>(shared.narrow[0][0] + box * C::kNarrowBoxBytes, narrow_rows, C::kNarrow, thread);
  }
  device::ptx::FenceSharedForAsync();
}

}  // namespace gemm::hopper::skinny
