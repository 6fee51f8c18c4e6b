// Elements of A, B, C and D, one or several at a time.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "ladder/params.h"

namespace gemm::ladder {

template <Type type>
struct TypeOf {
  using Element = float;
};
template <>
struct TypeOf<Type::kFP16> {
  using Element = __half;
};
template <>
struct TypeOf<Type::kBF16> {
  using Element = __nv_bfloat16;
};
template <Type type>
using ElementOf = typename TypeOf<type>::Element;

__device__ __forceinline__ float ToFloat(float value) { return value; }
__device__ __forceinline__ float ToFloat(__half value) { return __half2float(value); }
__device__ __forceinline__ float ToFloat(__nv_bfloat16 value) { return __bfloat162float(value); }

template <class T>
__device__ T FromFloat(float value);
template <>
__device__ __forceinline__ float FromFloat<float>(float value) {
  return value;
}
template <>
__device__ __forceinline__ __half FromFloat<__half>(float value) {
  return __float2half_rn(value);
}
template <>
__device__ __forceinline__ __nv_bfloat16 FromFloat<__nv_bfloat16>(float value) {
  return __float2bfloat16_rn(value);
}

// kCount neighbours that are moved as one: 4, 8 or 16 bytes.
template <class T, int kCount>
struct alignas(sizeof(T) * kCount) Vector {
  T values[kCount];
};

// The 16 bytes that one load instruction can bring at most.
template <class T>
inline constexpr int kElementsOf16Bytes = 16 / static_cast<int>(sizeof(T));

// kCount neighbours from `from`, as FP32, in loads as wide as their address allows.
template <int kCount, class T>
__device__ __forceinline__ void ReadRow(const T* from, float* values) {
  constexpr int kWidth = kCount < kElementsOf16Bytes<T> ? kCount : kElementsOf16Bytes<T>;
  static_assert(kCount % kWidth == 0);
#pragma unroll
  for (int i = 0; i < kCount; i += kWidth) {
    const auto vector = *reinterpret_cast<const Vector<T, kWidth>*>(from + i);
#pragma unroll
    for (int e = 0; e < kWidth; ++e) values[i + e] = ToFloat(vector.values[e]);
  }
}

// The epilogue of all rungs without one of their own: kCount neighbours of D from element `at` on.
template <int kCount, class T>
__device__ __forceinline__ void StoreRow(const Params& p, int at, const float* sums) {
  Vector<T, kCount> out;
  if (p.beta != 0) {
    const auto c = *reinterpret_cast<const Vector<T, kCount>*>(static_cast<const T*>(p.c) + at);
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      out.values[i] = FromFloat<T>(p.alpha * sums[i] + p.beta * ToFloat(c.values[i]));
    }
  } else {
#pragma unroll
    for (int i = 0; i < kCount; ++i) out.values[i] = FromFloat<T>(p.alpha * sums[i]);
  }
  *reinterpret_cast<Vector<T, kCount>*>(static_cast<T*>(p.d) + at) = out;
}

}  // namespace gemm::ladder
