// Few rows times a matrix whose rows start anywhere, as fast as memory brings the matrix.
//
// Rows of the longer operand are copied from where multiples of 16 or 128 bytes lie in them (config.h, StartsAt), and the short operand, of
// which there is little, is shifted to match. Rows `period` apart start alike beside those, whatever the leading dimension, so a warp takes such
// rows: one shift serves them all. A sum over K may take K in any order as long as both operands take it in the same: of 64 elements of a row,
// each of a fragment's four lanes takes sixteen that are neighbours, and these are the four that it has in each of four mma.sync.
//
// As in few_kernel.cuh every warp copies what it multiplies of the longer operand into a ring of its own. The short one comes into registers, a
// step ahead: through the ring too it was not faster (8x4096x4095 13.4 us for 13.0, 33x4096x4095 22.5 for 23.1, of several stages the best;
// H200, 2026-11-29). What lies only in part in a row is filled up with zeros, by cp.async behind the row's end and element by element in front of
// its start: nothing outside of the rows is read.
#pragma once

#include "ampere/few/few_rows.cuh"
#include "ampere/few/kernels.inc"
#include "ampere/few/outputs.cuh"
#include "ampere/few/wide_copies.cuh"
#include "common/device/ptx/cp_async.cuh"
#include "common/device/ptx/grid_dependency.cuh"
#include "common/device/ptx/mma.cuh"
#include "common/device/ptx/opaque.cuh"

namespace gemm::ampere::few {

// A warp's share of K. Its lane has rows lane / 4, and every eighth from there on, of both operands, and of a step's K the elements from
// lane % 4 * 16 on.
template <class C>
class AnyProduct {
 public:
  __device__ __forceinline__ AnyProduct(const Params& params, const WarpRows& rows, Stage<C>* ring)
      : steps_{Behind<C::kStartsAt>(FirstElement(params.wide) + rows.first * params.wide.ld), params.k},
        wide_(params, rows, steps_),
        few_(params.few, Group(), params.few_rows, Quarter(), steps_),
        octets_((params.few_rows + 7) / 8),
        ring_(static_cast<unsigned>(__cvta_generic_to_shared(ring))),
        in_stage_(WideCopies<C>::Offset(Group(), Quarter() * 2)) {
    device::ptx::KeepInRegister(ring_);
    device::ptx::KeepInRegister(in_stage_);
  }

  // The first turn of the ring.
  __device__ __forceinline__ void StartWide() const {
    typename WideCopies<C>::StartOfRow start = {};
    if (First() == 0) start = wide_.LoadStart();
#pragma unroll 1
    for (int stage = 0; stage < C::kStages; ++stage) {
      Start(stage, First() + stage * C::kWarps);
      wide_.ClearMissing(At(stage));
    }
    if (First() == 0) wide_.StoreStart(At(0), start);
  }

  // After StartWide, and with the short operand readable. Leaves the ring to other use.
  __device__ __forceinline__ void Run() {
    if (First() < steps_.count()) LoadFew(First());
    int stage = 0;
#pragma unroll 1
    for (int step = First(); step < steps_.count(); step += C::kWarps) {
      device::ptx::CpAsyncWait<C::kStages - 1>();
      __syncwarp();
      Multiply(stage, step);
      __syncwarp();
      Start(stage, step + C::kStages * C::kWarps);
      stage = stage + 1 == C::kStages ? 0 : stage + 1;
    }
    __syncwarp();  // a warp without a step has cleared rows
  }

  __device__ __forceinline__ void LeaveSums(WarpSums<C>& sums) const {
    const int column = Quarter() * 2;
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
#pragma unroll
      for (int f = 0; f < kOctets; ++f) {
        sums.of[f * 8 + column][r * 8 + Group()] = sums_[r / 2][f][r % 2 * 2];
        sums.of[f * 8 + column + 1][r * 8 + Group()] = sums_[r / 2][f][r % 2 * 2 + 1];
      }
    }
  }

 private:
  static constexpr int kRows = C::kWide / 8;  // of a lane
  static constexpr int kOctets = C::kFew / 8;
  static_assert(C::kTileK == 64, "four lanes of sixteen");

  __device__ __forceinline__ static int Group() { return static_cast<int>(threadIdx.x % kWarpThreads) / 4; }
  __device__ __forceinline__ static int Quarter() { return static_cast<int>(threadIdx.x % 4); }
  __device__ __forceinline__ static int First() { return static_cast<int>(threadIdx.x / kWarpThreads); }
  __device__ __forceinline__ unsigned At(int stage) const { return ring_ + stage * sizeof(Stage<C>); }

