// The 16-bit floating-point formats, to add and compare in.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace emu {

// IEEE 754 style: one sign bit, kExponentBits, kFractionBits.
template <int kExponentBits, int kFractionBits>
struct SmallFloat {
  static constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
  static constexpr int kMinExponent = 1 - kBias;
  static constexpr std::uint32_t kExponents = (1u << kExponentBits) - 1;
  static constexpr std::uint16_t kNan = 0x7fff;  // what the GPU returns for every NaN

  // Exact.
  static double Decode(std::uint16_t bits) {
    const std::uint32_t exponent = bits >> kFractionBits & kExponents;
    const std::uint32_t fraction = bits & ((1u << kFractionBits) - 1);
    const double sign = bits >> 15 != 0 ? -1.0 : 1.0;
    if (exponent == kExponents) {
      return fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                           : sign * std::numeric_limits<double>::infinity();
    }
    const double significand = fraction + (exponent != 0 ? static_cast<double>(1u << kFractionBits) : 0.0);
    const int scale = (exponent != 0 ? static_cast<int>(exponent) - kBias : kMinExponent) - kFractionBits;
    return sign * std::ldexp(significand, scale);
  }

  // To the nearest, ties to even.
  static std::uint16_t Encode(double value) {
    if (std::isnan(value)) return kNan;
    const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
    const std::uint16_t infinity = static_cast<std::uint16_t>(sign | kExponents << kFractionBits);
    value = std::fabs(value);
    if (value == 0) return sign;
    if (std::isinf(value)) return infinity;
    int exponent = std::ilogb(value);
    if (exponent < kMinExponent) exponent = kMinExponent;
    if (exponent > kBias) return infinity;
    // In units of the last place; a carry out of the fraction is a carry into the exponent.
    const auto units = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(value, kFractionBits - exponent)));
    const std::uint32_t bits = units + (static_cast<std::uint32_t>(exponent - kMinExponent) << kFractionBits);
    return bits >> kFractionBits >= kExponents ? infinity : static_cast<std::uint16_t>(sign | bits);
  }
};

using HalfFormat = SmallFloat<5, 10>;
using BFloatFormat = SmallFloat<8, 7>;

}  // namespace emu
