// The producer: one thread that keeps the ring filled.
//
// Tensor maps of A and B (128-byte swizzle, dimension 2 is the batch, made by launch.cc):
//   K-major   dimensions k, row; box 64 x tile, and for the tail 64 x the rows that the last tile has (boxes.h)
//   MN-major  dimensions row, k; box 64 x 64, tile / 64 boxes
// where "row" is m of A or n of B and tile is C::kTileM or C::kTileN. Beyond K both operands read as zeros,
// so a ragged last step adds zeros. Where C::kRagged it has maps of its own instead, whose boxes are no wider than the slices of 16 k
// that have data, and only these are multiplied: a row that starts at an odd multiple of 16 bytes takes 5 to 6 cycles in a whole box,
// 6.4, 8.3 and 8.6 in one that hangs over K by 56, 40 and 24 of its 64 columns, and 3.5, 5.9 and 6.4 where these are no more than 8 (H100,
// 2026-11-25).
//
// A box that hangs over the last row is slow (a step takes half as long again, H200, 2026-11-21), so none of a K-major operand
// does, and boxes wholly beyond the edge are left out, or the last tile's loaded in their place (Next). Rows of a tile that no box
// brings hold whatever was there: they only meet rows or columns of D that do not exist.
#pragma once

#include "common/device/ptx/grid_dependency.cuh"
#include "common/device/ptx/tma.cuh"
#include "hopper/boxes.cuh"
#include "hopper/params.h"
#include "hopper/pipeline.cuh"
#include "hopper/stream_k.cuh"

namespace gemm::hopper {

// One operand's tile of one stage, of which the first `rows` rows are loaded, to every CTA in `ctas`.
template <bool Transposed, int TileRows, bool Multicast>
__device__ __forceinline__ void LoadOperand(const TensorMap& whole, const TensorMap& tail, unsigned char* operand,
                                            int rows, int row, int k, int batch, device::ptx::Barrier* full,
                                            unsigned ctas) {
  constexpr int kRowsPerBox = Transposed ? 64 : TileRows;
#pragma unroll
  for (int i = 0; i < TileRows / kRowsPerBox; ++i) {
    const int in_tile = i * kRowsPerBox;
    if (in_tile >= rows) continue;
    const TensorMap& map = in_tile + kRowsPerBox <= rows ? whole : tail;
    unsigned char* to =
        operand + in_tile * 128;  // both layouts hold 128 bytes a row of 64 k, or 64 rows a block
    const int x = Transposed ? row + in_tile : k;
    const int y = Transposed ? k : row + in_tile;
    if constexpr (Multicast) {
      device::ptx::LoadTileMulticast(to, &map, x, y, batch, full, ctas);
    } else {
      device::ptx::LoadTile(to, &map, x, y, batch, full);
    }
  }
}

// The maps of the first boxes.
template <class C>
__device__ __forceinline__ void PrefetchInputMaps(const Params& params) {
  device::ptx::PrefetchMap(C::kATransposed || params.m >= C::kTileM ? &params.a : &params.a_tail);
  device::ptx::PrefetchMap(C::kBTransposed || params.n >= C::kTileN ? &params.b : &params.b_tail);
}

// Those of narrower last steps, where there are such. By another thread: the producer's first boxes do not wait for them.
template <class C>
__device__ __forceinline__ void PrefetchRaggedMaps(const Params& params) {
  if (!C::kRagged || params.last_slices == C::kWgmmaSteps) return;
  device::ptx::PrefetchMap(params.m >= C::kTileM ? &params.a_ragged : &params.a_tail_ragged);
  device::ptx::PrefetchMap(params.n >= C::kTileN ? &params.b_ragged : &params.b_tail_ragged);
}

// One thread's.
template <class C>
class Producer {
 public:
  __device__ __forceinline__ Producer(const Params& params, Shared<C>& shared, unsigned cluster_rank)
      : params_(params), shared_(shared), loaders_(cluster_rank), scheduler_(params, cluster_rank) {
    Next();
  }

  // The first steps of the first tile, before the consumers' barriers and those of peers are known to stand: each CTA loads all for
  // itself. A cluster's barrier takes 0.4 us (H200, 2026-11-22), which the way from memory hides. Waits for the kernel's predecessor
  // in the stream, but where that one does not write B, leaves A out and does not wait.
  __device__ __forceinline__ void FirstSteps() {
    PrefetchInputMaps<C>(params_);
    if (!params_.b_early) device::ptx::GridDependencyWait();
    if (!live_) return;
#pragma unroll
    for (unsigned step = 0; step < kFirstStages<C>; ++step) {
      if (step >= tile_.steps) break;
      Announce(step);
      if (!params_.b_early) LoadA<false>(step);
      LoadB<false>(step);
      ++step_;
    }
    at_.Advance(step_);
  }

