// One row times a matrix, as fast as memory brings the matrix.
//
// Threads load 16 bytes of each of their warp's rows into registers and multiply them there: nothing has to stand before the first
// load, no barrier, no tensor map, and CTAs are small and many, so that one loads while another adds up and every SM takes its next
// when it has time. 1x4096x4096 takes 9.6 us where the wgmma kernel with a ring of the whole SM takes 10.4, 1x28672x4096 52.8 to 54.3 for 55;
// a kernel that only streams the weights 9.2 and 52.7 (H200, 2026-11-23, docs/perf/decode.md).
//
// 2^slice_bits warps of a CTA share the same rows and take K in turn, 256 elements of each row at a time. More in a thread's registers,
// by more rows or by loads a turn ahead, leaves room for fewer CTAs and is slower.
#pragma once

#include "ampere/few/config.h"
#include "ampere/few/epilogue.cuh"
#include "ampere/few/kernels.inc"
#include "common/device/ptx/grid_dependency.cuh"
#include "common/device/ptx/stream_load.cuh"

namespace gemm::ampere::few {

// Eight elements of one row.
struct Piece {
  uint4 words;
};

template <class C>
class DotProducts {
 public:
  __device__ __forceinline__ DotProducts(const Params& params, int slice, int first_row)
      : step_(kWarpK << params.slice_bits) {
    const int lane = static_cast<int>(threadIdx.x % kWarpThreads);
    const int at = slice * kWarpK + lane * kPiece;
    left_ = params.k - at;
    const auto* wide =
        static_cast<const unsigned short*>(params.wide.base) + blockIdx.y * params.wide.batch_stride + at;
#pragma unroll
    for (int r = 0; r < C::kWide; ++r) {
      wide_[r] = wide + min(first_row + r, params.wide_rows - 1) * params.wide.ld;
    }
    few_ = static_cast<const unsigned short*>(params.few.base) + blockIdx.y * params.few.batch_stride + at;
  }

  // Asks for the next pieces of the longer operand.
  __device__ __forceinline__ void LoadWide() {
    if (left_ <= 0) return;
#pragma unroll
    for (int r = 0; r < C::kWide; ++r) pieces_[r].words = device::ptx::LoadStreamed16(wide_[r]);
  }

  // After LoadWide. Leaves this thread's part of the products.
  __device__ __forceinline__ void Run() {
#pragma unroll 1
    while (left_ > 0) {
      const Piece few = {*reinterpret_cast<const uint4*>(few_)};
#pragma unroll
      for (int r = 0; r < C::kWide; ++r) sums_[r] = AddProducts(pieces_[r], few, sums_[r]);
      Advance();
      LoadWide();
    }
  }

  // Of the whole warp's threads, in every one of them.
  __device__ __forceinline__ float Sum(int r) const {
    float sum = sums_[r];
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    return sum;
  }

 private:
  __device__ __forceinline__ void Advance() {
    left_ -= step_;
    few_ += step_;
#pragma unroll
    for (int r = 0; r < C::kWide; ++r) wide_[r] += step_;
  }
  __device__ __forceinline__ static float AddProducts(const Piece& a, const Piece& b, float sum) {
    const unsigned x[4] = {a.words.x, a.words.y, a.words.z, a.words.w};
    const unsigned y[4] = {b.words.x, b.words.y, b.words.z, b.words.w};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const device::Float2 u = device::Unpack2(C::kType, x[i]), v = device::Unpack2(C::kType, y[i]);
      sum = fmaf(u.low, v.low, sum);
      sum = fmaf(u.high, v.high, sum);
    }
    return sum;
  }

  const unsigned short* wide_[C::kWide];
  const unsigned short* few_;
  int left_;  // of K, from this thread's next piece on
  const int step_;
  Piece pieces_[C::kWide];
  float sums_[C::kWide] = {};
};

// The slices' sums of a row of the CTA's, always in the same order.
template <class C>
__device__ __forceinline__ float SumOfSlices(const Shared<C>& shared, int row, int slice_bits) {
  const int first_warp = row / C::kWide << slice_bits;
  float sum = 0;
#pragma unroll
  for (int slice = 0; slice < C::kWarps; ++slice) {
    if (slice < 1 << slice_bits) sum += shared.warps[first_warp + slice].sums.of[0][row % C::kWide];
  }
  return sum;
}

template <class C>
__device__ __forceinline__ void Gemv(const Params& params) {
  static_assert((C::kWarps & (C::kWarps - 1)) == 0, "slices of K are 2^slice_bits warps");
  static_assert(C::kWarps * C::kWide <= C::kThreads, "a thread stores one row's sum");
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  Shared<C>& shared = *reinterpret_cast<Shared<C>*>(shared_bytes);
  device::ptx::GridDependencyLaunchDependents();
  const int warp = static_cast<int>(threadIdx.x / kWarpThreads);
  const int slice = warp & ((1 << params.slice_bits) - 1);
  const int group =
      static_cast<int>(blockIdx.x) * (C::kWarps >> params.slice_bits) + (warp >> params.slice_bits);
  DotProducts<C> products(params, slice, group * C::kWide);
  const int rows = (C::kWarps >> params.slice_bits) * C::kWide;  // of the CTA
  const int row = static_cast<int>(threadIdx.x);
  const long long stored = static_cast<long long>(blockIdx.x) * rows + row;
  const bool stores = row < rows && stored < params.wide_rows;

  if (!params.wide_early) device::ptx::GridDependencyWait();
  products.LoadWide();
  if (params.wide_early) device::ptx::GridDependencyWait();
  const Epilogue epilogue(params);
  const unsigned c = stores ? epilogue.LoadC(stored, 0) : 0;
  products.Run();
#pragma unroll
  for (int r = 0; r < C::kWide; ++r) {
    const float sum = products.Sum(r);
    if (threadIdx.x % kWarpThreads == 0) shared.warps[warp].sums.of[0][r] = sum;
  }
  __syncthreads();
  if (stores) epilogue.Store(stored, 0, c, SumOfSlices<C>(shared, row, params.slice_bits));
}

}  // namespace gemm::ampere::few

// Defines the kernel of one line of kernels.inc.
#define GEMM_AMPERE_GEMV_KERNEL(type, element, wide, warps, ctas)                                   \
  namespace gemm::ampere::few::rows {                                                               \
  GEMM_AMPERE_GEMV_CONFIG(type, element, wide, warps, ctas)                                         \
  }                                                                                                 \
  extern "C" __global__ void __launch_bounds__(32 * warps, ctas)                                    \
      GEMM_AMPERE_GEMV_NAME(type, wide)(const __grid_constant__ gemm::ampere::few::Params params) { \
    gemm::ampere::few::Gemv<gemm::ampere::few::rows::GEMM_AMPERE_GEMV_NAME(type, wide)>(params);    \
  }
