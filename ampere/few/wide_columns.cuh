// The longer operand where it lies by columns, on its way into a warp's ring.
#pragma once

#include "ampere/few/columns.h"
#include "ampere/few/pieces.cuh"
#include "ampere/few/steps.cuh"
#include "common/device/ptx/cp_async.cuh"

namespace gemm::ampere::few {

// What a CTA computes: columns of the longer operand from `first` on, over K from step `first_step` to before `end_step`.
struct ColumnsOfTile {
  int first;
  int first_step;
  int end_step;

  __device__ __forceinline__ explicit ColumnsOfTile(const ColumnsParams& params)
      : first(static_cast<int>(blockIdx.x) * params.columns),
        first_step(StepOfPart(params, blockIdx.z)),
        end_step(StepOfPart(params, blockIdx.z + 1)) {}

 private:
  __device__ __forceinline__ static int StepOfPart(const ColumnsParams& params, unsigned part) {
    return static_cast<int>(part * static_cast<unsigned>(params.steps) / static_cast<unsigned>(params.parts));
  }
};

// Elements from the last multiple of 16 bytes to a column of a k of `of_class`.
__device__ __forceinline__ int ShiftOf(const Params& params, int column, int of_class) {
  return Behind<kPiece>(FirstElement(params.wide) + column + of_class * params.wide.ld);
}

// A warp's copies: the k of its class, sixteen a step, from the last multiple of 16 bytes in front of the tile's first column on. Eight lanes ask
// for 128 contiguous bytes of a k.
//
// Nothing outside of the rows of K is read, but for what lies in the same 16 bytes in front of one: such columns are computed and left out. What
// lies behind a row's end, or K's, becomes zeros.
template <class C>
class WideColumns {
 public:
  __device__ __forceinline__ WideColumns(const Params& params, const ColumnsOfTile& tile, int of_class)
      : params_(params),
        class_(of_class),
        left_(params.wide_rows - tile.first + ShiftOf(params, tile.first, of_class)),
        from_(FirstElement(params.wide) + KOf(tile.first_step, 0) * params.wide.ld + params.wide_rows - left_) {
  }

  // Of steps in their order, each once.
  __device__ __forceinline__ void Start(unsigned stage, int step) {
    if (MayEndWithMatrix(step)) {
      StartEnd(stage, step);
    } else {
#pragma unroll
      for (int q = 0; q < 4; ++q) {
        const bool there = KOf(step, q) < params_.k;
#pragma unroll
        for (int p = 0; p < kLanePieces; ++p) {
          const int piece = PieceOf(p);
          device::ptx::CpAsync16(stage + At(RowOf(q), piece), From(q, piece), there ? 2 * There(piece) : 0);
        }
      }
    }
    from_ += kStepK * params_.wide.ld;
  }

  static constexpr int kLanePieces = C::kWide / 64;
  // In a stage piece `piece` of a row, the sixteen k of a class: as eight lanes write them, of one row, and read them, two pieces each of rows
  // four apart.
  __device__ __forceinline__ static unsigned At(int row, int piece) {
    return (row * kLanePieces * 8 + (piece ^ row / 4 * 2)) * kPieceBytes;
  }

 private:
  __device__ __forceinline__ static int Lane() { return static_cast<int>(threadIdx.x % kWarpThreads); }
  __device__ __forceinline__ static int RowOf(int q) { return q * 4 + Lane() / 8; }
  __device__ __forceinline__ long long KOf(int step, int q) const {
    return static_cast<long long>(step) * kStepK + class_ + kClasses * RowOf(q);
  }
  __device__ __forceinline__ static int PieceOf(int p) { return p * 8 + Lane() % 8; }
  __device__ __forceinline__ const unsigned short* From(int q, int piece) const {
    return from_ + q * 4 * kClasses * params_.wide.ld + piece * kPiece;
  }

  // Elements of a piece that the row has.
  __device__ __forceinline__ int There(int piece) const { return max(0, min(left_ - piece * kPiece, kPiece)); }

  // Whether a piece of which something is there may end behind the matrix. A tile of the last columns takes the other way but for its last
  // steps: with this one for all of them, which took 2.7 times as long, the others waited for it (H200, 2026-11-30).
  __device__ __forceinline__ bool MayEndWithMatrix(int step) const {
    return left_ < C::kWide && (step + 1) * kStepK + kPiece > params_.k;
  }

  __device__ __forceinline__ void StartEnd(unsigned stage, int step) const {
    const unsigned short* const end =
        FirstElement(params_.wide) + (params_.k - 1) * params_.wide.ld + params_.wide_rows;
#pragma unroll 1
    for (int i = 0; i < 4 * kLanePieces; ++i) {
      const int q = i / kLanePieces, piece = PieceOf(i % kLanePieces);
      const unsigned short* const at = From(q, piece);
      CopyPiece(stage + At(RowOf(q), piece), at, KOf(step, q) < params_.k ? There(piece) : 0, end);
    }
  }

  const Params& params_;
  const int class_;
  const int left_;              // columns from the first copied one on
  const unsigned short* from_;  // the lane's first k of the next step, from the first copied column on
};

}  // namespace gemm::ampere::few
