#include "tests/support/numerics.h"

#include <bit>
#include <cmath>
#include <limits>

namespace gemm::tests {

std::uint16_t FloatToHalf(float value) {
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

float HalfToFloat(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1fu;
  const std::uint32_t fraction = bits & 0x3ffu;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | (fraction << 13));
  if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112u) << 23) | (fraction << 13));
  const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
  return sign != 0 ? -magnitude : magnitude;
}

std::uint16_t FloatToBFloat16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
  return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

float BFloat16ToFloat(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

double UnitRoundoff(DataType type) {
  return type == DataType::kFP32 ? 0x1p-24 : type == DataType::kFP16 ? 0x1p-11 : 0x1p-8;
}

double MaxFinite(DataType type) {
  if (type == DataType::kFP32) return std::numeric_limits<float>::max();
  return type == DataType::kFP16 ? 65504.0 : 0x1.fep127;
}

double SmallestSubnormal(DataType type) {
  return type == DataType::kFP32 ? 0x1p-149 : type == DataType::kFP16 ? 0x1p-24 : 0x1p-133;
}

float Load(DataType type, const void* data, std::int64_t index) {
  if (type == DataType::kFP32) return static_cast<const float*>(data)[index];
  const std::uint16_t bits = static_cast<const std::uint16_t*>(data)[index];
  return type == DataType::kFP16 ? HalfToFloat(bits) : BFloat16ToFloat(bits);
}

void Store(DataType type, void* data, std::int64_t index, float value) {
  if (type == DataType::kFP32) {
    static_cast<float*>(data)[index] = value;
  } else {
    static_cast<std::uint16_t*>(data)[index] =
        type == DataType::kFP16 ? FloatToHalf(value) : FloatToBFloat16(value);
  }
}

std::uint32_t LoadBits(DataType type, const void* data, std::int64_t index) {
  if (type == DataType::kFP32) return static_cast<const std::uint32_t*>(data)[index];
  return static_cast<const std::uint16_t*>(data)[index];
}

float RoundTo(DataType type, double value) {
  const float single = static_cast<float>(value);
  if (type == DataType::kFP32) return single;
  return type == DataType::kFP16 ? HalfToFloat(FloatToHalf(single)) : BFloat16ToFloat(FloatToBFloat16(single));
}

std::uint32_t PoisonBits(DataType type) {
  return type == DataType::kFP32 ? 0x7fe5a5a5u : type == DataType::kFP16 ? 0x7ea5u : 0x7fe5u;
}

}  // namespace gemm::tests
