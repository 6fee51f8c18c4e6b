// A consumer warpgroup: multiplies the stages into registers, then runs the epilogue.
#pragma once

#include "common/device/ptx/named_barrier.cuh"
#include "common/device/ptx/tma.cuh"
#include "hopper/boxes.cuh"
#include "hopper/epilogue.cuh"
#include "hopper/main_loop.cuh"
#include "hopper/params.h"
#include "hopper/stream_k.cuh"

namespace gemm::hopper {

// Zeros for one operand's rows from `rows` on, in the first `count` stages. Both layouts hold 128 bytes a row of 64 k, or 64
// rows a block.
template <class C, unsigned Bytes>
__device__ __forceinline__ void ClearRowsFrom(int rows, unsigned char (&stages)[C::kStages][Bytes],
                                              unsigned count, unsigned thread) {
#pragma unroll 1
  for (unsigned stage = 0; stage < count; ++stage) {
#pragma unroll 1
    for (unsigned at = static_cast<unsigned>(rows) * C::kSwizzleBytes + thread * 16; at < Bytes;
         at += C::kConsumerThreads * 16) {
      *reinterpret_cast<uint4*>(stages[stage] + at) = make_uint4(0, 0, 0, 0);
    }
  }
}

// By all consumer threads, before their first wgmma: zeros for the rows of both operands that no box brings for the CTA's
// first tile, in the stages that it fills, or in all where no tile brings them, so that wgmma reads nothing undefined. The
// first loads are on their way meanwhile.
template <class C>
__device__ __forceinline__ void ClearUnloadedRows(const Params& params, Shared<C>& shared,
                                                  unsigned cluster_rank, unsigned thread) {
  TileAt tile;
  if (!Scheduler<C>(params, cluster_rank).Next(&tile)) return;
  const int a_rows = LoadedRows<C::kATransposed>(tile.row, params.m, C::kTileM);
  const int b_rows = LoadedRows<C::kBTransposed>(tile.column, params.n, C::kTileN);
  if (a_rows == C::kTileM && b_rows == C::kTileN) return;
  const unsigned filled = min(tile.steps, unsigned{C::kStages});
  const bool whole_a = HasWholeBoxes<C::kATransposed>(params.m, C::kASlice);
  const bool whole_b = HasWholeBoxes<C::kBTransposed>(params.n, C::kBSlice);
  ClearRowsFrom<C>(a_rows, shared.a, whole_a ? filled : C::kStages, thread);
  ClearRowsFrom<C>(b_rows, shared.b, whole_b ? filled : C::kStages, thread);
  device::ptx::FenceSharedForAsync();
  device::ptx::SyncThreads(1, C::kConsumerThreads);
}

// A consumer's whole life. By the four warps of a warpgroup; `consumer` numbers it from 0.
template <class C>
__device__ __forceinline__ void Consume(const Params& params, Shared<C>& shared, unsigned cluster_rank,
                                        unsigned consumer, unsigned warp, unsigned lane) {
  MainLoop<C> main_loop(shared, cluster_rank, consumer, lane);
  Epilogue<C> epilogue(params, shared, consumer, warp, lane);
  Scheduler<C> scheduler(params, cluster_rank);
  TileAt tile;
  Accumulators<C> acc;
  while (scheduler.Next(&tile)) {
    // Rows beyond the edge: only in step with the ring. In stream-K every part of the tile leaves them out alike.
    if (tile.row + static_cast<int>(consumer) * C::kConsumerOffset >= params.m) {
      main_loop.Pass(tile.steps);
      continue;
    }
    main_loop.First(acc);
    if (Finishes<C>(tile)) epilogue.FetchAhead(tile);
    main_loop.Others(tile.steps - 1, acc);
    main_loop.Finish(acc);
    if constexpr (C::kSchedule == Schedule::kStreamK) {
      PartialSums<C>(params, consumer, warp, lane).Combine(tile, acc);
    }
    if (Finishes<C>(tile)) epilogue.Store(tile, acc);
  }
  epilogue.Finish();
}

}  // namespace gemm::hopper
