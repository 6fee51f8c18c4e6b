// The fast way of staging one operand: whole panels, four elements at an access, through registers.
#pragma once

#include "common/device/convert.cuh"
#include "common/simt/config.h"
#include "common/simt/params.h"
#include "common/simt/shared.cuh"

namespace gemm::simt {

// Loads panels of kExtent x kTileK elements while the previous one is being multiplied, and stores them as FP32.
// Lines beyond the operand's end are copies of its last ones: nothing of D comes of them. Elements have kBytes, 4 or
// 2; which of the 16-bit types they are is known at run time, because a loop of its own for each would be a third of
// the library.
template <typename Config, int kExtent, int kMajor, int kBytes>
class VectorPanel {
 public:
  using Shared = SharedPanel<Config::kTileK, kExtent>;

  // Whether an operand of which `mn_left` lines from the panel's first one exist can be read this way.
  static __device__ __forceinline__ bool Fits(const Input& input, long long mn_left) {
    return input.vector != 0 && (mn_left >= kExtent || (kMajor == kMajorK ? kSingleLine : mn_left % 4 == 0));
  }

  // `origin`: element (0, 0) of the first panel.
  __device__ __forceinline__ VectorPanel(const Input& input, int type, const char* origin, long long mn_left)
      : input_(input), type_(type) {
    const Place first = First();
    const int last = mn_left >= kExtent ? kExtent : static_cast<int>(mn_left);  // clamped to a vector that exists
    const int mn = kMajor == kMajorK ? min(first.mn, last - 1) : min(first.mn, last - 4);
    from_ = origin + (mn_left >= kExtent ? first.mn : mn) * input.mn_stride + first.k * input.k_stride;
  }

  // Loads the next panel and moves on.
  __device__ __forceinline__ void Load() {
#pragma unroll
    for (int i = 0; i < kVectors; ++i) {
      const Place step = Step(i);
      raw_[i] = *reinterpret_cast<const Vector*>(
          from_ + (kMajor == kMajorK ? step.mn * input_.mn_stride + step.k * kBytes : step.k * input_.k_stride));
    }
    from_ += kMajor == kMajorK ? Config::kTileK * kBytes : Config::kTileK * input_.k_stride;
  }

  // Puts what Load brought into `shared`, which no thread may be reading.
  __device__ __forceinline__ void Store(Shared& shared) const {
    const Place first = First();
#pragma unroll
    for (int i = 0; i < kVectors; ++i) {
      const int k = first.k + Step(i).k;
      const int mn = first.mn + Step(i).mn;
      const float4 v = Convert(raw_[i]);
      if constexpr (kMajor == kMajorMN) {
        *reinterpret_cast<float4*>(&shared.at[k][mn]) = v;
      } else {
        shared.at[k][mn] = v.x;
        shared.at[k + 1][mn] = v.y;
        shared.at[k + 2][mn] = v.z;
        shared.at[k + 3][mn] = v.w;
      }
    }
  }

 private:
  static constexpr int kThreads = Config::kThreads;
  static constexpr int kVectors = kExtent * Config::kTileK / kThreads / 4;
  static_assert(kVectors * kThreads * 4 == kExtent * Config::kTileK, "each thread stages whole vectors");

  // Four elements as they lie in memory.
  template <int kWidth, typename Unused = void>
  struct VectorOf {
    using Type = uint4;
  };
  template <typename Unused>
  struct VectorOf<2, Unused> {
    using Type = uint2;
  };
  using Vector = typename VectorOf<kBytes>::Type;

  __device__ __forceinline__ float4 Convert(uint4 v) const {
    return make_float4(__uint_as_float(v.x), __uint_as_float(v.y), __uint_as_float(v.z), __uint_as_float(v.w));
  }
  __device__ __forceinline__ float4 Convert(uint2 v) const {
    const device::Float2 first = device::Unpack2(type_, v.x);
    const device::Float2 second = device::Unpack2(type_, v.y);
    return make_float4(first.low, first.high, second.low, second.high);
  }

  // K-major: lanes 0 and 1 take 8 elements of a line, so that each line gives whole 32-byte sectors of FP32.
  // MN-major: consecutive lanes take consecutive vectors.
  static constexpr int kPairs = kThreads / 2;
  static constexpr int kColumnVectors = kExtent / 4;
  static constexpr bool kSingleLine = kPairs >= kExtent;  // K-major: a thread's vectors are all of one line
  static_assert(kMajor == kMajorMN ? kThreads % kColumnVectors == 0
                                   : kPairs % kExtent == 0 || kExtent % kPairs == 0,
                "the threads must tile the panel");

  static __device__ __forceinline__ Place First() {
    const int thread = static_cast<int>(threadIdx.x);
    if (kMajor == kMajorMN) return {thread % kColumnVectors * 4, thread / kColumnVectors};
    return {thread / 2 % kExtent, thread / 2 / kExtent * 8 + thread % 2 * 4};
  }
  static constexpr __device__ __forceinline__ Place Step(int i) {
    if (kMajor == kMajorMN) return {0, i * (kThreads / kColumnVectors)};
    return kSingleLine ? Place{0, i * (kPairs / kExtent) * 8} : Place{i * kPairs % kExtent, i * kPairs / kExtent * 8};
  }

  const Input& input_;
  const int type_;
  const char* from_;  // this thread's first vector of the next panel
  Vector raw_[kVectors];
};

}  // namespace gemm::simt
