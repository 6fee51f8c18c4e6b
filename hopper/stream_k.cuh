// Stream-K: the clusters share the K steps of the first params.stream_k.tiles cluster tiles evenly, so that all have the
// same work where whole tiles do not divide by their number, or are fewer.
//
// The K steps of those tiles are one line of units, tile after tile. Range r of n goes from r * units / n up to
// (r + 1) * units / n. A tile's parts, one of each range that touches it, are numbered from its end: part 0 holds the
// last K steps and finishes the tile, the others hand their sums over. Each cluster walks its range from the end to the
// beginning: it starts with what may be another cluster's tile, hands that partial sum over at once, and ends with the
// tail of a tile whose other parts are handed over by then. After its range come its whole tiles.
//
// Cluster c has range c. Where all tiles are cut alike, into SplitKParams::parts, the clusters have first the first part of every tile,
// then the second, and so on: those that run side by side then read the same rows and columns at the same time. Each has one part
// of one tile, and finds it without the five divisions that a range takes before the first load. The part that finishes a tile may have
// some steps more, so that it finds the others' sums when it ends (StreamK::finisher_more).
//
// Forward progress: a part waits without end for ranges of lower blockIdx only (where sums are scattered also for others, but not
// long), and a part that is not the first thing of its range waits at its end only. CTAs start in the order of blockIdx, which CUDA does not
// promise and no run has contradicted, so what is waited for runs or has run, also where other kernels hold some of the SMs. A range has at most one part that it does not finish
// (that of its last tile), so each CTA has room for one partial tile in workspace.
//
// Sums are added in an order that depends on the shape of the split alone: the same plan gives the same bits.
#pragma once

#include "common/device/ptx/global_flag.cuh"
#include "hopper/config.cuh"
#include "hopper/parallel_split_k.cuh"
#include "hopper/params.h"
#include "hopper/partials.cuh"
#include "hopper/scattered_sums.cuh"
#include "hopper/split_k.cuh"
#include "hopper/tile_scheduler.cuh"

namespace gemm::hopper {

template <class C>
class StreamKScheduler {
 public:
  __device__ __forceinline__ StreamKScheduler(const Params& params, unsigned cluster_rank)
      : params_(params),
        whole_tiles_(params, cluster_rank, params.stream_k.tiles),
        cluster_(blockIdx.x >> ShapeOf<C>(params).size_log2),
        alike_(params.split_k.parts > 0),
        ranges_(gridDim.x >> ShapeOf<C>(params).size_log2) {
    if (!alike_) {
      begin_ = Begin(cluster_);
      end_ = Begin(cluster_ + 1);
    }
  }

  // Fills *tile; false when none is left.
  __device__ __forceinline__ bool Next(TileAt* tile) {
    if (end_ == begin_) {
      tile->parts = 1;
      tile->part = 0;
      return whole_tiles_.Next(tile);
    }
    if (alike_) {
      const unsigned part = PartOfCluster(params_, whole_tiles_, cluster_, tile);
      tile->parts = params_.split_k.parts;
      tile->part = params_.split_k.parts - 1 - part;
      tile->steps = tile->part == 0 ? params_.k_steps - tile->first_step : StepsOfPart(params_, part);
      end_ = begin_;
      return true;
    }
    const unsigned number = (end_ - 1) / params_.k_steps;
    const unsigned first = number * params_.k_steps;
    const unsigned from = max(begin_, first);
    whole_tiles_.Locate(number, tile);
    tile->first_step = from - first;
    tile->steps = end_ - from;
    const unsigned finisher = RangeOf(first + params_.k_steps - 1);
    tile->parts = finisher - RangeOf(first) + 1;
    tile->part = finisher - cluster_;
    end_ = from;
    return true;
  }

  __device__ __forceinline__ bool HasNext() const { return end_ != begin_ || whole_tiles_.HasNext(); }

