// What a CTA has to do, and what the kernels make of it: the main loop and the epilogue of one tile.
#pragma once

#include "ampere/config.h"
#include "ampere/epilogue.cuh"
#include "ampere/params.h"
#include "ampere/pipeline.cuh"
#include "ampere/scheduler.cuh"
#include "ampere/split.cuh"
#include "common/device/element_type.h"
#include "common/device/ptx/prefetch.cuh"
#include "common/device/scalars.cuh"

namespace gemm::ampere {

// Of a tile that is not split.
inline constexpr int kWhole = -1;

// Which tile a CTA multiplies, and which part of K.
struct Task {
  long long tile;  // of all batches
  int part;        // kWhole, or which
};

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
  return Epilogue<Config>(params, device::ReadScalars(params.scalars, params.k), share.batch, share.m + warp_m,
                          share.n + warp_n, share.rows_left - warp_m, share.cols_left - warp_n);
}

}  // namespace gemm::ampere
