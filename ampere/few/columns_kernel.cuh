// Few rows times a matrix that lies by columns, k after k, each of which starts anywhere: as fast as memory brings the matrix.
//
// A fragment of mma.sync has neighbours along K in a word, and here neighbours along the columns lie beside each other. Which k are neighbours is
// up to the kernel: those eight apart start alike beside multiples of 16 bytes, whatever the leading dimension. So a warp takes the k of one such
// class, and what it copies by 16 bytes needs no shift: its columns begin up to seven in front of the CTA's, those of another class elsewhere, and
// only the sums are shifted, when the warps' are added up. Two words of different k make two of neighbours by a permutation of bytes each.
//
// K is cut into parts, each for a CTA, where columns are few. The last CTA of a tile adds the parts up in their order.
#pragma once

#include "ampere/few/columns.h"
#include "ampere/few/epilogue.cuh"
#include "ampere/few/few_values.cuh"
#include "ampere/few/kernels.inc"
#include "ampere/few/wide_columns.cuh"
#include "common/device/arrivals.cuh"
#include "common/device/ptx/cp_async.cuh"
#include "common/device/ptx/grid_dependency.cuh"
#include "common/device/ptx/mma.cuh"

namespace gemm::ampere::few {

// A warp's share of a tile.
template <class C>
class ColumnProduct {
 public:
  __device__ __forceinline__ ColumnProduct(const ColumnsParams& params, const ColumnsOfTile& tile,
                                           ColumnStage<C>* ring)
      : steps_(tile.end_step - tile.first_step),
        first_step_(tile.first_step),
        wide_(params.product, tile, Class()),
        few_rows_(params.product.few_rows),
        ring_(static_cast<unsigned>(__cvta_generic_to_shared(ring))),
        in_stage_(WideColumns<C>::At(threadIdx.x % 4 * 4, Group())) {}

  // All warps of the CTA call. Leaves the ring to other use. The first chunk of `few` is asked for in front of the ring's first turn: behind it,
  // it would come with the last of that.
  __device__ __forceinline__ void Run(const FewValues& few) {
    const int chunks = (steps_ + kChunkSteps - 1) / kChunkSteps;
    int step = 0;
#pragma unroll 1
    for (int chunk = 0; chunk <= chunks; ++chunk) {
      if (chunk > 0) {
        device::ptx::CpAsyncWait<C::kStages - 1>();
        __syncthreads();  // of all threads the chunk before has come, and nobody reads the one before that any more
      }
      if (chunk < chunks) few.Start(chunk);
      if (chunk == 0) device::ptx::CpAsyncCommit();
      // The first turn of the ring, or a chunk's steps.
      const int end = chunk == 0 ? 0 : min(chunk * kChunkSteps, steps_);
      Steps(few, chunk - 1, chunk == 0 ? -C::kStages : step, end);
      step = end;
    }
  }

  __device__ __forceinline__ void LeaveSums(ColumnSums<C>& sums) const {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int row = static_cast<int>(threadIdx.x) % 4 * 2 + i;
      if (row >= few_rows_) continue;
#pragma unroll
      for (int p = 0; p < WideColumns<C>::kLanePieces; ++p) {
        auto* const to = reinterpret_cast<float4*>(&sums.of[row][p * 64 + Group() * kPiece]);
        const float(&of)[4][4] = sums_[p];
        to[0] = {of[0][i], of[1][i], of[2][i], of[3][i]};
        to[1] = {of[0][i + 2], of[1][i + 2], of[2][i + 2], of[3][i + 2]};
      }
    }
  }

 private:
  __device__ __forceinline__ static int Class() { return static_cast<int>(threadIdx.x / kWarpThreads); }
  __device__ __forceinline__ static int Group() { return static_cast<int>(threadIdx.x % kWarpThreads) / 4; }

