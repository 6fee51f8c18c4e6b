// The Ampere kernel. Every warp produces and consumes; a CTA computes one tile, or, where kPersistent, one after the other.
#pragma once

#include "ampere/config.h"
#include "ampere/epilogue.cuh"
#include "ampere/kernels.inc"
#include "ampere/params.h"
#include "ampere/pipeline.cuh"
#include "ampere/scheduler.cuh"
#include "ampere/split.cuh"
#include "common/device/ptx/grid_dependency.cuh"

namespace gemm::ampere {

// alpha and beta as the epilogue uses them. Without a product D = beta * C, also when alpha is Inf or NaN.
__device__ __forceinline__ device::AlphaBeta EffectiveScalars(const Params& params) {
  device::AlphaBeta scalars = device::ReadScalars(params.scalars);
  if (params.k == 0) scalars.alpha = 0;
  return scalars;
}

// Of a tile that is not split.
inline constexpr int kWhole = -1;

// Which tile a CTA multiplies, and which part of K.
struct Task {
  long long tile;  // of all batches
  int part;        // kWhole, or which
};

// The CTA's task, where every tile is split or none. CTAs beyond the last one have nothing to do.
template <typename Config>
__device__ __forceinline__ Task TaskOf(const Params& params, unsigned block) {
  if (Config::kCanSplit && params.split.parts > 1) {
    // All tiles' first parts, then their second ones. The host keeps CTAs that split K below 2^31.
    const auto tiles = static_cast<unsigned>(params.split.tiles);
    return {block % tiles, static_cast<int>(block / tiles)};
  }
  // The grid's second dimension serves only batches with more tiles than the first one can count.
  return {static_cast<long long>(blockIdx.y) * gridDim.x + block, kWhole};
}

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

// Where a tile lies.
template <typename Config>
struct Share {
  long long batch;
  long long m;  // the tile's first row and column
  long long n;
  int rows_left;  // rows and columns of the matrix from there on, at most the tile's
  int cols_left;

