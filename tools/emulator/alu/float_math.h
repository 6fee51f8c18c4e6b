// Single and double precision on the host's arithmetic, which is IEEE 754 to nearest even; the other roundings of single
// precision come from double precision with its error made known. All of it vectorises.
#pragma once

#include <bit>
#include <cstdint>

#include "tools/emulator/alu/format.h"
#include "tools/emulator/alu/lanes.h"

namespace emu::alu {

// The NaN of single precision results: PTX ISA, "Floating Point Instructions".
inline constexpr float kNan32 = std::bit_cast<float>(std::uint32_t{0x7fff'ffff});

EMU_INLINE float Canonical(float x) { return x == x ? x : kNan32; }
// Double precision keeps the payload of a NaN that comes in, except in fma and mad (the same place): that of the first
// operand that is one, whatever order the host's compiler gives a commutative operation.
inline constexpr double kNan64 = std::bit_cast<double>(kBinary64.nan);
EMU_INLINE double Canonical(double x) { return x; }
EMU_INLINE double Quiet(double nan) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(nan) | std::uint64_t{1} << 51);
}
EMU_INLINE double KeepNan(double result, double a, double b) {
  const double nan = a != a ? Quiet(a) : b != b ? Quiet(b) : kNan64;
  return result == result ? result : nan;
}

// Subnormal numbers become zeros of their sign.
EMU_INLINE float FlushSubnormal(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return std::bit_cast<float>((bits & 0x7f80'0000) == 0 ? bits & 0x8000'0000 : bits);
}
EMU_INLINE double FlushSubnormal(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  return std::bit_cast<double>((bits & 0x7ff0'0000'0000'0000) == 0 ? bits & 0x8000'0000'0000'0000 : bits);
}
template <bool kFlush, class T>
EMU_INLINE T FlushIf(T x) {
  return kFlush ? FlushSubnormal(x) : x;
}

// .sat: [0, 1], and 0 for NaN.
EMU_INLINE float Saturate(float x) { return x > 0 ? (x < 1 ? x : 1.0f) : 0.0f; }

// hi + lo exactly; hi is the sum rounded to nearest (Knuth's TwoSum). Not for infinities.
struct ExactSum {
  double hi, lo;
};
EMU_INLINE ExactSum SumExactly(double a, double b) {
  const double sum = a + b;
  const double of_b = sum - a;
  return {sum, (a - (sum - of_b)) + (b - of_b)};
}

// The next number down or up; not for NaN, infinities only towards zero, zeros only away from it.
EMU_INLINE float NextDown(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return std::bit_cast<float>(static_cast<std::int32_t>(bits) < 0 ? bits + 1 : bits - 1);
}
EMU_INLINE float NextUp(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return std::bit_cast<float>(static_cast<std::int32_t>(bits) < 0 ? bits - 1 : bits + 1);
}

// hi + lo, |lo| at most half a unit of hi, rounded to single precision.
template <Rounding kRounding>
EMU_INLINE float RoundToSingle(double hi, double lo) {
  const float nearest = static_cast<float>(hi);
  if (kRounding == Rounding::kNearest) return nearest;
  // Positive when `nearest` is above the exact value. Where it differs from hi, it does so by more than lo.
  const double above = static_cast<double>(nearest) != hi ? static_cast<double>(nearest) - hi : -lo;
  const bool down = kRounding == Rounding::kDown || (kRounding == Rounding::kZero && hi > 0);
  const bool up = kRounding == Rounding::kUp || (kRounding == Rounding::kZero && hi < 0);
  float result = nearest;
  result = down && above > 0 ? NextDown(nearest) : result;
  result = up && above < 0 ? NextUp(nearest) : result;
  return hi - hi == 0 ? result : nearest;  // infinities and NaN stay
}

// p + c in single precision; p is an exact product or a single.
template <Rounding kRounding>
EMU_INLINE float AddRounded(double p, double c) {
  const ExactSum sum = SumExactly(p, c);
  const float result = RoundToSingle<kRounding>(sum.hi, sum.lo);
  if (kRounding != Rounding::kDown) return result;
  // A sum that is exactly zero is -0 rounded down, unless both operands are +0.
  const bool minus = std::bit_cast<std::int64_t>(p) < 0 || std::bit_cast<std::int64_t>(c) < 0;
  return sum.hi == 0 && minus ? -0.0f : result;
}

template <Rounding kRounding>
EMU_INLINE float Add(float a, float b) {
  return kRounding == Rounding::kNearest ? a + b : AddRounded<kRounding>(a, b);
}
template <Rounding kRounding>
EMU_INLINE float Sub(float a, float b) {
  return kRounding == Rounding::kNearest ? a - b : AddRounded<kRounding>(a, -b);
}
template <Rounding kRounding>
EMU_INLINE float Mul(float a, float b) {
  return kRounding == Rounding::kNearest ? a * b : RoundToSingle<kRounding>(static_cast<double>(a) * b, 0);
}
template <Rounding kRounding>
EMU_INLINE float Fma(float a, float b, float c) {
  return kRounding == Rounding::kNearest ? __builtin_fmaf(a, b, c)
                                         : AddRounded<kRounding>(static_cast<double>(a) * b, c);
}

// Double precision in the other roundings, in integers.
inline double FromNumber(const Number& number, Rounding rounding) {
  return std::bit_cast<double>(Pack(kBinary64, number, rounding));
}
inline Number ToNumber(double x) { return Unpack(kBinary64, std::bit_cast<std::uint64_t>(x)); }

template <Rounding kRounding>
EMU_INLINE double Add(double a, double b) {
  const double nearest = KeepNan(a + b, a, b);
  if (kRounding == Rounding::kNearest || nearest != nearest) return nearest;
  return FromNumber(Add(ToNumber(a), ToNumber(b), kRounding), kRounding);
}
template <Rounding kRounding>
EMU_INLINE double Sub(double a, double b) {
  const double nearest = KeepNan(a - b, a, b);
  if (kRounding == Rounding::kNearest || nearest != nearest) return nearest;
  return FromNumber(Add(ToNumber(a), Negate(ToNumber(b)), kRounding), kRounding);
}
template <Rounding kRounding>
EMU_INLINE double Mul(double a, double b) {
  const double nearest = KeepNan(a * b, a, b);
  if (kRounding == Rounding::kNearest || nearest != nearest) return nearest;
  return FromNumber(Multiply(ToNumber(a), ToNumber(b)), kRounding);
}
template <Rounding kRounding>
EMU_INLINE double Fma(double a, double b, double c) {
  const double nearest = __builtin_fma(a, b, c);
  if (nearest != nearest) return kNan64;
  if (kRounding == Rounding::kNearest) return nearest;
  return FromNumber(Add(Multiply(ToNumber(a), ToNumber(b)), ToNumber(c), kRounding), kRounding);
}

// std::integral_constant<Rounding, ...> for a rounding known when lowered.
template <class F>
auto WithRounding(Rounding rounding, F f) {
  switch (rounding) {
    case Rounding::kZero:
      return f(std::integral_constant<Rounding, Rounding::kZero>{});
    case Rounding::kDown:
      return f(std::integral_constant<Rounding, Rounding::kDown>{});
    case Rounding::kUp:
      return f(std::integral_constant<Rounding, Rounding::kUp>{});
    default:
      return f(std::integral_constant<Rounding, Rounding::kNearest>{});
  }
}
template <class F>
auto WithBool(bool value, F f) {
  return value ? f(std::true_type{}) : f(std::false_type{});
}

}  // namespace emu::alu
