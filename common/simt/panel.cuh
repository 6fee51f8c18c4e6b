// Staging of one operand: global memory to registers, and registers to shared memory as FP32.
//
// A panel of kExtent (of M or N) x kTileK elements is loaded by all threads of the CTA, kPerThread elements each, while
// the previous one is being multiplied. In shared memory element (i, k) lies at tile[k][i] whatever the layout in global
// memory. Elements beyond the matrix are zero there, in both operands, so that they add nothing.
#pragma once

#include "common/device/convert.cuh"
#include "common/simt/config.h"
#include "common/simt/params.h"

namespace gemm::simt {

// Rows of a shared tile are padded by 16 bytes: four K rows then lie 16 banks apart, and the transposing stores of 16
// lanes x 2 groups of K do not collide.
template <int kTileK, int kExtent>
struct SharedPanel {
  alignas(16) float at[kTileK][kExtent + 4];
};

template <typename Config, int kExtent, int kMajor>
class Panel {
 public:
  using Shared = SharedPanel<Config::kTileK, kExtent>;

  // `origin`: element (0, 0) of this CTA's rows in its batch; `mn_left`: rows from there to the matrix's end.
  __device__ __forceinline__ Panel(const Input& input, int type, const char* origin, long long mn_left)
      : input_(input), type_(type), mn_left_(mn_left < kExtent ? static_cast<int>(mn_left) : kExtent) {
    vector_ = kMajor != kMajorRuntime && input.vector != 0 && (kMajor == kMajorK || mn_left_ % 4 == 0);
    pointer_ = origin + Offset();
  }

  // Loads the next kTileK columns, of which `k_left` >= 1 exist, and moves on.
  __device__ __forceinline__ void Load(long long k_left) {
    if (vector_ && k_left < Config::kTileK) {
      pointer_ -= Offset();
      vector_ = false;
      pointer_ += Offset();
    }
    if (vector_) {
      type_ == device::kElementFP32 ? LoadVectors<float>() : LoadVectors<unsigned short>();
    } else {
      const int k = k_left < Config::kTileK ? static_cast<int>(k_left) : Config::kTileK;
      type_ == device::kElementFP32 ? LoadScalars<float>(k) : LoadScalars<unsigned short>(k);
    }
    pointer_ += Config::kTileK * input_.k_stride;
  }

  // Converts what Load brought and puts it into `shared`, which no thread may be reading.
  __device__ __forceinline__ void Store(Shared& shared) const {
    if (type_ == device::kElementFP32) {
      StoreAs<device::kElementFP32>(shared);
    } else if (type_ == device::kElementFP16) {
      StoreAs<device::kElementFP16>(shared);
    } else {
      StoreAs<device::kElementBF16>(shared);
    }
  }

 private:
  static constexpr int kThreads = Config::kThreads;
  static constexpr int kPerThread = kExtent * Config::kTileK / kThreads;
  static constexpr int kVectors = kPerThread / 4;
  static_assert(kPerThread % 4 == 0, "each thread stages whole vectors");

  // A thread's first element and the distance to its following ones, in (mn, k).
  struct Place {
    int mn;
    int k;
  };

  __device__ __forceinline__ bool k_contiguous() const {
    return kMajor == kMajorK || (kMajor == kMajorRuntime && input_.k_contiguous != 0);
  }

  // Vectors of 4 along K: lanes 0 and 1 take 8 columns of a row, so that each row gives whole 32-byte sectors of FP32.
  static constexpr int kPairs = kThreads / 2;
  static_assert(kPairs % kExtent == 0 || kExtent % kPairs == 0, "");
  static __device__ __forceinline__ Place VectorK() {
    const int pair = static_cast<int>(threadIdx.x) / 2;
    return {pair % kExtent, (pair / kExtent) * 8 + static_cast<int>(threadIdx.x) % 2 * 4};
  }
  static constexpr __device__ __forceinline__ Place VectorKStep(int i) {
    return kPairs >= kExtent ? Place{0, i * (kPairs / kExtent) * 8}
                             : Place{i * kPairs % kExtent, i * kPairs / kExtent * 8};
  }

  // Vectors of 4 along M or N: consecutive lanes take consecutive vectors of a column.
  static constexpr int kColumnVectors = kExtent / 4;
  static_assert(kThreads % kColumnVectors == 0, "");
  static __device__ __forceinline__ Place VectorMN() {
    const int thread = static_cast<int>(threadIdx.x);
    return {thread % kColumnVectors * 4, thread / kColumnVectors};
  }
  static constexpr __device__ __forceinline__ Place VectorMNStep(int i) { return {0, i * (kThreads / kColumnVectors)}; }