  __device__ __forceinline__ void Start(int stage, int step) const {
    if (step < steps_.count()) wide_.Start(At(stage), step);
    device::ptx::CpAsyncCommit();
  }

  __device__ __forceinline__ void LoadFew(int step) {
#pragma unroll
    for (int octet = 0; octet < kOctets; ++octet) {
      if (octet < octets_) next_[octet] = few_.Load(octet, step);
    }
  }

  // Asks for the short operand's part of the warp's next step before it multiplies: behind that, 32x4096x4097 took 29.0 us for 20.4.
  __device__ __forceinline__ void Multiply(int stage, int step) {
    Sixteen few[kOctets];
#pragma unroll
    for (int octet = 0; octet < kOctets; ++octet) few[octet] = next_[octet].From(few_.Ahead(step));
    if (step + C::kWarps < steps_.count()) LoadFew(step + C::kWarps);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      uint4 wide[kRows];
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        const unsigned from = At(stage) + (in_stage_ ^ half * kPieceBytes) + r * 8 * kPieces<C> * kPieceBytes;
        wide[r] = *static_cast<const uint4*>(__cvta_shared_to_generic(from));
      }
#pragma unroll
      for (int octet = 0; octet < kOctets; ++octet) {
        if (octet < octets_) Add(octet, wide, few[octet].halves[half]);
      }
    }
  }

  // Of a lane's eight elements and eight rows of the short operand.
  __device__ __forceinline__ void Add(int octet, const uint4 (&wide)[kRows], const uint4& few) {
#pragma unroll
    for (int r = 0; r < kRows; r += 2) {
      const uint4 &upper = wide[r], &lower = wide[r + 1];
      device::ptx::MmaM16N8K16BF16(sums_[r / 2][octet], {upper.x, lower.x, upper.y, lower.y}, {few.x, few.y});
      device::ptx::MmaM16N8K16BF16(sums_[r / 2][octet], {upper.z, lower.z, upper.w, lower.w}, {few.z, few.w});
    }
  }

  const Steps<C> steps_;
  const WideCopies<C> wide_;
  const FewRows<C> few_;
  const int octets_;  // of the short operand's rows
  unsigned ring_;
  unsigned in_stage_;  // the first of a lane's two pieces of its first row; the other differs in one bit
  Around next_[kOctets] = {};  // of the short operand's rows, in the step that is multiplied next
  float sums_[kRows / 2][kOctets][4] = {};
};

template <class C>
__device__ __forceinline__ void FewAny(const Params& params) {
  extern __shared__ __align__(128) unsigned char shared_bytes[];
  Shared<C>& shared = *reinterpret_cast<Shared<C>*>(shared_bytes);
  device::ptx::GridDependencyLaunchDependents();
  const WarpRows rows(params, C::kWide);
  if (rows.count == 0) return;
  auto& own = shared.warps[threadIdx.x / kWarpThreads];
  AnyProduct<C> product(params, rows, own.ring);

  if (!params.wide_early) device::ptx::GridDependencyWait();
  product.StartWide();
  if (params.wide_early) device::ptx::GridDependencyWait();
  const Outputs<C> outputs(params, {rows.first, rows.count, params.period});
  product.Run();
  product.LeaveSums(own.sums);
  __syncthreads();
  outputs.Store(shared);
}

}  // namespace gemm::ampere::few

// Defines the kernel of one line of kernels.inc.
#define GEMM_AMPERE_FEW_ANY_KERNEL(type, element, room, wide, warps, stages, ctas)                         \
  namespace gemm::ampere::few::rows {                                                                      \
  GEMM_AMPERE_FEW_ANY_CONFIG(type, element, room, wide, warps, stages, ctas)                               \
  }                                                                                                        \
  extern "C" __global__ void __launch_bounds__(32 * warps, ctas) GEMM_AMPERE_FEW_ANY_NAME(                 \
      type, room, wide, warps)(const __grid_constant__ gemm::ampere::few::Params params) {                 \
    gemm::ampere::few::FewAny<gemm::ampere::few::rows::GEMM_AMPERE_FEW_ANY_NAME(type, room, wide, warps)>( \
        params);                                                                                           \
  }