  // After the consumers' barriers stand: what else of B is asked for before the predecessor has finished, and then A.
  __device__ __forceinline__ void EarlySteps() {
    if (!params_.b_early || !live_) return;
    const unsigned steps = min(tile_.steps, unsigned{C::kStagesEarly});
#pragma unroll 1
    for (; step_ < steps; ++step_) {
      Announce(step_);
      LoadB<false>(step_);
      at_.Advance();
    }
    device::ptx::GridDependencyWait();
    const unsigned asked = step_;
#pragma unroll 1
    for (step_ = 0; step_ < asked; ++step_) LoadA<false>(step_);
  }

  // The rest, after the cluster's barrier.
  __device__ __forceinline__ void OtherSteps() {
    while (live_) {
      for (; step_ < tile_.steps; ++step_) {
        AcquireStage(shared_, at_);
        Announce(at_.stage);
        // What peers wait for too is asked for first.
        constexpr bool kBFirst = C::kClusterM > 1 && C::kClusterN == 1;
        if (kBFirst && loaders_.LoadsB(at_.stage)) LoadB<true>(at_.stage);
        if (loaders_.LoadsA(at_.stage)) LoadA<(C::kClusterN > 1)>(at_.stage);
        if (!kBFirst && loaders_.LoadsB(at_.stage)) LoadB<(C::kClusterM > 1)>(at_.stage);
        at_.Advance();
      }
      step_ = 0;
      Next();
    }
  }

  // Until all readers have handed all stages back. Then no peer has an arrival on the way to this CTA, and since its own
  // consumers wait for all that was sent to them, it may exit.
  __device__ __forceinline__ void Drain() {
    for (int stage = 0; stage < C::kStages; ++stage) {
      AcquireStage(shared_, at_);
      at_.Advance();
    }
  }

 private:
  __device__ __forceinline__ void Next() {
    live_ = scheduler_.Next(&tile_);
    // Of a tile beyond the edge the last one's rows and columns are loaded, so that in every turn of the ring each CTA waits for bytes of all
    // that load for it: one that waited for none could hand the same stage back twice before another has once, and the producer
    // that both serve would take it for handed back by both.
    if constexpr (C::kSharesBoth) {
      tile_.row = min(tile_.row, (params_.m - 1) / C::kTileM * C::kTileM);
      tile_.column = min(tile_.column, (params_.n - 1) / C::kTileN * C::kTileN);
    }
    a_rows_ = LoadedRows<C::kATransposed>(tile_.row, params_.m, C::kTileM);
    b_rows_ = LoadedRows<C::kBTransposed>(tile_.column, params_.n, C::kTileN);
  }

  __device__ __forceinline__ void Announce(unsigned stage) const {
    const unsigned row_bytes =
        IsRagged() ? params_.last_slices * C::kWgmmaK * C::kInputBytes : C::kSwizzleBytes;
    device::ptx::ArriveExpectBytes(&shared_.full[stage], static_cast<unsigned>(a_rows_ + b_rows_) * row_bytes);
  }

  // Whether the step step_ is a last one that is narrower than the others.
  __device__ __forceinline__ bool IsRagged() const {
    return C::kRagged && params_.last_slices < C::kWgmmaSteps && step_ + 1 == tile_.steps;
  }

  // Of the K step step_. A multicast goes to the CTAs of the cluster with the same rows of A, or columns of B.
  template <bool Multicast>
  __device__ __forceinline__ void LoadA(unsigned stage) const {
    LoadOperand<C::kATransposed, C::kTileM, Multicast>(
        IsRagged() ? params_.a_ragged : params_.a, IsRagged() ? params_.a_tail_ragged : params_.a_tail,
        shared_.a[stage], a_rows_, tile_.row, K(), tile_.batch * params_.a_batch_step, &shared_.full[stage],
        loaders_.RanksOfRow());
  }

  template <bool Multicast>
  __device__ __forceinline__ void LoadB(unsigned stage) const {
    LoadOperand<C::kBTransposed, C::kTileN, Multicast>(
        IsRagged() ? params_.b_ragged : params_.b, IsRagged() ? params_.b_tail_ragged : params_.b_tail,
        shared_.b[stage], b_rows_, tile_.column, K(), tile_.batch * params_.b_batch_step, &shared_.full[stage],
        loaders_.RanksOfColumn());
  }

  __device__ __forceinline__ int K() const {
    const unsigned step = C::kSplitK ? step_ * params_.split_k.parts : step_;
    return static_cast<int>((tile_.first_step + step) * C::kTileK);
  }

  const Params& params_;
  Shared<C>& shared_;
  const Loaders<C> loaders_;
  Scheduler<C> scheduler_;
  TileAt tile_;
  bool live_;   // false when no tile is left
  int a_rows_;  // of this tile, that boxes bring
  int b_rows_;
  unsigned step_ = 0;
  RingPosition<C> at_;
};

}  // namespace gemm::hopper
