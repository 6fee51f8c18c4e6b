// What a CTA stores where all its warps take the same rows of the longer operand.
#pragma once

#include "ampere/few/config.h"
#include "ampere/few/epilogue.cuh"
#include "ampere/few/params.h"

namespace gemm::ampere::few {

// A CTA's rows of the longer operand: `first` and every `period`-th from there on, `count` of them.
struct CtaRows {
  int first;
  int count;
  int period;
};

// The elements of D that a thread stores.
template <class C>
class Outputs {
 public:
  // Asks for C.
  __device__ __forceinline__ Outputs(const Params& params, const CtaRows& rows)
      : epilogue_(params), rows_(rows), few_rows_(params.few_rows) {
    ForEach([&](int i, long long wide, int few) { c_[i] = epilogue_.LoadC(wide, few); });
  }

  // Behind a barrier that all warps' sums are in front of.
  __device__ __forceinline__ void Store(const Shared<C>& shared) const {
    ForEach([&](int i, long long wide, int few) {
      epilogue_.Store(wide, few, c_[i], SumOfWarps(shared, few, Element(i) % C::kWide));
    });
  }

 private:
  static constexpr int kElements = (C::kWide * C::kFew + C::kThreads - 1) / C::kThreads;

  __device__ __forceinline__ static int Element(int i) {
    return static_cast<int>(threadIdx.x) + i * C::kThreads;
  }

  // The warps' sums of an element, always in the same order.
  __device__ __forceinline__ static float SumOfWarps(const Shared<C>& shared, int few, int row) {
    float sum = 0;
#pragma unroll
    for (int warp = 0; warp < C::kWarps; ++warp) sum += shared.warps[warp].sums.of[few][row];
    return sum;
  }

  template <class Function>
  __device__ __forceinline__ void ForEach(Function function) const {
#pragma unroll
    for (int i = 0; i < kElements; ++i) {
      const int row = Element(i) % C::kWide, few = Element(i) / C::kWide;
      if (row < rows_.count && few < few_rows_) function(i, rows_.first + row * rows_.period, few);
    }
  }

  const Epilogue epilogue_;
  const CtaRows rows_;
  const int few_rows_;
  unsigned c_[kElements] = {};
};

}  // namespace gemm::ampere::few