 private:
  // The host keeps units * ranges below 2^32.
  __device__ __forceinline__ unsigned Units() const { return params_.stream_k.tiles * params_.k_steps; }
  __device__ __forceinline__ unsigned Begin(unsigned range) const { return range * Units() / ranges_; }
  // The last range that begins at or before `unit`: Begin(r) <= unit is r * units < (unit + 1) * ranges.
  __device__ __forceinline__ unsigned RangeOf(unsigned unit) const {
    return ((unit + 1) * ranges_ - 1) / Units();
  }

  const Params& params_;
  TileScheduler<C> whole_tiles_;
  const unsigned cluster_;
  const bool alike_;
  const unsigned ranges_;
  unsigned begin_ = 0;
  unsigned end_ = 1;  // of what is left of the range, or of a cluster's one part
};

// <cuda/std/type_traits> would have conditional_t, and take 0.4 s of each compilation (2026-11-22).
template <class C, Schedule kSchedule>
struct SchedulerOf {
  using Type = TileScheduler<C>;
};
template <class C>
struct SchedulerOf<C, Schedule::kStreamK> {
  using Type = StreamKScheduler<C>;
};
template <class C>
struct SchedulerOf<C, Schedule::kSplitK> {
  using Type = SplitKScheduler<C>;
};
template <class C>
struct SchedulerOf<C, Schedule::kParallelSplitK> {
  using Type = ParallelSplitKScheduler<C>;
};
template <class C>
using Scheduler = typename SchedulerOf<C, C::kSchedule>::Type;

// Whether this CTA stores the tile; where sums are scattered, each warp finds out (ScatteredSums::Combine).
template <class C>
__device__ __forceinline__ bool Finishes(const Params& params, const TileAt& tile) {
  return C::kSchedule != Schedule::kStreamK || (tile.part == 0 && !params.stream_k.scatters);
}

// The exchange of partial sums where tiles are cut anywhere: the part that finishes a tile adds and stores all of it. Where all are
// cut alike, and the sums fit the ring, ScatteredSums (scattered_sums.cuh) does it.
template <class C>
class PartialSums {
 public:
  __device__ __forceinline__ PartialSums(const Params& params, unsigned consumer, unsigned warp, unsigned lane)
      : params_(params),
        partials_(params, lane),
        row_(static_cast<int>(consumer * C::kConsumerRows + warp * 16)),
        warp_(consumer * 4 + warp),
        lane_(lane) {}

  // By each warp, when its wgmma have finished. Adds to `acc` what other parts hand over to this one; where this is not
  // the part that finishes the tile, hands the sum over.
  //
  // Sums go up a tree in which a part takes those of up to kSumsFan - 1 others on each level: from the parts
  // kSumsFan^level times 1, 2, ... further from the tile's end.
  __device__ __forceinline__ void Combine(const TileAt& tile, float (&acc)[C::kBlocksM][C::kTileN / 2]) const {
    if (tile.row + row_ >= params_.m) return;  // nothing of this warp's rows is stored
#pragma unroll 1
    for (unsigned stride = 1; stride < tile.parts && (tile.part & (stride * kSumsFan - 1)) == 0;
         stride *= kSumsFan) {
      // Those of lower ranges first: they are there earlier.
#pragma unroll 1
      for (unsigned other = (kSumsFan - 1) * stride; other > 0; other -= stride) {
        if (tile.part + other < tile.parts) {
          Add(partials_.CtaOf(tile, tile.part + other), acc);
        }
      }
    }
    if (tile.part != 0) partials_.HandOver(warp_, acc);
  }

 private:
  __device__ __forceinline__ void Add(unsigned cta, float (&acc)[C::kBlocksM][C::kTileN / 2]) const {
    unsigned long long* flag = partials_.FlagOf(cta, warp_);
    // By a vote, so that the compiler knows that the warp stays together: otherwise the main loop's addresses and
    // counters leave the uniform registers (30 instructions more in each K step).
    while (__any_sync(0xffffffffu, device::ptx::LoadAcquire(flag) != params_.stream_k.nonce)) {
    }
    if (lane_ == 0) *flag = 0;
    partials_.Add(cta, warp_, acc);
  }

  const Params& params_;
  const Partials<C> partials_;
  const int row_;  // of this warp in the tile
  const unsigned warp_;
  const unsigned lane_;
};

}  // namespace gemm::hopper