  // Multiplies steps of a chunk and starts those that take their places in the ring. Those below 0 are none: so the ring's first turn needs no
  // code of its own, nor the first chunk, for which few.Start had 371 instructions once more.
  __device__ __forceinline__ void Steps(const FewValues& few, int chunk, int step, int end) {
#pragma unroll 1
    for (; step < end; ++step) {
      const unsigned at = ring_ + stage_ * sizeof(ColumnStage<C>);
      if (step >= 0) {
        device::ptx::CpAsyncWait<C::kStages - 1>();
        __syncwarp();
        const int k = step % kChunkSteps * kStepK + Class() + threadIdx.x % 4 * 4 * kClasses;
        Multiply(at, Group() < few_rows_ ? few.Load(chunk, Group(), k) : uint2{});
        __syncwarp();
      }
      if (step + C::kStages < steps_) wide_.Start(at, first_step_ + step + C::kStages);
      device::ptx::CpAsyncCommit();
      stage_ = stage_ + 1 == C::kStages ? 0 : stage_ + 1;
    }
  }

  // Of a piece's columns i and i + 4, i from 0 to 3, mma.sync's rows g and g + 8 are made.
  __device__ __forceinline__ void Multiply(unsigned stage, const uint2& few) {
    const unsigned from = stage + in_stage_;
#pragma unroll
    for (int p = 0; p < WideColumns<C>::kLanePieces; ++p) {
      unsigned words[4][4];
#pragma unroll
      for (int q = 0; q < 4; ++q) {
        const uint4 piece =
            *static_cast<const uint4*>(__cvta_shared_to_generic(from + WideColumns<C>::At(q, p * 8)));
        words[q][0] = piece.x, words[q][1] = piece.y, words[q][2] = piece.z, words[q][3] = piece.w;
      }
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const unsigned halves = i % 2 == 0 ? 0x5410 : 0x7632;
        const auto pair = [&](int q, int word) {
          return __byte_perm(words[q][word], words[q + 1][word], halves);
        };
        device::ptx::MmaM16N8K16BF16(sums_[p][i],
                                     {pair(0, i / 2), pair(0, 2 + i / 2), pair(2, i / 2), pair(2, 2 + i / 2)},
                                     {few.x, few.y});
      }
    }
  }

  const int steps_;
  const int first_step_;
  WideColumns<C> wide_;
  const int few_rows_;
  int stage_ = 0;
  const unsigned ring_;
  const unsigned in_stage_;  // the lane's first piece; the other three k are its neighbours
  float sums_[WideColumns<C>::kLanePieces][4][4] = {};
};

// The elements of D that a thread stores: four columns of the short operand's row that is its warp's.
template <class C>
class ColumnOutputs {
 public:
  // Asks for C.
  __device__ __forceinline__ ColumnOutputs(const ColumnsParams& params, const ColumnsOfTile& tile)
      : params_(params),
        first_column_(tile.first),
        columns_(Row() < params.product.few_rows
                     ? min(params.columns, params.product.wide_rows - tile.first) - Column()
                     : 0),
        epilogue_(params.product) {
#pragma unroll
    for (int i = 0; i < kOfThread; ++i) {
      if (i < columns_) c_[i] = epilogue_.LoadC(first_column_ + Column() + i, Row());
    }
  }

  // Behind a barrier that all warps' sums are in front of; all threads call.
  __device__ __forceinline__ void Store(ColumnsShared<C>& shared) const {
    float sums[kOfThread] = {};
    if (columns_ > 0) AddClasses(shared, sums);
    if (params_.parts > 1) {
      float4* const part = Partial(blockIdx.z);
      if (columns_ > 0) __stcg(part, make_float4(sums[0], sums[1], sums[2], sums[3]));
      unsigned long long* const counter = params_.counters + blockIdx.y * gridDim.x + blockIdx.x;
      if (!device::IsLastToArrive(counter, params_.parts, params_.nonce, shared.arrived)) return;
      if (columns_ > 0) AddParts(sums);
    }
#pragma unroll 1
    for (int i = 0; i < min(columns_, kOfThread); ++i) {
      epilogue_.Store(first_column_ + Column() + i, Row(), Pick(c_, i), Pick(sums, i));
    }
  }

