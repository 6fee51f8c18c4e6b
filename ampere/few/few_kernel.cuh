// Few rows times a matrix, as fast as memory brings the matrix.
//
// Every warp is on its own until the end: it copies what it multiplies, some rows of the longer operand and those of the short one, kTileK
// of K a stage, waits for its own copies only, and adds up its share of K. So nothing has to stand before the first copy, and small
// CTAs hide each other's beginning and end. 4x4096x4096 takes 9.8 to 10.0 us where the wgmma kernel with a ring of the whole SM takes
// 10.6 (H200, 2026-11-23, docs/perf/decode.md). Where the longer operand lies by columns, ldmatrix transposes it.
#pragma once

#include <cuda/std/type_traits>

#include "ampere/few/config.h"
#include "ampere/few/copies.cuh"
#include "ampere/few/epilogue.cuh"
#include "ampere/few/kernels.inc"
#include "ampere/few/outputs.cuh"
#include "common/device/ptx/cp_async.cuh"
#include "common/device/ptx/grid_dependency.cuh"
#include "common/device/ptx/ldmatrix.cuh"
#include "common/device/ptx/mma.cuh"

namespace gemm::ampere::few {

// A warp's share of K.
template <class C>
class WarpProduct {
 public:
  __device__ __forceinline__ WarpProduct(const Params& params, Stage<C>* ring, int first_row)
      : wide_(params.wide, first_row, params.wide_rows - first_row),
        few_(params.few, 0, params.few_rows),
        k_(params.k),
        ring_(static_cast<unsigned>(__cvta_generic_to_shared(ring))),
        at_(static_cast<int>(threadIdx.x / kWarpThreads) * C::kTileK) {}

  // The first turn of the ring. The longer operand's copies belong to the group that StartFew closes first: before griddepcontrol.wait they
  // cannot be grouped with the short one's, so the first multiplication waits for the whole turn. Later groups hold one stage.
  __device__ __forceinline__ void StartWide() const {
#pragma unroll
    for (int stage = 0; stage < C::kStages; ++stage) {
      const int k = at_ + stage * kStep;
      if (k < k_) wide_.Start(Wide(stage), k, k_ - k);
    }
  }
  __device__ __forceinline__ void StartFew() const {
#pragma unroll
    for (int stage = 0; stage < C::kStages; ++stage) {
      const int k = at_ + stage * kStep;
      if (k < k_) few_.Start(Few(stage), k, k_ - k);
      device::ptx::CpAsyncCommit();
    }
  }

  // After both. Leaves the ring to other use.
  __device__ __forceinline__ void Run() {
    int stage = 0;
#pragma unroll 1
    for (; at_ < k_; at_ += kStep) {
      device::ptx::CpAsyncWait<C::kStages - 1>();
      __syncwarp();
      Multiply(stage);
      __syncwarp();
      const int k = at_ + C::kStages * kStep;
      if (k < k_) {
        wide_.Start(Wide(stage), k, k_ - k);
        few_.Start(Few(stage), k, k_ - k);
      }
      device::ptx::CpAsyncCommit();
      stage = stage + 1 == C::kStages ? 0 : stage + 1;
    }
  }

  __device__ __forceinline__ void LeaveSums(WarpSums<C>& sums) const {
    const int row = Lane() / 4, column = Lane() % 4 * 2;
#pragma unroll
    for (int w = 0; w < kWides; ++w) {
#pragma unroll
      for (int f = 0; f < kOctets; ++f) {
        const float(&of)[4] = sums_[w][f];
        sums.of[f * 8 + column][w * 16 + row] = of[0];
        sums.of[f * 8 + column + 1][w * 16 + row] = of[1];
        sums.of[f * 8 + column][w * 16 + row + 8] = of[2];
        sums.of[f * 8 + column + 1][w * 16 + row + 8] = of[3];
      }
    }
  }

 private:
  static_assert(C::kWide % 16 == 0 && C::kFew % 8 == 0 && C::kTileK % 32 == 0,
                "m, n and twice the k of an mma.sync");
  static constexpr int kStep = C::kWarps * C::kTileK;
  static constexpr int kWides = C::kWide / 16;
  static constexpr int kOctets = C::kFew / 8;
  using CopiesOfWide =
      cuda::std::conditional_t<C::kWideIsKMajor, RowCopies<C, C::kWide, false>, ColumnCopies<C>>;
  using CopiesOfFew = RowCopies<C, C::kFew, true>;  // all CTAs of the SM copy the same

