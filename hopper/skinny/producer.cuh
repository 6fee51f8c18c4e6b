// The producer: one thread that keeps the ring filled.
//
// Tensor maps of both operands (128-byte swizzle, dimension 2 is the batch, made by launch.cc):
//   K-major   dimensions k, row; box 64 x wide_loaded or 64 x narrow_box. None hangs over the last row (walk.cuh)
//   MN-major  (the wide operand only) dimensions row, k; box 64 x 64, wide_loaded / 64 boxes
// Beyond K both read as zeros, so a ragged last step adds zeros. Rows that no box brings hold whatever was there: they only meet
// rows or columns of the tile that are not stored. (Clearing them in all stages, 70 to 180 KB, took 0.2 to 1.0 us of 1x208x184,
// H200, 2026-11-22.)
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
  __device__ __forceinline__ Producer(const Params& params, Shared<C>& shared, unsigned rank)
      : params_(params), shared_(shared), rank_(rank), steps_(StepsOf(params, rank)), at_(Begin()) {}

  // Waits for nobody but the kernel's predecessor in the stream, and where the wide operand does not depend on that one, loads it
  // alone and at once.
  __device__ __forceinline__ void FirstStage() {
    device::ptx::PrefetchMap(&params_.wide);
    device::ptx::PrefetchMap(&params_.narrow);
    const bool early = params_.wide_early;
    if (!early) device::ptx::GridDependencyWait();
    LoadStages(1, {true, !early});
  }

  // The narrow operand's part of the first turn, where that left it out. By a consumer's thread that has waited for the predecessor,
  // and that constructs a Producer of its own for it.
  __device__ __forceinline__ void FirstTurnOfNarrow() {
    device::ptx::Arrive(&shared_.released);
    LoadStages(C::kStages, {false, true});
  }

  // The rest, until no tile is left, after the consumers' barriers stand. Of a wide operand that is loaded early, only some stages at
  // once.
  __device__ __forceinline__ void OtherStages() {
    const bool early = params_.wide_early;
    LoadStages((early ? C::kStagesAtOnce : C::kStages) - 1, {true, !early});
    if (early) OtherEarlyStages();
    while (at_.live) {
      device::ptx::WaitParity(&shared_.empty[at_.ring.stage], at_.ring.phase ^ 1);
      Load(at_, {true, true});
      Advance(at_);
    }
  }

 private:
  struct What {
    bool wide;
    bool narrow;
  };

  __device__ __forceinline__ void LoadStages(int count, const What& what) {
#pragma unroll 1  // the way to the first load is short in bytes of code too
    for (int i = 0; i < count && at_.live; ++i) {
      Load(at_, what);
      Advance(at_);
    }
  }

  // The wide operand's part of the ring's other stages. Until the predecessor has finished no faster than memory brings it: what is
  // asked for is served in order, and the narrow operand's first stage must not stand behind all of it. (1 to 3% of decode.txt's
  // products with M = 1 and 16 in programmatic chains, where these stages waited for the predecessor, H200, 2026-11-23.)
  __device__ __forceinline__ void OtherEarlyStages() {
    unsigned due = clock();
#pragma unroll 1
    for (int i = C::kStagesAtOnce; i < C::kStages && at_.live; ++i) {
      due += params_.early_cycles;
      while (static_cast<int>(clock() - due) < 0 && !device::ptx::TestParity(&shared_.released, 0)) {
      }
      Load(at_, {true, false});
      Advance(at_);
    }
    device::ptx::GridDependencyWait();
  }

  // A K step of a tile, and its stage.
  struct At {
    TileWalk tiles;
    TileAt tile;
    unsigned step;
    bool live;  // false when no tile is left
    RingPosition<C> ring;
  };

  __device__ __forceinline__ At Begin() const {
    At at = {TileWalk(params_), {}, 0, false, {}};
    at.live = at.tiles.template Next<C>(params_, &at.tile);
    return at;
  }

  __device__ __forceinline__ void Advance(At& at) const {
    at.ring.Advance();
    if (++at.step == steps_) {
      at.step = 0;
      at.live = at.tiles.template Next<C>(params_, &at.tile);
    }
  }

  // The wide operand comes first, and with it the bytes of both are announced.
  __device__ __forceinline__ void Load(const At& at, const What& what) const {
    device::ptx::Barrier* full = &shared_.full[at.ring.stage];
    if (what.wide) {
      const int rows = params_.wide_loaded + params_.narrow_box;
      device::ptx::ArriveExpectBytes(full, static_cast<unsigned>(C::kBoxes * 128 * rows));
    }
    const int first_k = static_cast<int>((rank_ + at.step * params_.split) * C::kTileK);
#pragma unroll
    for (int box = 0; box < C::kBoxes; ++box) {
      const int k = first_k + box * C::kBoxK;
      if (what.wide) LoadWide(shared_.wide[at.ring.stage][box], at.tile, k, full);
      if (what.narrow) {
        device::ptx::LoadTile(shared_.narrow[at.ring.stage][box], &params_.narrow, k, at.tile.narrow,
                              at.tile.batch * params_.narrow_batch_step, full);
      }
    }
  }

  __device__ __forceinline__ void LoadWide(unsigned char* to, const TileAt& tile, int k,
                                           device::ptx::Barrier* full) const {
    const int batch = tile.batch * params_.wide_batch_step;
    if constexpr (C::kWideTransposed) {
      for (int row = 0; row < params_.wide_loaded; row += 64) {
        device::ptx::LoadTile(to + row * 128, &params_.wide, tile.wide + row, k, batch, full);
      }
    } else {
      device::ptx::LoadTile(to, &params_.wide, k, tile.wide, batch, full);
    }
  }

  const Params& params_;
  Shared<C>& shared_;
  const unsigned rank_;
  const unsigned steps_;  // of a tile
  At at_;
};

}  // namespace gemm::hopper::skinny
