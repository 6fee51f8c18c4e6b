// K of rows that start anywhere, step by step.
#pragma once

#include "ampere/few/config.h"
#include "ampere/few/params.h"

namespace gemm::ampere::few {

// K in steps of kTileK elements, the first of which begins `shift` elements in front of the longer operand's rows.
template <class C>
struct Steps {
  int shift;
  int k;

  __device__ __forceinline__ int count() const { return (shift + k + C::kTileK - 1) / C::kTileK; }
  __device__ __forceinline__ int At(int step) const { return step * C::kTileK - shift; }
  // Whether all pieces that are loaded lie in their rows: the short operand's from up to 7 elements in front of the step to 8 behind it.
  __device__ __forceinline__ bool IsWhole(int step) const {
    return At(step) >= kPiece - 1 && At(step + 1) + kPiece <= k;
  }
};

// Elements from the last multiple of kElements of them, a power of two, in memory.
template <int kElements>
__device__ __forceinline__ int Behind(const unsigned short* element) {
  return static_cast<int>(reinterpret_cast<unsigned long long>(element) / 2 % kElements);
}

__device__ __forceinline__ const unsigned short* FirstElement(const Operand& operand) {
  return static_cast<const unsigned short*>(operand.base) + blockIdx.y * operand.batch_stride;
}

}  // namespace gemm::ampere::few
