#include "tools/emulator/tensor/elements.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace emu {

namespace {

constexpr struct {
  const char* name;
  Element type;
} kNames[] = {{"f16", Element::kF16},   {"bf16", Element::kBF16}, {"tf32", Element::kTF32},
              {"f32", Element::kF32},   {"f64", Element::kF64},   {"e4m3", Element::kE4M3},
              {"e5m2", Element::kE5M2}, {"s8", Element::kS8},     {"u8", Element::kU8},
              {"s4", Element::kS4},     {"u4", Element::kU4},     {"b1", Element::kB1},
              {"s32", Element::kS32}};

// A binary float of `exponent` and `mantissa` bits with a sign. `finite_only`: the highest exponent has numbers too, and
// only all ones is NaN (e4m3); else it has infinities and NaNs (IEEE 754).
double Decode(std::uint32_t bits, int exponent, int mantissa, bool finite_only) {
  const bool negative = (bits >> (exponent + mantissa) & 1) != 0;
  const std::uint32_t e = bits >> mantissa & ((1u << exponent) - 1);
  const std::uint32_t m = bits & ((1u << mantissa) - 1);
  const std::uint32_t top = (1u << exponent) - 1;
  const int bias = (1 << (exponent - 1)) - 1;
  double value = 0;
  if (e == top && (finite_only ? m == (1u << mantissa) - 1 : m != 0)) {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (e == top && !finite_only) {
    value = std::numeric_limits<double>::infinity();
  } else if (e == 0) {
    value = std::ldexp(m, 1 - bias - mantissa);
  } else {
    value = std::ldexp(m | 1u << mantissa, static_cast<int>(e) - bias - mantissa);
  }
  return negative ? -value : value;
}

std::array<float, 256> Table8(int exponent, int mantissa, bool finite_only) {
  std::array<float, 256> table;
  for (std::uint32_t i = 0; i < 256; ++i)
    table[i] = static_cast<float>(Decode(i, exponent, mantissa, finite_only));
  return table;
}

// Branch-free, so that a loop over it becomes vector code.
inline float FromF16(std::uint16_t half) {
  const std::uint32_t magnitude = half & 0x7fffu;
  const float normal = std::bit_cast<float>((magnitude << 13) + (112u << 23));
  const float subnormal = static_cast<float>(static_cast<std::int32_t>(magnitude)) * 0x1p-24f;
  const float special = std::bit_cast<float>((magnitude << 13) | 0x7f800000u);
  const float value = magnitude < 0x400u ? subnormal : magnitude >= 0x7c00u ? special : normal;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | (half & 0x8000u) << 16);
}

inline float FromTF32(std::uint32_t bits) {
  const std::uint32_t cut = bits & 0xffffe000u;
  return std::bit_cast<float>((bits & 0x7fffffffu) > 0x7f800000u ? cut | 0x00400000u : cut);
}

// Stored applied to each of `count` values of type Stored at `from`.
template <class Stored, class Convert>
void Each8(const void* from, int count, double* to, Convert convert) {
  constexpr int kChunk = 64;
  Stored chunk[kChunk];
  for (int done = 0; done < count; done += kChunk) {
    const int part = count - done < kChunk ? count - done : kChunk;
    std::memcpy(chunk, static_cast<const char*>(from) + static_cast<std::size_t>(done) * sizeof(Stored),
                static_cast<std::size_t>(part) * sizeof(Stored));
    for (int i = 0; i < part; ++i) to[done + i] = convert(chunk[i]);
  }
}

}  // namespace

bool ParseElement(const char* name, Element* type) {
  for (const auto& known : kNames) {
    if (std::strcmp(known.name, name) != 0) continue;
    *type = known.type;
    return true;
  }
  return false;
}

const char* ToString(Element type) {
  for (const auto& known : kNames) {
    if (known.type == type) return known.name;
  }
  return "?";
}

void ToDoubles(Element type, const void* from, int count, double* to) {
  static const std::array<float, 256> e4m3 = Table8(4, 3, true), e5m2 = Table8(5, 2, false);
  switch (type) {
    case Element::kF16:
      return Each8<std::uint16_t>(from, count, to, FromF16);
    case Element::kBF16:
      return Each8<std::uint16_t>(from, count, to,
                                  [](std::uint32_t x) { return std::bit_cast<float>(x << 16); });
    case Element::kTF32:
      return Each8<std::uint32_t>(from, count, to, FromTF32);
    case Element::kF32:
      return Each8<float>(from, count, to, [](float x) { return x; });
    case Element::kF64:
      return Each8<double>(from, count, to, [](double x) { return x; });
    case Element::kE4M3:
      return Each8<std::uint8_t>(from, count, to, [](std::uint8_t x) { return e4m3[x]; });
    case Element::kE5M2:
      return Each8<std::uint8_t>(from, count, to, [](std::uint8_t x) { return e5m2[x]; });
    case Element::kS8:
      return Each8<std::int8_t>(from, count, to, [](std::int8_t x) { return x; });
    case Element::kU8:
      return Each8<std::uint8_t>(from, count, to, [](std::uint8_t x) { return x; });
    case Element::kS32:
      return Each8<std::int32_t>(from, count, to, [](std::int32_t x) { return x; });
    case Element::kS4:
    case Element::kU4:
      for (int i = 0; i < count; ++i) {
        const int nibble = static_cast<const std::uint8_t*>(from)[i / 2] >> (i % 2 * 4) & 15;
        to[i] = type == Element::kS4 && nibble >= 8 ? nibble - 16 : nibble;
      }
      return;
    case Element::kB1:
      for (int i = 0; i < count; ++i) to[i] = static_cast<const std::uint8_t*>(from)[i / 8] >> (i % 8) & 1;
      return;
  }
}

std::uint32_t ToF32(double value) {
  if (std::isnan(value)) return 0x7fffffffu;
  return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

std::uint16_t ToF16(double value) {
  if (std::isnan(value)) return 0x7fff;
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  if (magnitude >= 65520) return sign | 0x7c00;  // rounds to 2^16 or more
  // Below 2^-14 the unit is 2^-24, which is the last place of doubles between 2^28 and 2^29.
  if (magnitude < 0x1p-14) {
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint64_t>(magnitude + 0x1p28) & 0x7ff));
  }
  // 42 bits of the fraction go; a carry out of it goes into the exponent, as it should.
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(magnitude);
  const std::uint64_t rounded = (bits + 0x1ff'ffff'ffffu + (bits >> 42 & 1)) >> 42;
  return static_cast<std::uint16_t>(sign | (rounded - ((1023 - 15) << 10)));
}

}  // namespace emu
