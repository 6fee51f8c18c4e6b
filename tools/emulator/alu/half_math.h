// Half precision and bfloat16 as 16-bit patterns: exact conversion to single precision, correctly rounded conversion back.
// All of it vectorises.
#pragma once

#include <bit>
#include <cstdint>

#include "tools/emulator/alu/float_math.h"

namespace emu::alu {

// How a format's bit patterns are handled: by what kMin, kMax and comparisons need.
struct F16 {
  using Bits = std::uint16_t;
  static constexpr Format format = kBinary16;
  static constexpr int kLowest = -14;  // exponent of the smallest normal number
};
struct BF16 {
  using Bits = std::uint16_t;
  static constexpr Format format = kBfloat16;
  static constexpr int kLowest = -126;
};
struct F32 {
  using Bits = std::uint32_t;
  static constexpr Format format = kBinary32;
};
struct F64 {
  using Bits = std::uint64_t;
  static constexpr Format format = kBinary64;
};

template <class F>
EMU_INLINE bool IsNan(typename F::Bits x) {
  return (x & (F::format.sign() - 1)) > F::format.infinity();
}
template <class F>
EMU_INLINE typename F::Bits FlushBits(typename F::Bits x) {
  using Bits = typename F::Bits;
  constexpr Bits kInfinity = static_cast<Bits>(F::format.infinity()),
                 kSign = static_cast<Bits>(F::format.sign());
  return (x & kInfinity) == 0 ? x & kSign : x;
}

// Exact; NaN becomes the canonical one.
template <class F>
EMU_INLINE float ToSingle(std::uint16_t x);

template <>
EMU_INLINE float ToSingle<BF16>(std::uint16_t x) {
  return Canonical(std::bit_cast<float>(std::uint32_t{x} << 16));
}
// The mantissa and exponent moved to their places are the number times 2^-112, subnormal numbers included.
template <>
EMU_INLINE float ToSingle<F16>(std::uint16_t x) {
  const std::uint32_t magnitude = x & 0x7fffu;
  const float scaled = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
  const float finite_or_inf = magnitude >= 0x7c00 ? std::bit_cast<float>(std::uint32_t{0x7f80'0000}) : scaled;
  const std::uint32_t sign = (x & 0x8000u) << 16;
  const float number = std::bit_cast<float>(std::bit_cast<std::uint32_t>(finite_or_inf) | sign);
  return magnitude > 0x7c00 ? kNan32 : number;
}

// A single that the format can represent, or that overflows it; NaN becomes 0x7fff.
template <class F>
EMU_INLINE std::uint16_t FromRepresentable(float x);

template <>
EMU_INLINE std::uint16_t FromRepresentable<BF16>(float x) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x) >> 16;
  return static_cast<std::uint16_t>(x == x ? bits : 0x7fff);
}
template <>
EMU_INLINE std::uint16_t FromRepresentable<F16>(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t magnitude = bits & 0x7fff'ffff;
  // 0.5 has 2^-24, the smallest subnormal number, as its last bit.
  const float tiny = std::bit_cast<float>(magnitude < 0x3880'0000 ? magnitude : 0) + 0.5f;
  const std::uint32_t subnormal = std::bit_cast<std::uint32_t>(tiny) - 0x3f00'0000;
  const std::uint32_t normal = (magnitude - (112u << 23)) >> 13;
  std::uint32_t half = magnitude < 0x3880'0000 ? subnormal : normal;
  half = magnitude >= 0x4780'0000 ? 0x7c00 : half;  // 65536 and above
  half |= bits >> 16 & 0x8000;
  return static_cast<std::uint16_t>(x == x ? half : 0x7fff);
}

// hi + lo, |lo| at most half a unit of hi, rounded to nearest even.
template <class F>
EMU_INLINE std::uint16_t RoundToHalf(double hi, double lo) {
  // Rounded to odd: an inexact hi whose last bit is even moves one unit towards lo. Rounding again then sees that the
  // value was not representable, and on which side of a tie it was.
  const auto bits = std::bit_cast<std::uint64_t>(hi);
  const bool outward = (lo > 0) == (hi > 0);
  const std::uint64_t odd = outward ? bits + 1 : bits - 1;
  const double x = std::bit_cast<double>(lo != 0 && (bits & 1) == 0 ? odd : bits);
  // Adding 1.5 * 2^52 units of the format's last bit and subtracting it again rounds to that bit. Exponents are kept
  // where the constant stays finite.
  const auto field = static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(x) >> 52 & 0x7ff);
  constexpr std::int64_t kFirst = 1023 + F::kLowest, kLast = 1023 + 600;
  const std::int64_t clamped = field < kFirst ? kFirst : field > kLast ? kLast : field;
  const auto magic_bits =
      static_cast<std::uint64_t>(clamped + 52 - F::format.mantissa_bits) << 52 | std::uint64_t{1} << 51;
  const double magic = std::bit_cast<double>(magic_bits);
  const double magnitude = std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & 0x7fff'ffff'ffff'ffff);
  const double rounded = (magnitude + magic) - magic;
  const std::uint64_t sign = std::bit_cast<std::uint64_t>(x) & 0x8000'0000'0000'0000;
  return FromRepresentable<F>(
      static_cast<float>(std::bit_cast<double>(std::bit_cast<std::uint64_t>(rounded) | sign)));
}

// A single rounded to nearest even.
template <class F>
EMU_INLINE std::uint16_t FromSingle(float x);

template <>
EMU_INLINE std::uint16_t FromSingle<BF16>(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return static_cast<std::uint16_t>(x == x ? rounded : 0x7fff);
}
template <>
EMU_INLINE std::uint16_t FromSingle<F16>(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t magnitude = bits & 0x7fff'ffff;
  const float tiny = std::bit_cast<float>(magnitude < 0x3880'0000 ? magnitude : 0) + 0.5f;
  const std::uint32_t subnormal = std::bit_cast<std::uint32_t>(tiny) - 0x3f00'0000;
  const std::uint32_t normal = (magnitude - (112u << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13;
  std::uint32_t half = magnitude < 0x3880'0000 ? subnormal : normal;
  half = magnitude >= 0x4780'0000 ? 0x7c00 : half;
  half |= bits >> 16 & 0x8000;
  return static_cast<std::uint16_t>(x == x ? half : 0x7fff);
}

}  // namespace emu::alu
