#include "tools/emulator/alu/convert.h"

namespace emu::alu {
namespace {

using Kind = Number::Kind;
using ptx::Type;

std::uint64_t Ones(int bits) { return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1; }

std::uint64_t Extend(const Side& side, std::uint64_t bits) {
  bits &= Ones(side.bits);
  const std::uint64_t sign = side.is_signed ? std::uint64_t{1} << (side.bits - 1) : 0;
  return (bits ^ sign) - sign;
}

Number Read(const Conversion& c, std::uint64_t raw) {
  const Side& side = c.from;
  raw &= Ones(side.bits);
  if (side.scale)
    return raw == 255 ? Number::Nan() : Number{Kind::kFinite, false, static_cast<int>(raw) - 127, 1};
  if (side.format == nullptr) {
    const std::uint64_t value = Extend(side, raw);
    const bool negative = side.is_signed && static_cast<std::int64_t>(value) < 0;
    return Number::Integer(negative, negative ? 0 - value : value);
  }
  const Number number = Unpack(*side.format, raw);
  const bool subnormal = (raw & side.format->infinity()) == 0;
  return c.flush && side.format == &kBinary32 && subnormal ? Number::Zero(number.negative) : number;
}

// Clamped to the type; `number` is an integer.
std::uint64_t ToInteger(const Conversion& c, const Number& number) {
  const Side& side = c.to;
  if (number.kind == Kind::kNan) return Extend(side, c.nan);
  if (number.kind == Kind::kZero) return 0;
  const std::uint64_t highest = side.is_signed ? Ones(side.bits) >> 1 : Ones(side.bits);
  const std::uint64_t lowest = side.is_signed ? highest + 1 : 0;  // its magnitude
  const std::uint64_t limit = number.negative ? lowest : highest;
  std::uint64_t magnitude = limit;
  if (number.kind == Kind::kFinite && HighestBit(number.significand) + number.exponent < 64) {
    const Wide value = number.exponent >= 0 ? number.significand << number.exponent : number.significand;
    if (value < limit) magnitude = static_cast<std::uint64_t>(value);
  }
  return Extend(side, number.negative ? 0 - magnitude : magnitude);
}

// ue8m0 has no sign: the power of two by the magnitude.
std::uint64_t ToScale(const Conversion& c, const Number& number) {
  if (number.kind == Kind::kNan) return 255;
  if (number.kind == Kind::kZero) return 0;
  if (number.kind == Kind::kInfinite) return c.finite ? 254 : 255;
  const int top = HighestBit(number.significand);
  const bool exact = (number.significand & ((Wide{1} << top) - 1)) == 0;
  const int exponent = top + number.exponent + (!exact && c.rounding == Rounding::kUp) + 127;
  if (exponent > 254) return c.finite ? 254 : 255;
  return exponent < 0 ? 0 : static_cast<std::uint64_t>(exponent);
}

std::uint64_t ToFloat(const Conversion& c, const Number& number) {
  const Format& format = *c.to.format;
  if (c.relu && number.negative && number.kind != Kind::kNan) return 0;
  std::uint64_t bits = Pack(format, number, c.rounding, c.finite ? Overflow::kSaturate : Overflow::kIeee);
  const bool subnormal = (bits & format.infinity()) == 0;
  if (c.flush && &format == &kBinary32 && subnormal) bits &= format.sign();
  if (c.saturate) {
    const auto one = static_cast<std::uint64_t>(format.bias()) << format.mantissa_bits;
    if (number.kind == Kind::kNan || (bits & format.sign()) != 0) return 0;
    if (bits > one) return one;
  }
  // TF32 is kept where a single is.
  return &format == &kTensor32 ? bits << 13 : bits;
}

// An H200 keeps the sign and the payload of NaN in two conversions (2026-11-21, every NaN of bfloat16): cvt.f32.bf16 moves
// the bits up, cvt.rna.tf32.f32 cuts the low 13 bits off. Where nothing else is left of the payload, the cut makes an
// infinity: no such NaN was tried.
bool KeepsNan(const Conversion& c) {
  if (c.from.format == &kBfloat16 && c.to.format == &kBinary32) return !c.saturate;
  return c.to.format == &kTensor32 && c.rounding == Rounding::kAway && !c.finite;
}
std::uint64_t KeptNan(const Conversion& c, std::uint64_t raw) {
  return c.from.format == &kBfloat16 ? (raw & Ones(16)) << 16 : raw & 0xffff'e000;
}

}  // namespace

Side SideOf(Type type) {
  if (type >= Type::kU8 && type <= Type::kS64) {
    return {nullptr, type >= Type::kS8, false, 8 * static_cast<int>(ptx::SizeOf(type))};
  }
  switch (type) {
    case Type::kF16:
    case Type::kF16x2:
      return {&kBinary16, false, false, 16};
    case Type::kBF16:
    case Type::kBF16x2:
      return {&kBfloat16, false, false, 16};
    case Type::kTF32:
      return {&kTensor32, false, false, 32};
    case Type::kF32:
      return {&kBinary32, false, false, 32};
    case Type::kF64:
      return {&kBinary64, false, false, 64};
    case Type::kE4M3x2:
      return {&kE4M3, false, false, 8};
    case Type::kE5M2x2:
      return {&kE5M2, false, false, 8};
    case Type::kE2M3x2:
      return {&kE2M3, false, false, 8};
    case Type::kE3M2x2:
      return {&kE3M2, false, false, 8};
    case Type::kE2M1x2:
      return {&kE2M1, false, false, 4};
    case Type::kUE8M0x2:
      return {nullptr, false, true, 8};
    default:
      return {};
  }
}

std::uint64_t Convert(const Conversion& c, std::uint64_t raw) {
  if (c.from.format == nullptr && !c.from.scale && c.to.format == nullptr && !c.to.scale && !c.saturate) {
    return Extend(c.to, Extend(c.from, raw));
  }
  Number number = Read(c, raw);
  if (number.kind == Kind::kNan && KeepsNan(c)) return KeptNan(c, raw);
  if (c.to_integer) number = RoundToInteger(number, c.rounding);
  if (c.to.scale) return ToScale(c, number);
  return c.to.format == nullptr ? ToInteger(c, number) : ToFloat(c, number);
}

}  // namespace emu::alu
