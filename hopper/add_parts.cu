// Parallel split K's second kernel: adds up the parts of K and stores D = alpha sum + beta C. It may be launched while the product runs,
// and waits for its end.
#include "common/device/ptx/grid_dependency.cuh"
#include "hopper/add_parts.cuh"
#include "hopper/tile_scheduler.cuh"

// Loads under way at once: with eight instead of sixteen a product took 2.5% longer (H200, 2026-11-27).
static constexpr unsigned kAtOnce = 16;

extern "C" __global__ void __launch_bounds__(gemm::hopper::kAddPartsThreads)
    hopper_add_parts(const __grid_constant__ gemm::hopper::AddPartsParams params) {
  using namespace gemm::hopper;
  gemm::device::ptx::GridDependencyLaunchDependents();
  TileAt tile;
  LocateTile(params, params.cluster, blockIdx.z & ((1u << params.cluster.size_log2) - 1),
             blockIdx.z >> params.cluster.size_log2, params.tiles.tile_m, params.tiles.tile_n, &tile);
  const PlaceOfSums place(threadIdx.x);
  const int row = tile.row + static_cast<int>(blockIdx.y * kAddPartsRows) + place.row;
  const int column = tile.column + static_cast<int>(blockIdx.x * kAddPartsColumns) + place.column;
  const PartsAt parts = FindParts(params.tiles, blockIdx.z, blockIdx.y, blockIdx.x, threadIdx.x);
  gemm::device::ptx::GridDependencyWait();
  if (row >= params.output.m || column >= params.output.n) return;
  const gemm::device::AlphaBeta scalars = gemm::device::ReadScalars(params.scalars);
  const Pair upper(params.output, scalars, tile.batch, row, column),
      lower(params.output, scalars, tile.batch, row + 8, column);
  const float4 sum = AddParts<kAtOnce>(parts, params.tiles.parts);
  upper.Store(sum.x, sum.y);
  lower.Store(sum.z, sum.w);
}