  // Single elements: consecutive lanes along whichever dimension is contiguous.
  static_assert(kThreads % Config::kTileK == 0 && kThreads % kExtent == 0, "");
  __device__ __forceinline__ Place Scalar() const {
    const int thread = static_cast<int>(threadIdx.x);
    return k_contiguous() ? Place{thread / Config::kTileK, thread % Config::kTileK}
                          : Place{thread % kExtent, thread / kExtent};
  }
  __device__ __forceinline__ Place ScalarStep(int i) const {
    return k_contiguous() ? Place{i * (kThreads / Config::kTileK), 0} : Place{0, i * (kThreads / kExtent)};
  }

  __device__ __forceinline__ Place First() const {
    if (!vector_) return Scalar();
    return kMajor == kMajorK ? VectorK() : VectorMN();
  }
  __device__ __forceinline__ long long Offset() const {
    const Place first = First();
    return first.mn * input_.mn_stride + first.k * input_.k_stride;
  }

  template <typename Element>
  __device__ __forceinline__ void LoadVectors() {
    const int mn_end = mn_left_ - First().mn;  // rows from this thread's first one to the end
#pragma unroll
    for (int i = 0; i < kVectors; ++i) {
      const Place step = kMajor == kMajorK ? VectorKStep(i) : VectorMNStep(i);
      const char* from = pointer_ + (kMajor == kMajorK
                                         ? step.mn * input_.mn_stride + step.k * static_cast<int>(sizeof(Element))
                                         : step.k * input_.k_stride);
      if constexpr (sizeof(Element) == 4) {
        uint4 words = make_uint4(0, 0, 0, 0);
        if (step.mn < mn_end) words = *reinterpret_cast<const uint4*>(from);
        raw_[4 * i] = words.x, raw_[4 * i + 1] = words.y, raw_[4 * i + 2] = words.z, raw_[4 * i + 3] = words.w;
      } else {
        uint2 words = make_uint2(0, 0);
        if (step.mn < mn_end) words = *reinterpret_cast<const uint2*>(from);
        raw_[4 * i] = words.x & 0xffff, raw_[4 * i + 1] = words.x >> 16;
        raw_[4 * i + 2] = words.y & 0xffff, raw_[4 * i + 3] = words.y >> 16;
      }
    }
  }

  template <typename Element>
  __device__ __forceinline__ void LoadScalars(int k_left) {
    const Place first = Scalar();
    const char* from = pointer_;
    const Place step = ScalarStep(1);
    const long long stride = step.mn * input_.mn_stride + step.k * input_.k_stride;
#pragma unroll
    for (int i = 0; i < kPerThread; ++i) {
      const Place at = ScalarStep(i);
      const bool inside = first.mn + at.mn < mn_left_ && first.k + at.k < k_left;
      unsigned bits = 0;
      if (inside) {
        bits = sizeof(Element) == 4 ? *reinterpret_cast<const unsigned*>(from)
                                    : *reinterpret_cast<const unsigned short*>(from);
      }
      raw_[i] = bits;
      from += stride;
    }
  }

  template <int kType>
  static __device__ __forceinline__ float ToFloat(unsigned bits) {
    if constexpr (kType == device::kElementFP32) return __uint_as_float(bits);
    if constexpr (kType == device::kElementFP16) return device::HalfToFloat(static_cast<unsigned short>(bits));
    return __uint_as_float(bits << 16);
  }

  template <int kType>
  __device__ __forceinline__ void StoreAs(Shared& shared) const {
    const Place first = First();
    if (!vector_) {
#pragma unroll
      for (int i = 0; i < kPerThread; ++i) {
        const Place step = ScalarStep(i);
        shared.at[first.k + step.k][first.mn + step.mn] = ToFloat<kType>(raw_[i]);
      }
      return;
    }
#pragma unroll
    for (int i = 0; i < kVectors; ++i) {
      float4 v;
      v.x = ToFloat<kType>(raw_[4 * i]);
      v.y = ToFloat<kType>(raw_[4 * i + 1]);
      v.z = ToFloat<kType>(raw_[4 * i + 2]);
      v.w = ToFloat<kType>(raw_[4 * i + 3]);
      if (kMajor == kMajorMN) {
        const Place step = VectorMNStep(i);
        *reinterpret_cast<float4*>(&shared.at[first.k + step.k][first.mn + step.mn]) = v;
      } else {
        const Place step = VectorKStep(i);
        const int k = first.k + step.k;
        const int mn = first.mn + step.mn;
        shared.at[k][mn] = v.x;
        shared.at[k + 1][mn] = v.y;
        shared.at[k + 2][mn] = v.z;
        shared.at[k + 3][mn] = v.w;
      }
    }
  }

  const Input& input_;
  const int type_;
  const int mn_left_;
  bool vector_;
  const char* pointer_;  // this thread's first element of the next panel
  unsigned raw_[kPerThread];
};

}  // namespace gemm::simt
