// The producer: one thread that keeps the ring filled.
//
// Tensor maps of A and B (128-byte swizzle, dimension 2 is the batch, made by launch.cc):
//   K-major   dimensions k, row; box 64 x slice, and for the tail 64 x the rows that the last slice has (slices.h)
//   MN-major  dimensions row, k; box 64 x 64, slice / 64 boxes
// where "row" is m of A or n of B and slice is C::kASlice or C::kBSlice. Beyond K both operands read as zeros,
// so a ragged last step adds zeros.
//
// A box that hangs over the last row is slow (a step takes half as long again, H200, 2026-11-21), so none of a K-major operand
// does, and boxes wholly beyond the edge are left out. Rows of a tile that no box brings hold whatever was there: they only meet
// rows or columns of D that do not exist.
#pragma once

#include "common/device/ptx/tma.cuh"
#include "hopper/boxes.cuh"
#include "hopper/params.h"
#include "hopper/pipeline.cuh"
#include "hopper/stream_k.cuh"

namespace gemm::hopper {

// One operand's slice of one stage, to every CTA in `ctas`. `slice` numbers it in the operand's tile, of which
// the first `rows` rows are loaded.
template <bool Transposed, int SliceRows, bool Multicast>
__device__ __forceinline__ void LoadSlice(const TensorMap& whole, const TensorMap& tail, unsigned char* operand,
                                          unsigned slice, int rows, int row, int k, int batch,
                                          device::ptx::Barrier* full, unsigned ctas) {
  constexpr int kRowsPerBox = Transposed ? 64 : SliceRows;
#pragma unroll
  for (int i = 0; i < SliceRows / kRowsPerBox; ++i) {
    const int in_tile = static_cast<int>(slice) * SliceRows + i * kRowsPerBox;
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

// One thread's.
template <class C>
class Producer {
 public:
  __device__ __forceinline__ Producer(const Params& params, Shared<C>& shared, unsigned cluster_rank)
      : params_(params),
        shared_(shared),
        rank_m_(cluster_rank % C::kClusterM),
        rank_n_(C::kClusterN > 1 ? cluster_rank / C::kClusterM : 0),
        scheduler_(params, cluster_rank) {
    Next();
  }

  __device__ __forceinline__ void PrefetchMaps() const {
    device::ptx::PrefetchMap(C::kATransposed || params_.m >= C::kASlice ? &params_.a : &params_.a_tail);
    device::ptx::PrefetchMap(C::kBTransposed || params_.n >= C::kBSlice ? &params_.b : &params_.b_tail);
  }

  // The first steps of the first tile, after this CTA's barriers stand and before its peers' are known to: each CTA
  // loads all for itself. A cluster's barrier takes 0.4 us (H200, 2026-11-22), which the way from memory hides.
  __device__ __forceinline__ void FirstSteps() {
    if (!live_) return;
    const unsigned steps = min(tile_.steps, kFirstSteps);
    for (; step_ < steps; ++step_) {
      AcquireStage(shared_, at_, static_cast<unsigned>(a_rows_ + b_rows_) * C::kSwizzleBytes);
      for (unsigned slice = 0; slice < C::kClusterN; ++slice) LoadA<false>(slice);
      for (unsigned slice = 0; slice < C::kClusterM; ++slice) LoadB<false>(slice);
      at_.Advance();
    }
  }

  // The rest, after the cluster's barrier.
  __device__ __forceinline__ void OtherSteps() {
    while (live_) {
      for (; step_ < tile_.steps; ++step_) {
        AcquireStage(shared_, at_, static_cast<unsigned>(a_rows_ + b_rows_) * C::kSwizzleBytes);
        LoadA<(C::kClusterN > 1)>(rank_n_);
        LoadB<(C::kClusterM > 1)>(rank_m_);
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
      device::ptx::WaitParity(&shared_.empty[at_.stage], at_.phase ^ 1);
      at_.Advance();
    }
  }

 private:
  static constexpr unsigned kFirstSteps = C::kStages < 2 ? C::kStages : 2;

  __device__ __forceinline__ void Next() {
    live_ = scheduler_.Next(&tile_);
    if (!live_) return;
    a_rows_ = LoadedRows<C::kATransposed>(tile_.row, params_.m, C::kTileM);
    b_rows_ = LoadedRows<C::kBTransposed>(tile_.column, params_.n, C::kTileN);
  }

  template <bool Multicast>
  __device__ __forceinline__ void LoadA(unsigned slice) const {
    unsigned same_row = 0;  // CTAs that compute the same rows of D, and so share A
#pragma unroll
    for (int n = 0; n < C::kClusterN; ++n) same_row |= 1u << (rank_m_ + n * C::kClusterM);
    LoadSlice<C::kATransposed, C::kASlice, Multicast>(
        params_.a, params_.a_tail, shared_.a[at_.stage], slice, a_rows_, tile_.row, K(),
        tile_.batch * params_.a_batch_step, &shared_.full[at_.stage], same_row);
  }

  template <bool Multicast>
  __device__ __forceinline__ void LoadB(unsigned slice) const {
    const unsigned same_column = ((1u << C::kClusterM) - 1) << (rank_n_ * C::kClusterM);
    LoadSlice<C::kBTransposed, C::kBSlice, Multicast>(
        params_.b, params_.b_tail, shared_.b[at_.stage], slice, b_rows_, tile_.column, K(),
        tile_.batch * params_.b_batch_step, &shared_.full[at_.stage], same_column);
  }

  __device__ __forceinline__ int K() const { return static_cast<int>((tile_.first_step + step_) * C::kTileK); }

  const Params& params_;
  Shared<C>& shared_;
  const unsigned rank_m_;
  const unsigned rank_n_;
  Scheduler<C> scheduler_;
  TileAt tile_;
  bool live_;   // false when no tile is left
  int a_rows_;  // of this tile, that boxes bring
  int b_rows_;
  unsigned step_ = 0;
  RingPosition<C> at_;
};

}  // namespace gemm::hopper
