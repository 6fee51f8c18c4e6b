// The Ampere kernel. Every warp produces and consumes; a CTA computes one tile.
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

// What a CTA computes.
template <typename Config>
struct Share {
  long long tile;  // of all batches; CTAs beyond the last one have nothing to do
  int part;        // of K; without a split there is one
  long long batch;
  long long m;  // the tile's first row and column
  long long n;
  int rows_left;  // rows and columns of the matrix from there on, at most the tile's
  int cols_left;

  __device__ __forceinline__ Share(const Params& params, unsigned block) : part(0) {
    // The grid's second dimension serves only batches with more tiles than the first one can count.
    tile = static_cast<long long>(blockIdx.y) * gridDim.x + block;
    if (Config::kCanSplit && params.split.parts > 1) {
      // All tiles' first parts, then their second ones. The host keeps CTAs that split K below 2^31.
      const auto tiles = static_cast<unsigned>(params.schedule.tiles);
      part = static_cast<int>(block / tiles);
      tile = block % tiles;
    }
    const TileAt at = LocateTile(params.schedule, tile);
    batch = at.batch;
    m = static_cast<long long>(at.m) * Config::kTileM;
    n = static_cast<long long>(at.n) * Config::kTileN;
    rows_left = static_cast<int>(min(params.m - m, static_cast<long long>(Config::kTileM)));
    cols_left = static_cast<int>(min(params.n - n, static_cast<long long>(Config::kTileN)));
  }
};

// Asks the L2 for the CTA's tile of C, line by line.
template <typename Config>
__device__ __forceinline__ void PrefetchC(const Params& params) {
  if (params.c == nullptr || params.c_layout.col_stride != 1) return;
  unsigned block = blockIdx.x;
  device::ptx::KeepInRegister(block);
  const Share<Config> share(params, block);
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

// Leaves the CTA's products in `sums`, and the ring free for other use.
template <typename Config>
__device__ __forceinline__ void Multiply(const Params& params, Shared<Config>& shared,
                                         Accumulators<Config>& sums) {
  const Share<Config> share(params, blockIdx.x);
  KRange range = {0, params.k};
  if (Config::kCanSplit && params.split.parts > 1) {
    range = RangeOfPart<Config>(params.k, share.part, params.split.parts);
  }
  MainLoop<Config> loop(params, shared, share.batch, share.m, share.n, share.rows_left, share.cols_left, range);
  loop.Run(range.count, sums, [&] { PrefetchC<Config>(params); });
}

template <typename Config>
__device__ __forceinline__ void Finish(const Params& params, Shared<Config>& shared,
                                       Accumulators<Config>& sums) {
  // Where the tile lies is computed again, and the scalars are read only here: the main loop has no register to keep them in.
  unsigned block = blockIdx.x;
  device::ptx::KeepInRegister(block);
  const Share<Config> share(params, block);
  if (Config::kCanSplit && params.split.parts > 1) {
    if (!CombineParts(params.split, share.tile, params.schedule.tiles, share.part, sums, shared.arrived))
      return;
    __syncthreads();  // all have read `arrived` before the epilogue stages there
  }
  const int warp = threadIdx.x / 32;
  const int warp_m = warp / Config::kWarpsN * Config::kWarpM;
  const int warp_n = warp % Config::kWarpsN * Config::kWarpN;
  Epilogue<Config> epilogue(params, EffectiveScalars(params), share.batch, share.m + warp_m, share.n + warp_n,
                            share.rows_left - warp_m, share.cols_left - warp_n);
  epilogue.Run(sums, shared.staging[warp]);
}

template <typename Config>
__device__ __forceinline__ void RunKernel(const Params& params) {
  extern __shared__ __align__(128) unsigned char shared_bytes[];
  Shared<Config>& shared = *reinterpret_cast<Shared<Config>*>(shared_bytes);

  device::ptx::GridDependencyWait();
  if (static_cast<long long>(blockIdx.y) * gridDim.x + blockIdx.x <
      params.schedule.tiles * params.split.parts) {
    Accumulators<Config> sums;
    Multiply(params, shared, sums);
    Finish(params, shared, sums);
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
