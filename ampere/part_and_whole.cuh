// A CTA of a kernel that splits the tiles of a round that is not full (kSplitsRest): a part of such a tile first, where there is one
// for it, then a whole tile, and then slices of what others have left (split.cuh).
#pragma once

#include "ampere/config.h"
#include "ampere/consumer.cuh"
#include "ampere/params.h"
#include "ampere/pipeline.cuh"
#include "ampere/split.cuh"
#include "ampere/task.cuh"

namespace gemm::ampere {

// Where only the tiles that do not fill a round are split, each CTA has a whole tile, and the first CTAs a part before that.
__device__ __forceinline__ bool HasPart(const Params& params, unsigned block) {
  return block < static_cast<unsigned>(params.split.tiles * params.split.parts);
}
__device__ __forceinline__ Task PartOf(const Params& params, unsigned block) {
  const auto tiles = static_cast<unsigned>(params.split.tiles);
  return {block % tiles, static_cast<int>(block / tiles)};
}
__device__ __forceinline__ Task WholeOf(const Params& params, unsigned block) {
  return {static_cast<long long>(blockIdx.y) * gridDim.x + block + params.split.tiles, kWhole};
}

// Writes one slice of a split tile, all of whose parts are there.
template <typename Config>
__device__ __forceinline__ void WriteSlice(const Params& params, int tile, int slice, Shared<Config>& shared) {
  constexpr int kRows = WarpStaging<Config>::kRows;
  float sums[kRows / kMmaM][Accumulators<Config>::kBlocksN][4];
  AddParts<Config, kRows / kMmaM>(params.split, tile, slice * (kRows / kMmaM), sums);
  MakeEpilogue<Config>(params, Share<Config>(params, tile))
      .RunSlice(sums, slice * kRows, shared.staging.of_warp[threadIdx.x / 32]);
}

// Behind its whole tile a CTA finishes slices of split tiles: those of its own part for which it came last, and those whose
// helper it is. The last CTAs are the helpers, in turn.
template <typename Config>
__device__ __forceinline__ void FinishSlices(const Params& params, unsigned block, Shared<Config>& shared) {
  const int everyone = params.split.parts + 1;  // at a slice: the parts and the helper
  if (HasPart(params, block)) {
    const auto tile = static_cast<int>(PartOf(params, block).tile);
#pragma unroll 1
    for (int slice = 0; slice < kSlices<Config>; ++slice) {
      if (shared.arrived[slice] == everyone) WriteSlice<Config>(params, tile, slice, shared);
    }
  }
  const int slices = params.split.tiles * kSlices<Config>;
  const int helpers = static_cast<int>(params.schedule.tiles) - params.split.tiles;
#pragma unroll 1
  for (int i = helpers - 1 - static_cast<int>(block); i < slices; i += helpers) {
    ArriveAtEach(params.split.counters + i, 1, everyone, params.split.nonce, shared.arrived);
    if (shared.arrived[0] == everyone)
      WriteSlice<Config>(params, i / kSlices<Config>, i % kSlices<Config>, shared);
  }
}

// The block's number, which the main loop has no register for; made of blockIdx again, the compiler would take it out of the loop and
// spill it.
template <typename Config>
__device__ __forceinline__ unsigned BlockOf(const Shared<Config>& shared) {
  return *static_cast<const volatile unsigned*>(&shared.block);
}

// Leaves the sums of the CTA's part where whoever finishes the tile finds them.
template <typename Config>
__device__ __forceinline__ void HandOver(const Params& params, const Accumulators<Config>& sums,
                                         Shared<Config>& shared) {
  const Task part = PartOf(params, BlockOf(shared));
  LeavePart(params.split, part.tile, part.part, sums);
  ArriveAtEach(params.split.counters + part.tile * kSlices<Config>, kSlices<Config>, params.split.parts + 1,
               params.split.nonce, shared.arrived);
}

// The ring is filled for the whole tile before the part's sums are handed over. As CTAs of their own, parts made 4096^3 3%
// slower (2026-11-22).
template <typename Config>
__device__ __forceinline__ void RunPartAndWhole(const Params& params, Shared<Config>& shared) {
  if (WholeOf(params, blockIdx.x).tile >= params.schedule.tiles) return;
  Accumulators<Config> sums;
  bool is_part = HasPart(params, blockIdx.x);
  if (threadIdx.x == 0) shared.block = blockIdx.x;
  __syncthreads();
#pragma unroll 1
  for (;;) {
    // The main loop, whose barriers show it to all, has no register for it.
    if (threadIdx.x == 0) shared.is_part = is_part;
    const unsigned block = BlockOf(shared);
    MainLoop<Config> loop =
        StartLoop<Config>(params, is_part ? PartOf(params, block) : WholeOf(params, block), shared);
    loop.Start();
    if (!is_part && HasPart(params, block)) HandOver<Config>(params, sums, shared);
    loop.Run(sums, [] {});
    if (params.split.parts == 1 || !shared.is_part) break;
    __syncthreads();
    is_part = false;
  }
  const unsigned block = BlockOf(shared);
  MakeEpilogue<Config>(params, Share<Config>(params, WholeOf(params, block).tile))
      .Run(sums, shared.staging.of_warp[threadIdx.x / 32]);
  if (params.split.parts > 1) FinishSlices<Config>(params, block, shared);
}

}  // namespace gemm::ampere
