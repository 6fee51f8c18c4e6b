// The Ampere kernel. Every warp produces and consumes. A CTA computes a tile or a part of one; where kSplitsRest a tile, and a part
// before it (part_and_whole.cuh); where kPersistent one tile after the other (tiles.cuh).
#pragma once

#include "ampere/config.h"
#include "ampere/consumer.cuh"
#include "ampere/kernels.inc"
#include "ampere/params.h"
#include "ampere/part_and_whole.cuh"
#include "ampere/pipeline.cuh"
#include "ampere/split.cuh"
#include "ampere/task.cuh"
#include "ampere/tiles.cuh"
#include "common/device/ptx/grid_dependency.cuh"
#include "common/device/ptx/opaque.cuh"

namespace gemm::ampere {

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

// The block's number where it is needed again: behind the main loop, which has no register for what is made of it.
__device__ __forceinline__ unsigned BlockAgain() {
  unsigned block = blockIdx.x;
  device::ptx::KeepInRegister(block);
  return block;
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