  __device__ __forceinline__ Share(const Params& params, long long tile) {
    const TileAt at = LocateTile(params.schedule, tile);
    batch = at.batch;
    m = static_cast<long long>(at.m) * Config::kTileM;
    n = static_cast<long long>(at.n) * Config::kTileN;
    rows_left = static_cast<int>(min(params.m - m, static_cast<long long>(Config::kTileM)));
    cols_left = static_cast<int>(min(params.n - n, static_cast<long long>(Config::kTileN)));
  }
};

// The block's number where it is needed again: behind the main loop, which has no register for what is made of it.
__device__ __forceinline__ unsigned BlockAgain() {
  unsigned block = blockIdx.x;
  device::ptx::KeepInRegister(block);
  return block;
}

// Asks the L2 for C's part of the tile that `tile` returns, line by line.
template <typename Config, typename Tile>
__device__ __forceinline__ void PrefetchC(const Params& params, const Tile& tile) {
  if (params.c == nullptr || params.c_layout.col_stride != 1) return;
  const Share<Config> share(params, tile());
  const int bytes = params.output_type == device::kElementFP32 ? 4 : 2;
  const char* first =
      static_cast<const char*>(params.c) +
      (share.batch * params.c_layout.batch_stride + share.m * params.c_layout.row_stride + share.n) * bytes;
  constexpr int kLines = Config::kTileN / 32;  // of FP32
#pragma unroll 1
  for (int i = threadIdx.x; i < Config::kTileM * kLines; i += Config::kThreads) {
    const int row = i / kLines, byte = i % kLines * 128;
    if (row < share.rows_left && byte < share.cols_left * bytes) {
      device::ptx::PrefetchL2(first + row * params.c_layout.row_stride * bytes + byte);
    }
  }
}

// Starts the main loop of a task.
template <typename Config>
__device__ __forceinline__ MainLoop<Config> StartLoop(const Params& params, const Task& task,
                                                      Shared<Config>& shared) {
  const Share<Config> share(params, task.tile);
  KRange range = {0, params.k};
  if (task.part != kWhole) range = RangeOfPart<Config>(params.k, task.part, params.split.parts);
  return MainLoop<Config>(params, shared, share.batch, share.m, share.n, share.rows_left, share.cols_left,
                          range);
}

// Of a warp's share of the tile.
template <typename Config>
__device__ __forceinline__ Epilogue<Config> MakeEpilogue(const Params& params, const Share<Config>& share) {
  const int warp = threadIdx.x / 32;
  const int warp_m = warp / Config::kWarpsN * Config::kWarpM;
  const int warp_n = warp % Config::kWarpsN * Config::kWarpN;
  return Epilogue<Config>(params, EffectiveScalars(params), share.batch, share.m + warp_m, share.n + warp_n,
                          share.rows_left - warp_m, share.cols_left - warp_n);
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

template <typename Config>
__device__ __forceinline__ void RunTask(const Params& params, Shared<Config>& shared) {
  const Task task = TaskOf<Config>(params, blockIdx.x);
  if (task.tile >= params.schedule.tiles) return;
  Accumulators<Config> sums;
  MainLoop<Config> loop = StartLoop<Config>(params, task, shared);
  loop.Start();
  loop.Run(sums, [&] { PrefetchC<Config>(params, [&] { return TaskOf<Config>(params, BlockAgain()).tile; }); });
  const Task again = TaskOf<Config>(params, BlockAgain());
  if (again.part != kWhole) {
    if (!CombineParts(params.split, again.tile, again.part, sums, shared.arrived[0])) return;
  }
  MakeEpilogue<Config>(params, Share<Config>(params, again.tile))
      .Run(sums, shared.staging.of_warp[threadIdx.x / 32]);
}

// As BlockAgain, where the compiler would take the number out of a loop and spill it.
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

// Tiles that the calling warp has begun. In shared memory, because the main loop has no register for it.
template <typename Config>
__device__ __forceinline__ volatile int& StartedOf(Shared<Config>& shared) {
  return *static_cast<volatile int*>(&shared.started[threadIdx.x / 32]);
}
// The CTA's tile after `round` others.
__device__ __forceinline__ long long TileOf(int round) {
  return static_cast<long long>(round) * gridDim.x + blockIdx.x;
}

// Tile after tile. The ring is filled for the next one before the sums of the last are written, so that copies and stores are under
// way together, and no CTA is launched in between. The barriers of a main loop stand between all staging and the copies to the
// stage below it.
template <typename Config>
__device__ __forceinline__ void RunTiles(const Params& params, Shared<Config>& shared) {
  Accumulators<Config> sums;
  volatile int& started = StartedOf(shared);
  if (threadIdx.x % 32 == 0) started = 0;
  __syncwarp();
#pragma unroll 1
  for (;;) {
    const int round = started;
    const bool has_tile = TileOf(round) < params.schedule.tiles;
    MainLoop<Config> loop = StartLoop<Config>(params, {TileOf(round), kWhole}, shared);
    if (has_tile) loop.Start();
    if (round > 0) {
      MakeEpilogue<Config>(params, Share<Config>(params, TileOf(round - 1)))
          .Run(sums, shared.staging.of_warp[threadIdx.x / 32]);
    }
    if (!has_tile) break;
    __syncwarp();
    if (threadIdx.x % 32 == 0) started = round + 1;
    __syncwarp();
    loop.Run(sums, [&] { PrefetchC<Config>(params, [&] { return TileOf(started - 1); }); });
  }
}

template <typename Config>
__device__ __forceinline__ void RunKernel(const Params& params) {
  extern __shared__ __align__(128) unsigned char shared_bytes[];
  Shared<Config>& shared = *reinterpret_cast<Shared<Config>*>(shared_bytes);

  device::ptx::GridDependencyWait();
  if constexpr (Config::kSplitsRest) {
    RunPartAndWhole<Config>(params, shared);
  } else if constexpr (Config::kPersistent) {
    RunTiles<Config>(params, shared);
  } else {
    RunTask<Config>(params, shared);
  }
  device::ptx::GridDependencyLaunchDependents();
}

}  // namespace gemm::ampere

// Defines the kernel of one row of kernels.inc.
#define GEMM_AMPERE_KERNEL(...) GEMM_AMPERE_NAMED(GEMM_AMPERE_DEFINE, __VA_ARGS__)
#define GEMM_AMPERE_DEFINE(name, ...)                                                              \
  namespace {                                                                                      \
  GEMM_AMPERE_CONFIG(Config_##name, __VA_ARGS__);                                                  \
  }                                                                                                \
  extern "C" __global__ void __launch_bounds__(Config_##name::kThreads, Config_##name::kCtasPerSm) \
      name(const __grid_constant__ gemm::ampere::Params params) {                                  \
    gemm::ampere::RunKernel<Config_##name>(params);                                                \
  }