  __device__ __forceinline__ static int Lane() { return static_cast<int>(threadIdx.x % kWarpThreads); }
  __device__ __forceinline__ unsigned Wide(int stage) const { return ring_ + stage * sizeof(Stage<C>); }
  __device__ __forceinline__ unsigned Few(int stage) const { return Wide(stage) + sizeof(Stage<C>::wide); }

  __device__ __forceinline__ void Multiply(int stage) {
#pragma unroll
    for (int pair = 0; pair < C::kTileK / 32; ++pair) {
      unsigned few[2][kOctets][2];
      LoadFew(Few(stage), pair, few);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
#pragma unroll
        for (int w = 0; w < kWides; ++w) {
          unsigned wide[4];
          LoadWide(Wide(stage), w, pair * 2 + half, wide);
#pragma unroll
          for (int f = 0; f < kOctets; ++f) {
            device::ptx::MmaM16N8K16BF16(sums_[w][f], wide, few[half][f]);
          }
        }
      }
    }
  }

  // The layouts of fragments: common/device/ptx/ldmatrix.cuh, mma.cuh.
  //
  // Of 32 k all rows.
  __device__ __forceinline__ static void LoadFew(unsigned from, int pair, unsigned (&few)[2][kOctets][2]) {
#pragma unroll
    for (int f = 0; f < kOctets; ++f) {
      device::ptx::LdmatrixX4(from + CopiesOfFew::Layout::Offset(f * 8 + Lane() % 8, pair * 4 + Lane() / 8),
                              few[0][f][0], few[0][f][1], few[1][f][0], few[1][f][1]);
    }
  }
  // Of 16 k 16 rows, or columns.
  __device__ __forceinline__ static void LoadWide(unsigned from, int w, int sixteen, unsigned (&wide)[4]) {
    using Layout = typename CopiesOfWide::Layout;
    if constexpr (C::kWideIsKMajor) {
      device::ptx::LdmatrixX4(from + Layout::Offset(w * 16 + Lane() % 16, sixteen * 2 + Lane() / 16), wide[0],
                              wide[1], wide[2], wide[3]);
    } else {
      const int k = sixteen * 16 + Lane() / 16 * 8 + Lane() % 8;
      device::ptx::LdmatrixX4Trans(from + Layout::Offset(k, w * 2 + Lane() / 8 % 2), wide[0], wide[1], wide[2],
                                   wide[3]);
    }
  }

  const CopiesOfWide wide_;
  const CopiesOfFew few_;
  const int k_;
  const unsigned ring_;
  int at_;
  float sums_[kWides][kOctets][4] = {};
};

template <class C>
__device__ __forceinline__ void Few(const Params& params) {
  extern __shared__ __align__(128) unsigned char shared_bytes[];
  Shared<C>& shared = *reinterpret_cast<Shared<C>*>(shared_bytes);
  device::ptx::GridDependencyLaunchDependents();
  const int first_row = static_cast<int>(blockIdx.x) * C::kWide;
  auto& own = shared.warps[threadIdx.x / kWarpThreads];
  WarpProduct<C> product(params, own.ring, first_row);

  if (!params.wide_early) device::ptx::GridDependencyWait();
  product.StartWide();
  if (params.wide_early) device::ptx::GridDependencyWait();
  product.StartFew();
  const Outputs<C> outputs(params, {first_row, min(params.wide_rows - first_row, C::kWide), 1});
  product.Run();
  product.LeaveSums(own.sums);
  __syncthreads();
  outputs.Store(shared);
}

}  // namespace gemm::ampere::few

// Defines the kernel of one line of kernels.inc.
#define GEMM_AMPERE_FEW_KERNEL(type, element, layouts, room, wide, stages, ctas)                              \
  namespace gemm::ampere::few::rows {                                                                         \
  GEMM_AMPERE_FEW_CONFIG(type, element, layouts, room, wide, stages, ctas)                                    \
  }                                                                                                           \
  extern "C" __global__ void __launch_bounds__(256, ctas) GEMM_AMPERE_FEW_NAME(                               \
      type, layouts, room, wide, stages)(const __grid_constant__ gemm::ampere::few::Params params) {          \
    gemm::ampere::few::Few<gemm::ampere::few::rows::GEMM_AMPERE_FEW_NAME(type, layouts, room, wide, stages)>( \
        params);                                                                                              \
  }
