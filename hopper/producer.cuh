// The producer: one thread that keeps the ring filled.
//
// Tensor maps of A and B (128-byte swizzle, dimension 2 is the batch, made by input_maps.cc):
//   K-major   dimensions k, row; box 64 x tile, and for the tail 64 x the rows that the last tile has (boxes.h)
//   MN-major  dimensions row, k; boxes 64 x 64 until the tile has its rows; the last of B may bring more
// where "row" is m of A or n of B and tile is C::kTileM or C::kTileN. Beyond K both operands read as zeros,
// so a ragged last step adds zeros. Where C::kRagged it has maps of its own instead, whose boxes have no more k than the slices of 16
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

// An operand's rows of a tile, and how they are loaded.
struct OperandTile {
  const TensorMap* map;
  int row;   // of the operand, the tile's first
  int rows;  // that boxes bring
  int batch;
};

// One operand's tile of one stage, to this CTA or to every one in `ctas`.
template <bool Transposed, int TileRows, bool Multicast>
__device__ __forceinline__ void LoadOperand(const OperandTile& tile, unsigned char* operand, int k,
                                            device::ptx::Barrier* full, unsigned ctas) {
  constexpr int kRowsPerBox = Transposed ? kMnBox : TileRows;
#pragma unroll
  for (int i = 0; i < TileRows / kRowsPerBox; ++i) {
    const int in_tile = i * kRowsPerBox;
    if (in_tile >= tile.rows) continue;
    unsigned char* to =
        operand + in_tile * 128;  // both layouts hold 128 bytes a row of 64 k, or 64 rows a block
    const int x = Transposed ? tile.row + in_tile : k;
    const int y = Transposed ? k : tile.row + in_tile;
    if constexpr (Multicast) {
      device::ptx::LoadTileMulticast(to, tile.map, x, y, tile.batch, full, ctas);
    } else {
      device::ptx::LoadTile(to, tile.map, x, y, tile.batch, full);
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
  device::ptx::PrefetchMap(C::kATransposed || params.m >= C::kTileM ? &params.a_ragged : &params.a_tail_ragged);
  device::ptx::PrefetchMap(C::kBTransposed || params.n >= C::kTileN ? &params.b_ragged : &params.b_tail_ragged);
}

// One thread's.
template <class C>
class Producer {
 public:
  __device__ __forceinline__ Producer(const Params& params, Shared<C>& shared, unsigned cluster_rank)
      : params_(params), shared_(shared), loaders_(params, cluster_rank), scheduler_(params, cluster_rank) {
    Next();
  }

  // The first steps of the first tile, before the consumers' barriers and those of peers are known to stand: each CTA loads all for
  // itself. A cluster's barrier takes 0.4 us (H200, 2026-11-22), which the way from memory hides. Waits for the kernel's predecessor
  // in the stream, but where that one does not write one of the operands, leaves the other out and does not wait.
  __device__ __forceinline__ void FirstSteps() {
    PrefetchInputMaps<C>(params_);
    if (params_.early == 0) device::ptx::GridDependencyWait();
    if (!live_) return;
    const unsigned steps = params_.early == 0 ? tile_.steps : WholeSteps();
#pragma unroll
    for (unsigned step = 0; step < kFirstStages; ++step) {
      if (step >= min(steps, FirstStages<C>(params_))) break;
      const bool ragged = step > 0 && IsRagged();
      Announce(step, ragged);
      if (params_.early != kEarlyB) LoadA<false>(A(ragged), step);
      if (!IsAEarly()) LoadB<false>(B(ragged), step);
      ++step_;
    }
    at_.Advance(step_);
  }

  // After the consumers' barriers stand: what else of the early operand is asked for before the predecessor has finished, and then the
  // other one. One operand after the other in a loop, so that the code has each one's copies once. A copy that asks which operand it is of
  // takes longer: with one loop for both, kernels of 64 rows with rings of ten stages and more took 0.4 to 0.6 us more, of 4 to 7 (H200,
  // 2026-11-29). With the loops written out one behind the other ptxas keeps the main loop's descriptors in no uniform registers.
  __device__ __forceinline__ void EarlySteps() {
    if (params_.early == 0 || !live_) return;
    const unsigned first = step_;
    const unsigned steps = max(first, min(WholeSteps(), unsigned{C::kStagesEarly}));
#pragma unroll 1
    for (unsigned step = first; step < steps; ++step) Announce(step, false);
    bool of_a = IsAEarly();
#pragma unroll 1
    for (bool early = true;; early = false) {
      of_a ? LoadSteps<true>(steps) : LoadSteps<false>(steps);
      if (!early) break;
      device::ptx::GridDependencyWait();
      of_a = !of_a;
      step_ = 0;
    }
    at_.Advance(steps - first);
  }

  // The rest, after the cluster's barrier. A loop of its own for what the CTAs of a cluster share: with one for all, 64x128 took 1.14 times
  // as long, 64x64 in 2x2 1.26 times (H200, 2026-11-27).
  __device__ __forceinline__ void OtherSteps() {
    TrySteps<false, false>();
    TrySteps<false, true>();
    TrySteps<true, false>();
    TrySteps<true, true>();
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
  // Where the cluster shares that.
  template <bool SharesA, bool SharesB>
  __device__ __forceinline__ void TrySteps() {
    if constexpr (C::template kEver<SharesA, SharesB>) {
      const ClusterShape cluster = ShapeOf<C>(params_);
      if ((cluster.n > 1) == SharesA && (cluster.m > 1) == SharesB) Steps<SharesA, SharesB>();
    }
  }

  // A multicast goes to the CTAs of the cluster with the same rows of A, or columns of B.
  template <bool SharesA, bool SharesB>
  __device__ __forceinline__ void Steps() {
    const unsigned sharers_of_a = loaders_.SharersOfA();
    const unsigned sharers_of_b = loaders_.SharersOfB();
    if constexpr (SharesA && SharesB) StayInside();
    while (live_) {
      const unsigned whole = WholeSteps();
      const unsigned bytes = Bytes(false);
      const OperandTile a = A(false);
      const OperandTile b = B(false);
      while (step_ < whole) Step<SharesA, SharesB>(a, b, bytes, sharers_of_a, sharers_of_b);
      if (step_ < tile_.steps) {
        Step<SharesA, SharesB>(A(true), B(true), Bytes(true), sharers_of_a, sharers_of_b);
      }
      step_ = 0;
      Next();
      if constexpr (SharesA && SharesB) StayInside();
    }
  }

  template <bool SharesA, bool SharesB>
  __device__ __forceinline__ void Step(const OperandTile& a, const OperandTile& b, unsigned bytes,
                                       unsigned sharers_of_a, unsigned sharers_of_b) {
    AcquireStage(shared_, at_);
    device::ptx::ArriveExpectBytes(&shared_.full[at_.stage], bytes);
    // What peers wait for too is asked for first.
    constexpr bool kBFirst = SharesB && !SharesA;
    if (kBFirst && loaders_.LoadsB(at_.stage)) LoadB<true>(b, at_.stage, sharers_of_b);
    if (!SharesA || loaders_.LoadsA(at_.stage)) LoadA<SharesA>(a, at_.stage, sharers_of_a);
    if (!kBFirst && (!SharesB || loaders_.LoadsB(at_.stage))) LoadB<SharesB>(b, at_.stage, sharers_of_b);
    at_.Advance();
    ++step_;
  }

  __device__ __forceinline__ void Next() {
    live_ = scheduler_.Next(&tile_);
    SetRows();
  }

  __device__ __forceinline__ void SetRows() {
    a_rows_ = LoadedRows<C::kATransposed>(tile_.row, params_.m, C::kTileM);
    b_rows_ = LoadedRows<C::kBTransposed>(tile_.column, params_.n, C::kBRows);
  }

  // Of a tile beyond the edge the last one's rows and columns are loaded, so that where peers load each CTA waits for bytes of all that
  // load for it: one that waited for none could hand the same stage back twice before another has once, and the producer that both
  // serve would take it for handed back by both.
  __device__ __forceinline__ void StayInside() {
    tile_.row = min(tile_.row, (params_.m - 1) / C::kTileM * C::kTileM);
    tile_.column = min(tile_.column, (params_.n - 1) / C::kTileN * C::kTileN);
    SetRows();
  }

  __device__ __forceinline__ bool IsAEarly() const { return C::kMayHaveAEarly && params_.early == kEarlyA; }

  // Whether the tile's last step is narrower than the others.
  __device__ __forceinline__ bool HasRagged() const {
    return C::kRagged && params_.last_slices < C::kWgmmaSteps;
  }

  __device__ __forceinline__ unsigned WholeSteps() const { return tile_.steps - (HasRagged() ? 1 : 0); }

  // Whether the step step_ is such a one.
  __device__ __forceinline__ bool IsRagged() const { return HasRagged() && step_ + 1 == tile_.steps; }

  __device__ __forceinline__ void Announce(unsigned stage, bool ragged) const {
    device::ptx::ArriveExpectBytes(&shared_.full[stage], Bytes(ragged));
  }

  // Of a step.
  __device__ __forceinline__ unsigned Bytes(bool ragged) const {
    const unsigned of_row = ragged ? params_.last_slices * (C::kWgmmaK * C::kInputBytes) : C::kSwizzleBytes;
    return static_cast<unsigned>(a_rows_ + b_rows_) * of_row;
  }

  // The map of whole boxes, or the tail's, which is there only where the operand ends within a tile. That a_rows_, a minimum, equals the
  // tile's rows must not be asked: in split K's kernels ptxas took the predicate of VIMNMX for it, and where a tile ended at the edge they
  // loaded by the tail's map and trapped (nvcc 13.0, H200, 2026-11-27).
  __device__ __forceinline__ OperandTile A(bool ragged) const {
    const bool whole = C::kATransposed || tile_.row + C::kTileM <= params_.m;
    const TensorMap* const map = ragged ? whole ? &params_.a_ragged : &params_.a_tail_ragged
                                        : whole ? &params_.a : &params_.a_tail;
    return {map, tile_.row, a_rows_, tile_.batch * params_.a_batch_step};
  }
  __device__ __forceinline__ OperandTile B(bool ragged) const {
    const bool whole = C::kBTransposed || tile_.column + C::kTileN <= params_.n;
    const TensorMap* const map = ragged ? whole ? &params_.b_ragged : &params_.b_tail_ragged
                                        : whole ? &params_.b : &params_.b_tail;
    return {map, tile_.column, b_rows_, tile_.batch * params_.b_batch_step};
  }

  // Of the K step step_.
  template <bool Multicast>
  __device__ __forceinline__ void LoadA(const OperandTile& a, unsigned stage, unsigned ctas = 0) const {
    LoadOperand<C::kATransposed, C::kTileM, Multicast>(a, shared_.a[stage], K(), &shared_.full[stage], ctas);
  }
  template <bool Multicast>
  __device__ __forceinline__ void LoadB(const OperandTile& b, unsigned stage, unsigned ctas = 0) const {
    LoadOperand<C::kBTransposed, C::kBRows, Multicast>(b, shared_.b[stage], K(), &shared_.full[stage], ctas);
  }

  // Of A or B what is left of the first `end` steps, which must be whole, each into the stage of its number.
  template <bool kOfA>
  __device__ __forceinline__ void LoadSteps(unsigned end) {
    const OperandTile tile = kOfA ? A(false) : B(false);
    if (tile.rows <= 0) step_ = end;
#pragma unroll 1
    for (; step_ < end; ++step_) {
      __builtin_assume(tile.rows > 0);  // else each turn asks
      kOfA ? LoadA<false>(tile, step_) : LoadB<false>(tile, step_);
    }
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
