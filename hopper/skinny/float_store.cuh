// An FP32 D = alpha sums + beta C from columns of sums in shared memory, where four wide rows are one vector of D and of C.
//
// A thread has the same four rows of every few columns, so that nothing is divided, and asks for all of a round's C before the sums are
// there: one wait for memory a round. A vector at a time, each waited for (quads.cuh), 64x7168x2048 took 15.5 us where cuBLASLt takes 10.8, and
// 64x8192x1024 12.4 for 8.0 (H200, 2026-11-29).
#pragma once

#include "common/device/element_type.h"
#include "common/device/scalars.cuh"
#include "hopper/skinny/config.cuh"
#include "hopper/skinny/params.h"
#include "hopper/skinny/walk.cuh"

namespace gemm::hopper::skinny {

// A consumer thread's, of one tile. Rounds of columns begin at column `round` of the tile; of one are stored those from `first` to `last`.
template <class C>
class FloatStore {
 public:
  // `rows` of the tile are there.
  __device__ __forceinline__ FloatStore(const Params& params, const device::AlphaBeta& scalars,
                                        const TileAt& tile, int rows, unsigned thread)
      : params_(params),
        scalars_(scalars),
        tile_(tile),
        row_(static_cast<int>(thread % kVectors) * 4),
        column_(static_cast<int>(thread / kVectors)),
        takes_(params.whole_quads && params.output_type == device::kElementFP32 &&
               (tile.wide % 4 | rows % 4 | tile.wide_others % 4) == 0),
        stores_(row_ >= tile.wide_others && row_ < rows) {}

  // The same for all threads.
  __device__ __forceinline__ bool Takes() const { return takes_; }

  __device__ __forceinline__ void AskForC(int round, int first, int last) {
    if (scalars_.beta == 0.0f) return;
    const float* const c = static_cast<const float*>(params_.c) +
                           params_.c_at.Index(tile_.wide + row_, tile_.narrow + round + column_, tile_.batch);
#pragma unroll
    for (int i = 0; i < kMine; ++i) {
      if (Stores(round, i, first, last)) {
        c_[i] = *reinterpret_cast<const float4*>(c + i * kStep * params_.c_at.narrow_stride);
      }
    }
  }

  // `sums` are the round's columns, C::kColumnStride apart. After AskForC.
  __device__ __forceinline__ void Store(const float* sums, int round, int first, int last) const {
    float* const d = static_cast<float*>(params_.d) +
                     params_.d_at.Index(tile_.wide + row_, tile_.narrow + round + column_, tile_.batch);
    const float* const mine = sums + column_ * C::kColumnStride + row_;
#pragma unroll
    for (int i = 0; i < kMine; ++i) {
      if (!Stores(round, i, first, last)) continue;
      const float4 sum = *reinterpret_cast<const float4*>(mine + i * kStep * C::kColumnStride);
      *reinterpret_cast<float4*>(d + i * kStep * params_.d_at.narrow_stride) = {
          scalars_.Blend(sum.x, c_[i].x), scalars_.Blend(sum.y, c_[i].y), scalars_.Blend(sum.z, c_[i].z),
          scalars_.Blend(sum.w, c_[i].w)};
    }
  }

 private:
  static constexpr int kVectors = C::kWide / 4;                 // of a column
  static constexpr int kStep = C::kConsumerThreads / kVectors;  // columns from a thread's to its next
  static constexpr int kMine = C::kRound / kStep;               // vectors of a thread in a round
  static_assert(C::kConsumerThreads % kVectors == 0 && C::kRound % kStep == 0, "all threads have as many");

  __device__ __forceinline__ bool Stores(int round, int i, int first, int last) const {
    const int column = round + column_ + i * kStep;
    return stores_ && column >= first && column < last;
  }

  const Params& params_;
  const device::AlphaBeta& scalars_;
  const TileAt& tile_;
  const int row_;     // of the tile, the first of four
  const int column_;  // of the round, the first
  const bool takes_;
  const bool stores_;
  float4 c_[kMine] = {};
};

}  // namespace gemm::hopper::skinny
