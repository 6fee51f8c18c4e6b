#include "tools/emulator/alu/format.h"

#include <algorithm>

namespace emu::alu {
namespace {

using Kind = Number::Kind;

constexpr int kWideBits = 128;

// Whether `kept`, to which `rest` (of 2^shift) must be rounded, is to grow by one.
bool RoundsUp(bool negative, bool odd, Wide rest, int shift, Rounding rounding) {
  if (rest == 0) return false;
  switch (rounding) {
    case Rounding::kZero:
      return false;
    case Rounding::kDown:
      return negative;
    case Rounding::kUp:
      return !negative;
    case Rounding::kNearest:
    case Rounding::kAway:
      break;
  }
  if (shift > kWideBits) return false;
  const Wide half = Wide{1} << (shift - 1);
  if (rest != half) return rest > half;
  return rounding == Rounding::kAway || odd;
}

// number / 2^quantum, rounded. Its significand must reach less than 2^127 units.
Wide RoundToMultiple(const Number& number, int quantum, Rounding rounding) {
  const int shift = quantum - number.exponent;
  if (shift <= 0) return number.significand << -shift;
  const Wide kept = shift >= kWideBits ? 0 : number.significand >> shift;
  const Wide rest = shift >= kWideBits ? number.significand : number.significand & ((Wide{1} << shift) - 1);
  return kept + RoundsUp(number.negative, kept & 1, rest, shift, rounding);
}

std::uint64_t Overflowed(const Format& format, bool negative, Rounding rounding, Overflow overflow) {
  const bool toward_zero =
      rounding == Rounding::kZero || rounding == (negative ? Rounding::kUp : Rounding::kDown);
  if (overflow == Overflow::kSaturate || format.top == Top::kNumbers || toward_zero) return format.max();
  return format.top == Top::kIeee ? format.infinity() : format.nan;
}

}  // namespace

Number Number::Integer(bool negative, std::uint64_t magnitude) {
  if (magnitude == 0) return Zero(false);
  return {Kind::kFinite, negative, 0, magnitude};
}

int HighestBit(Wide value) {
  const auto high = static_cast<std::uint64_t>(value >> 64);
  const auto low = static_cast<std::uint64_t>(value);
  return high != 0 ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll(low);
}

Wide ShiftRightSticky(Wide value, int shift) {
  if (shift <= 0) return value;
  if (shift >= kWideBits) return value != 0;
  return value >> shift | ((value & ((Wide{1} << shift) - 1)) != 0);
}

Number Unpack(const Format& format, std::uint64_t bits) {
  const bool negative = (bits & format.sign()) != 0;
  const std::uint64_t magnitude = bits & (format.sign() - 1);
  if (magnitude == 0) return Number::Zero(negative);
  if (magnitude > format.max()) {
    if (format.top == Top::kIeee && magnitude == format.infinity()) return Number::Infinity(negative);
    return Number::Nan();
  }
  const auto field = static_cast<int>(magnitude >> format.mantissa_bits);
  const std::uint64_t hidden = std::uint64_t{1} << format.mantissa_bits;
  const std::uint64_t mantissa = magnitude & (hidden - 1);
  const int exponent = std::max(field, 1) - format.bias() - format.mantissa_bits;
  return {Kind::kFinite, negative, exponent, field == 0 ? mantissa : mantissa | hidden};
}

std::uint64_t Pack(const Format& format, const Number& number, Rounding rounding, Overflow overflow) {
  if (number.kind == Kind::kNan) return format.nan;
  const std::uint64_t sign = number.negative ? format.sign() : 0;
  if (number.kind == Kind::kZero) return sign;
  if (number.kind == Kind::kInfinite) {
    if (overflow == Overflow::kIeee && format.top == Top::kIeee) return sign | format.infinity();
    return sign | Overflowed(format, number.negative, Rounding::kNearest, overflow);
  }
  const int lowest = 1 - format.bias();  // exponent of the smallest normal number
  const int exponent = std::max(HighestBit(number.significand) + number.exponent, lowest);
  if (exponent > format.bias() + 1) return sign | Overflowed(format, number.negative, rounding, overflow);
  const Wide units = RoundToMultiple(number, exponent - format.mantissa_bits, rounding);
  // A subnormal has no hidden one; a mantissa that grew beyond its bits moves on to the next exponent by itself.
  const std::uint64_t magnitude = (static_cast<std::uint64_t>(exponent - lowest) << format.mantissa_bits) +
                                  static_cast<std::uint64_t>(units);
  if (magnitude > format.max()) return sign | Overflowed(format, number.negative, rounding, overflow);
  return sign | magnitude;
}

Number RoundToInteger(const Number& number, Rounding rounding) {
  if (number.kind != Kind::kFinite || number.exponent >= 0) return number;
  const Wide units = RoundToMultiple(number, 0, rounding);
  if (units == 0) return Number::Zero(number.negative);
  return {Kind::kFinite, number.negative, 0, units};
}

Number Negate(Number a) {
  a.negative = !a.negative;
  return a;
}

// The larger operand is moved up to bit 125: two bits are left for the carry. What the smaller one loses on its way down
// is kept as a sticky bit; a loss means that the operands are so far apart that at most one leading bit cancels.
Number Add(const Number& a, const Number& b, Rounding rounding) {
  if (a.kind == Kind::kNan || b.kind == Kind::kNan) return Number::Nan();
  if (a.kind == Kind::kInfinite || b.kind == Kind::kInfinite) {
    if (a.kind == b.kind && a.negative != b.negative) return Number::Nan();
    return a.kind == Kind::kInfinite ? a : b;
  }
  const bool down = rounding == Rounding::kDown;
  if (a.kind == Kind::kZero && b.kind == Kind::kZero) {
    return Number::Zero(down ? a.negative || b.negative : a.negative && b.negative);
  }
  if (a.kind == Kind::kZero) return b;
  if (b.kind == Kind::kZero) return a;

  const int top_a = HighestBit(a.significand), top_b = HighestBit(b.significand);
  const bool a_first = a.exponent + top_a >= b.exponent + top_b;
  const Number& large = a_first ? a : b;
  const Number& small = a_first ? b : a;
  const int up = 125 - (a_first ? top_a : top_b);
  const int exponent = large.exponent - up;
  const Wide first = large.significand << up;
  const int shift = exponent - small.exponent;
  const Wide second = shift >= 0 ? ShiftRightSticky(small.significand, shift) : small.significand << -shift;
  if (large.negative == small.negative) return {Kind::kFinite, large.negative, exponent, first + second};
  if (first == second) return Number::Zero(down);
  const bool negative = first > second ? large.negative : small.negative;
  return {Kind::kFinite, negative, exponent, first > second ? first - second : second - first};
}

Number Multiply(const Number& a, const Number& b) {
  if (a.kind == Kind::kNan || b.kind == Kind::kNan) return Number::Nan();
  const bool negative = a.negative != b.negative;
  if (a.kind == Kind::kInfinite || b.kind == Kind::kInfinite) {
    if (a.kind == Kind::kZero || b.kind == Kind::kZero) return Number::Nan();
    return Number::Infinity(negative);
  }
  if (a.kind == Kind::kZero || b.kind == Kind::kZero) return Number::Zero(negative);
  return {Kind::kFinite, negative, a.exponent + b.exponent, a.significand * b.significand};
}

Number Divide(const Number& a, const Number& b) {
  if (a.kind == Kind::kNan || b.kind == Kind::kNan) return Number::Nan();
  const bool negative = a.negative != b.negative;
  if (a.kind == Kind::kInfinite) return b.kind == Kind::kInfinite ? Number::Nan() : Number::Infinity(negative);
  if (b.kind == Kind::kInfinite) return Number::Zero(negative);
  if (b.kind == Kind::kZero) return a.kind == Kind::kZero ? Number::Nan() : Number::Infinity(negative);
  if (a.kind == Kind::kZero) return Number::Zero(negative);
  const int up = 126 - HighestBit(a.significand);
  const Wide dividend = a.significand << up;
  const Wide quotient = dividend / b.significand;
  const bool inexact = quotient * b.significand != dividend;
  return {Kind::kFinite, negative, a.exponent - up - b.exponent, quotient | inexact};
}

Number SquareRoot(const Number& a) {
  if (a.kind == Kind::kNan || a.kind == Kind::kZero) return a;
  if (a.negative) return Number::Nan();
  if (a.kind == Kind::kInfinite) return a;
  int up = 125 - HighestBit(a.significand);
  if ((a.exponent - up) % 2 != 0) --up;
  const Wide square = a.significand << up;
  Wide root = 0;
  for (int bit = 62; bit >= 0; --bit) {
    const Wide next = root | Wide{1} << bit;
    if (next * next <= square) root = next;
  }
  // One bit more for what is left: the root has 63 bits, a format 53 at most.
  return {Kind::kFinite, false, (a.exponent - up) / 2 - 1, root << 1 | (root * root != square)};
}

}  // namespace emu::alu