 private:
  static constexpr int kOfThread = 4;
  static_assert(C::kWide == kOfThread * kWarpThreads && C::kFew == kClasses, "a warp for each row");

  __device__ __forceinline__ static int Row() { return static_cast<int>(threadIdx.x / kWarpThreads); }
  __device__ __forceinline__ static int Column() {
    return static_cast<int>(threadIdx.x % kWarpThreads) * kOfThread;
  }

  // Without an array that has to lie in memory.
  template <class T>
  __device__ __forceinline__ static T Pick(const T (&of)[kOfThread], int i) {
    return i < 2 ? (i == 0 ? of[0] : of[1]) : (i == 2 ? of[2] : of[3]);
  }

  // What lies in front of the tile's first column has been computed too, and is left out.
  __device__ __forceinline__ void AddClasses(const ColumnsShared<C>& shared, float (&sums)[kOfThread]) const {
#pragma unroll
    for (int w = 0; w < kClasses; ++w) {
      const float* const of =
          &shared.warps[w].sums.of[Row()][Column() + ShiftOf(params_.product, first_column_, w)];
#pragma unroll
      for (int i = 0; i < kOfThread; ++i) sums[i] += of[i];
    }
  }

  __device__ __forceinline__ float4* Partial(unsigned part) const {
    const long long tile = (static_cast<long long>(part) * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const long long element = (tile * params_.product.few_rows + Row()) * C::kWide + Column();
    return reinterpret_cast<float4*>(params_.partials + element);
  }
  // In their order, so that the same plan gives the same bits.
  __device__ __forceinline__ void AddParts(float (&sums)[kOfThread]) const {
    const long long step = Partial(1) - Partial(0);
    const float4* from = Partial(0);
    sums[0] = sums[1] = sums[2] = sums[3] = 0;
#pragma unroll 8
    for (int part = 0; part < params_.parts; ++part, from += step) {
      const float4 v = __ldcg(from);
      sums[0] += v.x, sums[1] += v.y, sums[2] += v.z, sums[3] += v.w;
    }
  }

  const ColumnsParams& params_;
  const int first_column_;
  const int columns_;  // from the thread's first on; none where there is not its row
  const Epilogue epilogue_;
  unsigned c_[kOfThread] = {};
};

template <class C>
__device__ __forceinline__ void FewColumns(const ColumnsParams& params) {
  extern __shared__ __align__(128) unsigned char shared_bytes[];
  ColumnsShared<C>& shared = *reinterpret_cast<ColumnsShared<C>*>(shared_bytes);
  const ColumnsOfTile tile(params);
  auto& own = shared.warps[threadIdx.x / kWarpThreads];
  const FewValues few(params, tile, shared.few[0]);
  ColumnProduct<C> product(params, tile, own.ring);

  // The longer operand's copies stand behind the short one's, so that it is not read early either.
  device::ptx::GridDependencyWait();
  const ColumnOutputs<C> outputs(params, tile);
  product.Run(few);
  // Not earlier: the next kernel's CTAs would take the places of this one's, and lie unevenly.
  device::ptx::GridDependencyLaunchDependents();
  product.LeaveSums(own.sums);
  __syncthreads();
  outputs.Store(shared);
}

}  // namespace gemm::ampere::few

// Defines the kernel of one line of kernels.inc.
#define GEMM_AMPERE_FEW_COLUMNS_KERNEL(type, element, stages, ctas)                                     \
  namespace gemm::ampere::few::rows {                                                                   \
  GEMM_AMPERE_FEW_COLUMNS_CONFIG(type, element, stages, ctas)                                           \
  }                                                                                                     \
  extern "C" __global__ void __launch_bounds__(256, ctas) GEMM_AMPERE_FEW_COLUMNS_NAME(                 \
      type, stages)(const __grid_constant__ gemm::ampere::few::ColumnsParams params) {                  \
    gemm::ampere::few::FewColumns<gemm::ampere::few::rows::GEMM_AMPERE_FEW_COLUMNS_NAME(type, stages)>( \
        params);                                                                                        \
  }
