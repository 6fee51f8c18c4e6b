// Parallel split K's second kernel: adds up the parts of K and stores D = alpha sum + beta C. It may be launched while the product runs,
// and waits for its end.
//
// A thread has the accumulators that one of the product's threads has of eight columns: two neighbours in each of two rows, eight apart
// (wgmma.cuh). Parts are added in their order, from the beginning of K: the bits repeat.
#include "common/device/convert.cuh"
#include "common/device/ptx/grid_dependency.cuh"
#include "common/device/scalars.cuh"
#include "hopper/add_parts.h"
#include "hopper/tile_scheduler.cuh"

namespace gemm::hopper {

// This thread's accumulators of the first part, and how many vectors of 16 bytes further those of the next are.
struct PartsAt {
  const float4* first;
  unsigned long long step;
};

__device__ __forceinline__ PartsAt FindParts(const AddPartsParams& params) {
  const unsigned threads = 2 * params.tile_m;  // consumers'
  const unsigned long long tile = static_cast<unsigned long long>(params.tile_n / 8) * threads;
  return {static_cast<const float4*>(params.partials) + blockIdx.z * tile + blockIdx.x * threads +
              blockIdx.y * kAddPartsThreads + threadIdx.x,
          params.ctas * tile};
}

// Many loads are under way at once: with eight instead of sixteen a product took 2.5% longer (H200, 2026-11-27).
__device__ __forceinline__ float4 AddParts(const PartsAt& at, unsigned parts) {
  constexpr unsigned kAtOnce = 16;
  float4 sum = __ldcg(at.first);
#pragma unroll 1
  for (unsigned part = 1; part < parts; part += kAtOnce) {
    float4 others[kAtOnce];
#pragma unroll
    for (unsigned i = 0; i < kAtOnce; ++i) {
      if (part + i < parts) others[i] = __ldcg(at.first + (part + i) * at.step);
    }
#pragma unroll
    for (unsigned i = 0; i < kAtOnce; ++i) {
      if (part + i >= parts) break;
      sum.x += others[i].x, sum.y += others[i].y, sum.z += others[i].z, sum.w += others[i].w;
    }
  }
  return sum;
}

// Two neighbours of a row of D, which this thread stores. An odd number of columns ends with one alone.
class Pair {
 public:
  // Asks for C, which comes while the parts are added up.
  __device__ __forceinline__ Pair(const AddPartsParams& params, const device::AlphaBeta& scalars,
                                  const TileAt& tile, int row, int column)
      : params_(params), scalars_(scalars), tile_(tile), row_(row), column_(column) {
    if (scalars.beta == 0.0f) return;
    const long long c =
        tile.batch * params.c_batch_stride + row * params.c_row_stride + column * params.c_column_stride;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      if (i < There())
        c_[i] = device::LoadBits(params.output_type, params.c_address, c + i * params.c_column_stride);
    }
  }

  __device__ __forceinline__ void Store(float first, float second) const {
    const int type = params_.output_type, there = There();
    const long long d =
        tile_.batch * params_.d_batch_stride + row_ * params_.d_row_stride + column_ * params_.d_column_stride;
    const float values[2] = {scalars_.Blend(first, device::ElementOf(type, c_[0])),
                             scalars_.Blend(second, device::ElementOf(type, c_[1]))};
    if (params_.in_pairs && there == 2) {
      device::Store2(type, params_.d_address, d, values[0], values[1]);
      return;
    }
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      if (i < there) device::StoreElement(type, params_.d_address, d + i * params_.d_column_stride, values[i]);
    }
  }

 private:
  __device__ __forceinline__ int There() const { return row_ < params_.m ? min(params_.n - column_, 2) : 0; }

  const AddPartsParams& params_;
  const device::AlphaBeta& scalars_;
  const TileAt& tile_;
  const int row_;
  const int column_;
  unsigned c_[2] = {};
};

}  // namespace gemm::hopper

extern "C" __global__ void __launch_bounds__(gemm::hopper::kAddPartsThreads)
    hopper_add_parts(const __grid_constant__ gemm::hopper::AddPartsParams params) {
  using namespace gemm::hopper;
  gemm::device::ptx::GridDependencyLaunchDependents();
  TileAt tile;
  LocateTile(params, params.cluster, blockIdx.z & ((1u << params.cluster.size_log2) - 1),
             blockIdx.z >> params.cluster.size_log2, params.tile_m, params.tile_n, &tile);
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int row =
      tile.row + static_cast<int>(blockIdx.y * kAddPartsThreads / 2 + threadIdx.x / 32 * 16) + lane / 4;
  const int column = tile.column + static_cast<int>(blockIdx.x * 8) + lane % 4 * 2;
  const PartsAt parts = FindParts(params);
  gemm::device::ptx::GridDependencyWait();
  if (row >= params.m || column >= params.n) return;
  const gemm::device::AlphaBeta scalars = gemm::device::ReadScalars(params.scalars);
  const Pair upper(params, scalars, tile, row, column), lower(params, scalars, tile, row + 8, column);
  const float4 sum = AddParts(parts, params.parts);
  upper.Store(sum.x, sum.y);
  lower.Store(sum.z, sum.w);
}
