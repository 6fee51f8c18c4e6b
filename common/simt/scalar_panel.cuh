// The careful way of staging one operand: element by element, any alignment, any extent.
#pragma once

#include "common/device/convert.cuh"
#include "common/simt/config.h"
#include "common/simt/params.h"
#include "common/simt/shared.cuh"

namespace gemm::simt {

// Copies panels of kExtent x kTileK elements to shared memory as FP32. Elements beyond the operand are zero there, in A
// and in B, so that they add nothing.
template <typename Config, int kExtent, int kMajor>
class ScalarPanel {
 public:
  using Shared = SharedPanel<Config::kTileK, kExtent>;

  // `origin`: element (0, 0) of the first panel; `mn_left`: lines from there to the operand's end.
  __device__ __forceinline__ ScalarPanel(const Input& input, int type, const char* origin, long long mn_left)
      : input_(input), type_(type), mn_left_(mn_left < kExtent ? static_cast<int>(mn_left) : kExtent) {
    const Place first = First();
    from_ = origin + first.mn * input.mn_stride + first.k * input.k_stride;
  }

  // Copies the next panel, of which k_left >= 1 columns exist, into `shared`, which no thread may be reading, and moves
  // on. Elements wait for their loads together.
  __device__ __forceinline__ void Copy(long long k_left, Shared& shared) {
    const int k_end = k_left < Config::kTileK ? static_cast<int>(k_left) : Config::kTileK;
    if (type_ == device::kElementFP32) {
      CopyAs<device::kElementFP32>(k_end, shared);
    } else if (type_ == device::kElementFP16) {
      CopyAs<device::kElementFP16>(k_end, shared);
    } else {
      CopyAs<device::kElementBF16>(k_end, shared);
    }
    from_ += Config::kTileK * input_.k_stride;
  }

 private:
  static constexpr int kThreads = Config::kThreads;
  static constexpr int kPerThread = kExtent * Config::kTileK / kThreads;
  static_assert(kThreads % Config::kTileK == 0 && kThreads % kExtent == 0, "the threads must tile the panel");

  __device__ __forceinline__ bool k_contiguous() const {
    return kMajor == kMajorK || (kMajor == kMajorRuntime && input_.k_contiguous != 0);
  }

  // Consecutive threads along whichever dimension is contiguous.
  __device__ __forceinline__ Place First() const {
    const int thread = static_cast<int>(threadIdx.x);
    return k_contiguous() ? Place{thread / Config::kTileK, thread % Config::kTileK}
                          : Place{thread % kExtent, thread / kExtent};
  }
  __device__ __forceinline__ Place Step(int i) const {
    return k_contiguous() ? Place{i * (kThreads / Config::kTileK), 0} : Place{0, i * (kThreads / kExtent)};
  }

  template <int kType>
  __device__ __forceinline__ void CopyAs(int k_end, Shared& shared) const {
    const Place first = First();
    const long long stride = Step(1).mn * input_.mn_stride + Step(1).k * input_.k_stride;
    const char* from = from_;
    float values[kPerThread];
#pragma unroll
    for (int i = 0; i < kPerThread; ++i) {
      const bool inside = first.mn + Step(i).mn < mn_left_ && first.k + Step(i).k < k_end;
      values[i] = inside ? device::LoadElement(kType, from, 0) : 0.0f;
      from += stride;
    }
#pragma unroll
    for (int i = 0; i < kPerThread; ++i) shared.at[first.k + Step(i).k][first.mn + Step(i).mn] = values[i];
  }

  const Input& input_;
  const int type_;
  const int mn_left_;
  const char* from_;  // this thread's first element of the next panel
};

}  // namespace gemm::simt
