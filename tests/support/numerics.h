// The numbers of the data types, on the host and in portable C++: conversions, unit roundoffs, ranges. Shared
// by the tests and by tools/gemm; written apart from the library's own device code, so that errors cannot
// cancel.
#pragma once

#include <bit>
#include <cstdint>

#include "gemm/types.h"

namespace gemm::tests {

// IEEE 754 binary16 and bfloat16 from binary32, rounded to nearest, ties to even; overflow gives infinity, a
// NaN stays a (quiet) NaN. Subnormals are kept. The way back is exact.
std::uint16_t FloatToHalf(float value);
float HalfToFloat(std::uint16_t bits);
std::uint16_t FloatToBFloat16(float value);
float BFloat16ToFloat(std::uint16_t bits);

// Half the distance from 1 to the next larger number: 2^-24, 2^-11, 2^-8. FP32, FP16 and BF16 only, as all
// below.
double UnitRoundoff(DataType type);
double MaxFinite(DataType type);
// The spacing of the numbers around zero: 2^-149, 2^-24, 2^-133.
double SmallestSubnormal(DataType type);

// Element `index` of an array of `type`. Store rounds to nearest even.
float Load(DataType type, const void* data, std::int64_t index);
void Store(DataType type, void* data, std::int64_t index, float value);
// The element's bits in the low end of the result.
std::uint32_t LoadBits(DataType type, const void* data, std::int64_t index);

// `value` rounded to `type` by way of binary32 (a double that is not a binary32 is rounded twice).
float RoundTo(DataType type, double value);

// A NaN of `type` that no arithmetic unit produces: what tests fill outputs and padding with.
std::uint32_t PoisonBits(DataType type);

// Defined here, because judging a product calls them for each of its elements.

inline double UnitRoundoff(DataType type) {
  return type == DataType::kFP32 ? 0x1p-24 : type == DataType::kFP16 ? 0x1p-11 : 0x1p-8;
}

inline double SmallestSubnormal(DataType type) {
  return type == DataType::kFP32 ? 0x1p-149 : type == DataType::kFP16 ? 0x1p-24 : 0x1p-133;
}

inline std::uint32_t PoisonBits(DataType type) {
  return type == DataType::kFP32 ? 0x7fe5a5a5u : type == DataType::kFP16 ? 0x7ea5u : 0x7fe5u;
}

inline std::uint16_t FloatToHalf(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint16_t sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<std::uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu));
  // 65520 is the middle between the largest half and 2^16; the tie goes to the even one, which is infinity.
  if (magnitude >= 0x477ff000u) return static_cast<std::uint16_t>(sign | 0x7c00u);
  if (magnitude < 0x38800000u) {
    // Below 2^-14: a multiple of 2^-24. Adding 0.5 aligns the value so that the FPU rounds it at that bit, to
    // even.
    const float aligned = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(aligned) - 0x3f000000u));
  }
  const std::uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
  return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
}

inline float HalfToFloat(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1fu;
  const std::uint32_t fraction = bits & 0x3ffu;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | (fraction << 13));
  if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112u) << 23) | (fraction << 13));
  const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
  return sign != 0 ? -magnitude : magnitude;
}

inline std::uint16_t FloatToBFloat16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
  return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

inline float BFloat16ToFloat(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

inline float Load(DataType type, const void* data, std::int64_t index) {
  if (type == DataType::kFP32) return static_cast<const float*>(data)[index];
  const std::uint16_t bits = static_cast<const std::uint16_t*>(data)[index];
  return type == DataType::kFP16 ? HalfToFloat(bits) : BFloat16ToFloat(bits);
}

inline std::uint32_t LoadBits(DataType type, const void* data, std::int64_t index) {
  if (type == DataType::kFP32) return static_cast<const std::uint32_t*>(data)[index];
  return static_cast<const std::uint16_t*>(data)[index];
}

inline float RoundTo(DataType type, double value) {
  const float single = static_cast<float>(value);
  if (type == DataType::kFP32) return single;
  return type == DataType::kFP16 ? HalfToFloat(FloatToHalf(single)) : BFloat16ToFloat(FloatToBFloat16(single));
}

}  // namespace gemm::tests
