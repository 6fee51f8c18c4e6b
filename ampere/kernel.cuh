// The Ampere kernel. Every warp produces and consumes; a CTA computes one tile.
#pragma once

#include "ampere/config.h"
#include "ampere/epilogue.cuh"
#include "ampere/kernels.inc"
#include "ampere/params.h"
#include "ampere/pipeline.cuh"
#include "ampere/scheduler.cuh"
#include "common/device/ptx/grid_dependency.cuh"

namespace gemm::ampere {

// alpha and beta as the epilogue uses them. Without a product D = beta * C, also when alpha is Inf or NaN.
__device__ __forceinline__ device::AlphaBeta EffectiveScalars(const Params& params) {
  device::AlphaBeta scalars = device::ReadScalars(params.scalars);
  if (params.k == 0) scalars.alpha = 0;
  return scalars;
}

template <typename Config>
__device__ __forceinline__ void ComputeTile(const Params& params, const TileAt& at, Shared<Config>& shared) {
  const long long m = static_cast<long long>(at.m) * Config::kTileM;
  const long long n = static_cast<long long>(at.n) * Config::kTileN;
  const int rows_left = static_cast<int>(min(params.m - m, static_cast<long long>(Config::kTileM)));
  const int cols_left = static_cast<int>(min(params.n - n, static_cast<long long>(Config::kTileN)));

  Accumulators<Config> sums;
  MainLoop<Config> loop(params, shared, at.batch, m, n, rows_left, cols_left);
  loop.Run(params.k, sums);

  // The scalars are read here and not before, because the main loop has no register to keep them in.
  const int warp = threadIdx.x / 32;
  const int warp_m = warp / Config::kWarpsN * Config::kWarpM;
  const int warp_n = warp % Config::kWarpsN * Config::kWarpN;
  Epilogue<Config> epilogue(params, EffectiveScalars(params), at.batch, m + warp_m, n + warp_n,
                            rows_left - warp_m, cols_left - warp_n);
  epilogue.Run(sums, shared.staging[warp]);
}

template <typename Config>
__device__ __forceinline__ void RunKernel(const Params& params) {
  extern __shared__ __align__(128) unsigned char shared_bytes[];
  Shared<Config>& shared = *reinterpret_cast<Shared<Config>*>(shared_bytes);

  device::ptx::GridDependencyWait();
  // The grid's second dimension serves only batches with more tiles than the first one can count.
  const long long tile = static_cast<long long>(blockIdx.y) * gridDim.x + blockIdx.x;
  if (tile < params.schedule.tiles) {
    ComputeTile<Config>(params, LocateTile(params.schedule, tile), shared);
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
