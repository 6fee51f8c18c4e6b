// Elements of A, B, C and D in memory, as FP32 in registers. Conversion to 16 bits rounds to nearest even, keeps Inf
// and NaN, and gives Inf where FP16 overflows (ptx/cvt.cuh).
//
// The type is a run-time value that is uniform over the grid, so each function costs one branch that all threads take
// alike. Loads are ordinary ones (never ld.global.nc): C may be D itself.
#pragma once

#include "common/device/element_type.h"
#include "common/device/ptx/cvt.cuh"

namespace gemm::device {

__device__ __forceinline__ int ElementBytes(int type) { return type == kElementFP32 ? 4 : 2; }

__device__ __forceinline__ float HalfToFloat(unsigned short bits) { return ptx::CvtF32F16(bits); }

// A BF16 is the upper half of its FP32.
__device__ __forceinline__ float BFloat16ToFloat(unsigned short bits) {
  return __uint_as_float(static_cast<unsigned>(bits) << 16);
}

// Two neighbours of a 16-bit type (FP16 or BF16) as one word; `low` has the lower address.
__device__ __forceinline__ unsigned Pack2(int type, float low, float high) {
  return type == kElementFP16 ? ptx::CvtF16x2F32(low, high) : ptx::CvtBF16x2F32(low, high);
}

struct Float2 {
  float low;
  float high;
};

// The reverse of Pack2.
__device__ __forceinline__ Float2 Unpack2(int type, unsigned word) {
  if (type == kElementFP16) {
    return {HalfToFloat(static_cast<unsigned short>(word)),
            HalfToFloat(static_cast<unsigned short>(word >> 16))};
  }
  return {__uint_as_float(word << 16), __uint_as_float(word & 0xffff0000u)};
}

// Element `index` of an array that starts at `base`, aligned to its element, as it lies there, and its value: apart, so that a load can
// stand long before the first use.
__device__ __forceinline__ unsigned LoadBits(int type, const void* base, long long index) {
  if (type == kElementFP32) return static_cast<const unsigned*>(base)[index];
  return static_cast<const unsigned short*>(base)[index];
}

__device__ __forceinline__ float ElementOf(int type, unsigned bits) {
  if (type == kElementFP32) return __uint_as_float(bits);
  const unsigned short half = static_cast<unsigned short>(bits);
  return type == kElementFP16 ? HalfToFloat(half) : BFloat16ToFloat(half);
}

__device__ __forceinline__ float LoadElement(int type, const void* base, long long index) {
  return ElementOf(type, LoadBits(type, base, index));
}

__device__ __forceinline__ void StoreElement(int type, void* base, long long index, float value) {
  if (type == kElementFP32) {
    static_cast<float*>(base)[index] = value;
  } else {
    static_cast<unsigned short*>(base)[index] =
        type == kElementFP16 ? ptx::CvtF16F32(value) : ptx::CvtBF16F32(value);
  }
}

// Two elements from `index`; the first one's address must be a multiple of both elements' size (8 or 4 bytes).
__device__ __forceinline__ void Store2(int type, void* base, long long index, float low, float high) {
  if (type == kElementFP32) {
    *reinterpret_cast<float2*>(static_cast<float*>(base) + index) = make_float2(low, high);
  } else {
    *reinterpret_cast<unsigned*>(static_cast<unsigned short*>(base) + index) = Pack2(type, low, high);
  }
}

// Four elements from `index`; the first one's address must be a multiple of all four's size (16 or 8 bytes).
__device__ __forceinline__ void Load4(int type, const void* base, long long index, float (&values)[4]) {
  if (type == kElementFP32) {
    const float4 v = *reinterpret_cast<const float4*>(static_cast<const float*>(base) + index);
    values[0] = v.x, values[1] = v.y, values[2] = v.z, values[3] = v.w;
  } else {
    const uint2 v = *reinterpret_cast<const uint2*>(static_cast<const unsigned short*>(base) + index);
    const Float2 first = Unpack2(type, v.x);
    const Float2 second = Unpack2(type, v.y);
    values[0] = first.low, values[1] = first.high, values[2] = second.low, values[3] = second.high;
  }
}

__device__ __forceinline__ void Store4(int type, void* base, long long index, const float (&values)[4]) {
  if (type == kElementFP32) {
    *reinterpret_cast<float4*>(static_cast<float*>(base) + index) =
        make_float4(values[0], values[1], values[2], values[3]);
  } else {
    *reinterpret_cast<uint2*>(static_cast<unsigned short*>(base) + index) =
        make_uint2(Pack2(type, values[0], values[1]), Pack2(type, values[2], values[3]));
  }
}

}  // namespace gemm::device
