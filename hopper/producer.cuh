// The producer: one thread that keeps the ring filled.
//
// Tensor maps of A and B (128-byte swizzle, dimension 2 is the batch, made by launch.cc):
//   K-major   dimensions k, row; box 64 x slice, or 64 x all rows where the operand has fewer than a slice
//   MN-major  dimensions row, k; box 64 x 64, slice / 64 boxes
// where "row" is m of A or n of B and slice is C::kASlice or C::kBSlice. Beyond K both operands read as zeros,
// so a ragged last step adds zeros.
//
// A box that hangs over the last row is slow. Where a tile has more rows than the operand, boxes bring only the
// first params.a_rows or b_rows of them, in every CTA alike: what would begin behind those is left out, and the
// consumers clear its place (ClearUnloadedRows). A larger operand's last tile loads whole boxes: narrower ones
// would need a map and bytes of their own, and behind them would lie what another tile left there.
#pragma once

#include "common/device/ptx/tma.cuh"
#include "hopper/params.h"
#include "hopper/pipeline.cuh"
#include "hopper/stream_k.cuh"

namespace gemm::hopper {

// One operand's slice of one stage, to every CTA in `ctas`. `slice` numbers it in the operand's tile, of which
// the first `rows` rows are loaded.
template <bool Transposed, int SliceRows, bool Multicast>
__device__ __forceinline__ void LoadSlice(const TensorMap& map, unsigned char* operand, unsigned slice,
                                          int rows, int row, int k, int batch, device::ptx::Barrier* full,
                                          unsigned ctas) {
  constexpr int kRowsPerBox = Transposed ? 64 : SliceRows;
#pragma unroll
  for (int i = 0; i < SliceRows / kRowsPerBox; ++i) {
    const int in_tile = static_cast<int>(slice) * SliceRows + i * kRowsPerBox;
    if (in_tile > 0 && in_tile >= rows) continue;
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

// The producer's whole life. By one thread.
template <class C>
__device__ __forceinline__ void Produce(const Params& params, Shared<C>& shared, unsigned cluster_rank) {
  const unsigned rank_m = cluster_rank % C::kClusterM;
  const unsigned rank_n = C::kClusterN > 1 ? cluster_rank / C::kClusterM : 0;
  unsigned same_row = 0;  // CTAs that compute the same rows of D, and so share A
#pragma unroll
  for (int n = 0; n < C::kClusterN; ++n) same_row |= 1u << (rank_m + n * C::kClusterM);
  const unsigned same_column = ((1u << C::kClusterM) - 1) << (rank_n * C::kClusterM);
  const int a_rows = params.a_rows;
  const int b_rows = params.b_rows;
  const unsigned stage_bytes = static_cast<unsigned>(a_rows + b_rows) * C::kSwizzleBytes;

  RingPosition<C> at;
  Scheduler<C> scheduler(params, cluster_rank);
  TileAt tile;
  while (scheduler.Next(&tile)) {
    const int a_batch = tile.batch * params.a_batch_step;
    const int b_batch = tile.batch * params.b_batch_step;
    for (unsigned step = 0; step < tile.steps; ++step) {
      const int k = static_cast<int>((tile.first_step + step) * C::kTileK);
      AcquireStage(shared, at, stage_bytes);
      LoadSlice<C::kATransposed, C::kASlice, (C::kClusterN > 1)>(
          params.a, shared.a[at.stage], rank_n, a_rows, tile.row, k, a_batch, &shared.full[at.stage], same_row);
      LoadSlice<C::kBTransposed, C::kBSlice, (C::kClusterM > 1)>(params.b, shared.b[at.stage], rank_m, b_rows,
                                                                 tile.column, k, b_batch,
                                                                 &shared.full[at.stage], same_column);
      at.Advance();
    }
  }
}

}  // namespace gemm::hopper
