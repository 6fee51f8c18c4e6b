// Floating point numbers of any format as integers: exact values, rounded once. For what the host's own arithmetic does
// not do, and as the plain statement of what its fast replacements must give.
#pragma once

#include <cstdint>

namespace emu::alu {

using Wide = unsigned __int128;

// .rn .rz .rm .rp .rna
enum class Rounding : std::uint8_t { kNearest, kZero, kDown, kUp, kAway };

// What the encodings with the largest exponent are.
enum class Top : std::uint8_t {
  kIeee,     // infinity and NaN
  kNan,      // e4m3: numbers, but all ones is NaN
  kNumbers,  // e2m3, e3m2, e2m1: numbers
};

// sign, exponent, mantissa; the exponent's bias is 2^(exponent_bits - 1) - 1.
struct Format {
  int exponent_bits;
  int mantissa_bits;  // without the hidden one
  Top top;
  std::uint64_t nan;  // the NaN that operations deliver

  constexpr int bits() const { return 1 + exponent_bits + mantissa_bits; }
  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr std::uint64_t sign() const { return std::uint64_t{1} << (exponent_bits + mantissa_bits); }
  // Encodings without the sign.
  constexpr std::uint64_t infinity() const {
    return ((std::uint64_t{1} << exponent_bits) - 1) << mantissa_bits;
  }
  constexpr std::uint64_t max() const {
    return top == Top::kIeee ? infinity() - 1 : sign() - (top == Top::kNan ? 2 : 1);
  }
};

// NaN results are 0x7fffffff in single precision (PTX ISA, "Floating Point Instructions"), 0x7fff in half precision and
// bfloat16 and 0x7f in eight bits ("cvt"). For cvt.rn.tf32 an H200 gives 0x7fffe000 (2026-11-21). Formats without NaN give their largest number for it.
inline constexpr Format kBinary64{11, 52, Top::kIeee, 0xfff8'0000'0000'0000};
inline constexpr Format kBinary32{8, 23, Top::kIeee, 0x7fff'ffff};
inline constexpr Format kBinary16{5, 10, Top::kIeee, 0x7fff};
inline constexpr Format kBfloat16{8, 7, Top::kIeee, 0x7fff};
inline constexpr Format kTensor32{8, 10, Top::kIeee, 0x3'ffff};  // 19 bits: of an f32 without its 13 lowest
inline constexpr Format kE5M2{5, 2, Top::kIeee, 0x7f};
inline constexpr Format kE4M3{4, 3, Top::kNan, 0x7f};
inline constexpr Format kE3M2{3, 2, Top::kNumbers, 0x1f};
inline constexpr Format kE2M3{2, 3, Top::kNumbers, 0x1f};
inline constexpr Format kE2M1{2, 1, Top::kNumbers, 0x07};

struct Number {
  enum class Kind : std::uint8_t { kZero, kFinite, kInfinite, kNan };
  Kind kind = Kind::kZero;
  bool negative = false;
  // significand * 2^exponent; significand is not 0 when finite.
  int exponent = 0;
  Wide significand = 0;

  static Number Nan() { return {Kind::kNan}; }
  static Number Zero(bool negative) { return {Kind::kZero, negative}; }
  static Number Infinity(bool negative) { return {Kind::kInfinite, negative}; }
  static Number Integer(bool negative, std::uint64_t magnitude);
};

// Index of the highest bit; value != 0.
int HighestBit(Wide value);
// value >> shift, its lowest bit set when a bit was lost: rounding to fewer bits than are left sees the difference.
Wide ShiftRightSticky(Wide value, int shift);

Number Unpack(const Format& format, std::uint64_t bits);

// What a number beyond the largest becomes, infinity included.
enum class Overflow : std::uint8_t { kIeee, kSaturate };

// Rounded to the format. A significand whose lowest bit is sticky needs two bits more than the format.
std::uint64_t Pack(const Format& format, const Number& number, Rounding rounding,
                   Overflow overflow = Overflow::kIeee);

// Rounded to an integer; infinities and NaN unchanged, zeros keep their sign.
Number RoundToInteger(const Number& number, Rounding rounding);

// Exact results as far as rounding to 53 bits can tell. Zeros and infinities by IEEE 754; `rounding` decides the sign of
// a sum that is zero.
Number Negate(Number a);
Number Add(const Number& a, const Number& b, Rounding rounding);
Number Multiply(const Number& a, const Number& b);
Number Divide(const Number& a, const Number& b);
Number SquareRoot(const Number& a);

}  // namespace emu::alu
