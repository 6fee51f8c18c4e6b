// A warp's copies of an operand of whole pieces into a stage of its ring.
#pragma once

#include "ampere/few/config.h"
#include "ampere/few/params.h"
#include "ampere/swizzle.cuh"
#include "common/device/ptx/cp_async.cuh"

namespace gemm::ampere::few {

// Of a K-major operand: kRows rows, kTileK of K of each, a piece of 16 bytes a thread.
template <class C, int kRows, bool kCached>
class RowCopies {
 public:
  using Layout = Swizzle<kRows, C::kTileK * 2>;

  // `rows` of the operand are left from `first` on; the others become zeros, and their addresses stay in the operand.
  __device__ __forceinline__ RowCopies(const Operand& operand, int first, int rows) : rows_(rows) {
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

// Of the longer operand where it lies by columns: of kTileK k kWide columns.
template <class C>
class ColumnCopies {
 public:
  using Layout = Swizzle<C::kTileK, C::kWide * 2>;

  // `columns` are left from `first` on, whole pieces; the others become zeros.
  __device__ __forceinline__ ColumnCopies(const Operand& operand, int first, int columns)
      : there_(Chunk() * kPiece < columns),
        ld_(operand.ld),
        from_(static_cast<const unsigned short*>(operand.base) + blockIdx.y * operand.batch_stride + first +
              (there_ ? Chunk() * kPiece : 0)) {}

  // Of K from `k` on, `left` of which are there; zeros behind them.
  __device__ __forceinline__ void Start(unsigned shared, int k, int left) const {
#pragma unroll
    for (int i = 0; i < kPasses; ++i) {
      const bool there = there_ && KOf(i) < left;
      // What is not there has an address in the operand all the same.
      const unsigned short* const from = from_ + (there ? k + KOf(i) : 0) * ld_;
      device::ptx::CpAsync16(shared + Layout::Offset(KOf(i), Chunk()), from, there ? kPieceBytes : 0);
    }
  }

 private:
  static constexpr int kChunks = C::kWide / kPiece;
  static constexpr int kPasses = C::kTileK * kChunks / kWarpThreads;
  static_assert(kWarpThreads % kChunks == 0 && C::kTileK * kChunks % kWarpThreads == 0,
                "every pass copies whole rows");

  __device__ __forceinline__ static int Chunk() { return static_cast<int>(threadIdx.x % kChunks); }
  __device__ __forceinline__ static int KOf(int pass) {
    return pass * (kWarpThreads / kChunks) + static_cast<int>(threadIdx.x % kWarpThreads / kChunks);
  }

  const bool there_;
  const long long ld_;
  const unsigned short* from_;  // the lane's piece of the first k
};

}  // namespace gemm::ampere::few
