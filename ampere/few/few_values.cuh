// The short operand beside a longer one that lies by columns, on its way into shared memory for all warps of the CTA.
#pragma once

#include "ampere/few/columns.h"
#include "ampere/few/pieces.cuh"
#include "ampere/few/steps.cuh"
#include "ampere/few/wide_columns.cuh"

namespace gemm::ampere::few {

// K in chunks of kChunkSteps steps, one of which is multiplied while the next one is copied. Each row's part lies behind the last multiple of 16
// bytes in front of its first element, as in memory, so that rows may start anywhere. Behind K's end there are zeros.
class FewValues {
 public:
  __device__ __forceinline__ FewValues(const ColumnsParams& params, const ColumnsOfTile& tile,
                                       unsigned char* to)
      : params_(params),
        by_k_(params.few_k_stride == 1),
        first_k_(tile.first_step * kStepK),
        matrix_(FirstElement(params.product.few)),
        to_(to) {}

  // All threads call, behind a barrier that the last Load of the chunk before the last is in front of. The copies belong to the group of
  // cp.async that is committed next.
  __device__ __forceinline__ void Start(int chunk) const {
    unsigned char* const to = to_ + chunk % 2 * kFewChunkBytes;
    const int first_k = first_k_ + chunk * kChunkK;
    if (by_k_) {
      StartPieces(to, first_k);
    } else {
      Copy(to, first_k);
    }
  }

  // Of a row that there is the four k from `k` of the chunk on that are kClasses apart.
  __device__ __forceinline__ uint2 Load(int chunk, int row, int k) const {
    const unsigned char* const from = to_ + chunk % 2 * kFewChunkBytes + row * kFewRowBytes;
    const auto* const e = reinterpret_cast<const unsigned short*>(from) + ShiftOf(row) + k;
    return {e[0] | static_cast<unsigned>(e[kClasses]) << 16,
            e[2 * kClasses] | static_cast<unsigned>(e[3 * kClasses]) << 16};
  }

 private:
  // Elements in front of a row's first.
  __device__ __forceinline__ int ShiftOf(int row) const {
    return by_k_ ? Behind<kPiece>(matrix_ + row * params_.few_row_stride) : 0;
  }

  __device__ __forceinline__ void StartPieces(unsigned char* to, int first_k) const {
    constexpr int kPiecesOfRow = kChunkK / kPiece + 1;
    const Params& product = params_.product;
    const unsigned short* const end = matrix_ + (product.few_rows - 1) * params_.few_row_stride + product.k;
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x); i < product.few_rows * kPiecesOfRow; i += kColumnsThreads) {
      const int row = i / kPiecesOfRow, piece = i % kPiecesOfRow;
      const int k = first_k + piece * kPiece - ShiftOf(row);
      const unsigned short* const at = matrix_ + row * params_.few_row_stride + k;
      const auto in_shared =
          static_cast<unsigned>(__cvta_generic_to_shared(to + row * kFewRowBytes + piece * kPieceBytes));
      CopyPiece(in_shared, at, max(0, min(product.k - k, kPiece)), end);
    }
  }

  // Of rows that do not lie along K. Threads that are neighbours take elements that are.
  __device__ __forceinline__ void Copy(unsigned char* to, int first_k) const {
    const int rows = params_.product.few_rows;
#pragma unroll 4
    for (int i = static_cast<int>(threadIdx.x); i < rows * kChunkK; i += kColumnsThreads) {
      const int k = i / rows, row = i - k * rows;
      const bool there = first_k + k < params_.product.k;
      reinterpret_cast<unsigned short*>(to + row * kFewRowBytes)[k] =
          there ? matrix_[row * params_.few_row_stride + (first_k + k) * params_.few_k_stride] : 0;
    }
  }

  const ColumnsParams& params_;
  const bool by_k_;
  const int first_k_;
  const unsigned short* const matrix_;
  unsigned char* const to_;
};

}  // namespace gemm::ampere::few
