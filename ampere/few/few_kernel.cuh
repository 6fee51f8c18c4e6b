// Up to eight rows times a matrix, as fast as memory brings the matrix.
//
// Every warp is on its own until the end: it copies what it multiplies, 16 rows of the longer operand and those of the short one, 64
// of K a stage, waits for its own copies only, and adds up its share of K. So nothing has to stand before the first copy, and small
// CTAs hide each other's beginning and end. 4x4096x4096 takes 9.8 to 10.0 us where the wgmma kernel with a ring of the whole SM takes
// 10.6 (H200, 2026-11-23, docs/perf/decode.md). With 16 rows the wgmma kernel is as fast or faster, whether a warp
// takes 16 or 32 rows of the longer operand.
#pragma once

#include "ampere/few/config.h"
#include "ampere/few/epilogue.cuh"
#include "ampere/few/kernels.inc"
#include "ampere/few/sums.cuh"
#include "ampere/swizzle.cuh"
#include "common/device/ptx/cp_async.cuh"
#include "common/device/ptx/grid_dependency.cuh"
#include "common/device/ptx/ldmatrix.cuh"
#include "common/device/ptx/mma.cuh"

namespace gemm::ampere::few {

// A warp's copies of one operand: kRows rows, 128 bytes of each, a piece of 16 bytes a thread.
template <class C, int kRows, bool kCached>
class Copies {
 public:
  // `rows` of the operand are left from `first` on; the others become zeros, and their addresses stay in the operand.
  __device__ __forceinline__ Copies(const Operand& operand, int first, int rows) : rows_(rows) {
    const auto* base = static_cast<const unsigned short*>(operand.base) + blockIdx.y * operand.batch_stride;
#pragma unroll
    for (int i = 0; i < kPasses; ++i) from_[i] = base + (first + min(Row(i), rows - 1)) * operand.ld;
  }

  // Of K from `k` on, `left` of which are there, whole pieces; zeros behind them.
  __device__ __forceinline__ void Start(unsigned shared, int k, int left) const {
    const bool there = Chunk() * kPiece < left;
#pragma unroll
    for (int i = 0; i < kPasses; ++i) {
      const unsigned to = shared + Layout::Offset(Row(i), Chunk());
      const unsigned short* from = from_[i] + k + Chunk() * kPiece;
      const int bytes = there && Row(i) < rows_ ? kPieceBytes : 0;
      if constexpr (kCached) {
        device::ptx::CpAsync16Cached(to, from, bytes);
      } else {
        device::ptx::CpAsync16(to, from, bytes);
      }
    }
  }

 private:
  using Layout = Swizzle<kRows, C::kTileK * 2>;
  static_assert(kWarpThreads % (C::kTileK / kPiece) == 0 && kRows % (kWarpThreads / (C::kTileK / kPiece)) == 0,
                "every pass copies whole rows");
  static constexpr int kChunks = C::kTileK / kPiece;
  static constexpr int kRowsAPass = kWarpThreads / kChunks;
  static constexpr int kPasses = kRows / kRowsAPass;

  __device__ __forceinline__ static int Chunk() { return static_cast<int>(threadIdx.x % kChunks); }
  __device__ __forceinline__ static int Row(int pass) {
    return pass * kRowsAPass + static_cast<int>(threadIdx.x % kWarpThreads / kChunks);
  }

  const unsigned short* from_[kPasses];
  const int rows_;
};

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
    const int lane = static_cast<int>(threadIdx.x % kWarpThreads), row = lane / 4, column = lane % 4 * 2;
    sums.of[column][row] = sums_[0];
    sums.of[column + 1][row] = sums_[1];
    sums.of[column][row + 8] = sums_[2];
    sums.of[column + 1][row + 8] = sums_[3];
  }

 private:
  static_assert(C::kWide == 16 && C::kFew == 8 && C::kTileK % 32 == 0, "m, n and twice the k of an mma.sync");
  static constexpr int kStep = C::kWarps * C::kTileK;

  __device__ __forceinline__ unsigned Wide(int stage) const { return ring_ + stage * sizeof(Stage<C>); }
  __device__ __forceinline__ unsigned Few(int stage) const { return Wide(stage) + sizeof(Stage<C>::wide); }

  // The layouts of fragments: common/device/ptx/ldmatrix.cuh, mma.cuh.
  __device__ __forceinline__ void Multiply(int stage) {
    const int lane = static_cast<int>(threadIdx.x % kWarpThreads);
#pragma unroll
    for (int pair = 0; pair < C::kTileK / 32; ++pair) {
      unsigned few[2][2];
      device::ptx::LdmatrixX4(
          Few(stage) + Swizzle<C::kFew, C::kTileK * 2>::Offset(lane % 8, pair * 4 + lane / 8), few[0][0],
          few[0][1], few[1][0], few[1][1]);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        unsigned wide[4];
        const int chunk = pair * 4 + half * 2 + lane / 16;
        device::ptx::LdmatrixX4(Wide(stage) + Swizzle<C::kWide, C::kTileK * 2>::Offset(lane % 16, chunk),
                                wide[0], wide[1], wide[2], wide[3]);
        device::ptx::MmaM16N8K16BF16(sums_, wide, few[half]);
      }
    }
  }

  const Copies<C, C::kWide, false> wide_;
  const Copies<C, C::kFew, true> few_;  // all CTAs of the SM copy the same
  const int k_;
  const unsigned ring_;
  int at_;
  float sums_[4] = {};
};

template <class C>
__device__ __forceinline__ void Few(const Params& params) {
  static_assert(C::kThreads >= C::kWide * C::kFew, "a thread stores one element");
  extern __shared__ __align__(128) unsigned char shared_bytes[];
  Shared<C>& shared = *reinterpret_cast<Shared<C>*>(shared_bytes);
  device::ptx::GridDependencyLaunchDependents();
  const int first_row = static_cast<int>(blockIdx.x) * C::kWide;
  auto& own = shared.warps[threadIdx.x / kWarpThreads];
  WarpProduct<C> product(params, own.ring, first_row);
  const int thread = static_cast<int>(threadIdx.x), row = thread % C::kWide, few = thread / C::kWide;
  const bool stores = few < params.few_rows && row < params.wide_rows - first_row;

  if (!params.wide_early) device::ptx::GridDependencyWait();
  product.StartWide();
  if (params.wide_early) device::ptx::GridDependencyWait();
  product.StartFew();
  const Epilogue epilogue(params);
  const unsigned c = stores ? epilogue.LoadC(first_row + row, few) : 0;
  product.Run();
  product.LeaveSums(own.sums);
  __syncthreads();
  if (stores) epilogue.Store(first_row + row, few, c, SumOfWarps(shared, few, row));
}

}  // namespace gemm::ampere::few

// Defines the kernel of one line of kernels.inc.
#define GEMM_AMPERE_FEW_KERNEL(type, element, warps, stages, ctas)                                   \
  namespace gemm::ampere::few::rows {                                                                \
  GEMM_AMPERE_FEW_CONFIG(type, element, warps, stages, ctas)                                         \
  }                                                                                                  \
  extern "C" __global__ void __launch_bounds__(32 * warps, ctas)                                     \
      GEMM_AMPERE_FEW_NAME(type, stages)(const __grid_constant__ gemm::ampere::few::Params params) { \
    gemm::ampere::few::Few<gemm::ampere::few::rows::GEMM_AMPERE_FEW_NAME(type, stages)>(params);     \
  }
