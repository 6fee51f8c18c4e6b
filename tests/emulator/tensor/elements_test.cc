#include "tools/emulator/tensor/elements.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "tests/emulator/tensor/values.h"

namespace emu {
namespace {

using testing::DecodeType;

double One(Element type, std::uint64_t bits) {
  // Eight elements, so that the small types fill bytes.
  std::uint64_t many[8] = {};
  std::memcpy(many, &bits, 8);
  double out[8];
  ToDoubles(type, many, 8, out);
  return out[0];
}

void ExpectSame(double got, double expected, std::uint64_t bits) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(got)) << bits;
  } else {
    EXPECT_EQ(got, expected) << bits;
    EXPECT_EQ(std::signbit(got), std::signbit(expected)) << bits;
  }
}

TEST(Elements, EveryPatternOfTheShortFloats) {
  for (std::uint64_t bits = 0; bits < 65536; ++bits) {
    ExpectSame(One(Element::kF16, bits), DecodeType("f16", bits), bits);
    ExpectSame(One(Element::kBF16, bits), DecodeType("bf16", bits), bits);
  }
  for (std::uint64_t bits = 0; bits < 256; ++bits) {
    ExpectSame(One(Element::kE4M3, bits), DecodeType("e4m3", bits), bits);
    ExpectSame(One(Element::kE5M2, bits), DecodeType("e5m2", bits), bits);
    ExpectSame(One(Element::kS8, bits), DecodeType("s8", bits), bits);
    ExpectSame(One(Element::kU8, bits), DecodeType("u8", bits), bits);
  }
  EXPECT_EQ(One(Element::kE4M3, 0x7e), 448);
  EXPECT_TRUE(std::isnan(One(Element::kE4M3, 0x7f)));
  EXPECT_EQ(One(Element::kE5M2, 0x7c), std::numeric_limits<double>::infinity());
}

TEST(Elements, Tf32IgnoresTheLowBits) {
  EXPECT_EQ(One(Element::kTF32, 0x3f800000), 1);
  EXPECT_EQ(One(Element::kTF32, 0x3f801fff), 1);
  EXPECT_EQ(One(Element::kTF32, 0x3f802000), 1 + 0x1p-10);
  EXPECT_EQ(One(Element::kTF32, 0xbf803fff), -(1 + 0x1p-10));
  EXPECT_TRUE(std::isnan(One(Element::kTF32, 0x7f800001)));
  EXPECT_EQ(One(Element::kTF32, 0xff800000), -std::numeric_limits<double>::infinity());
}

TEST(Elements, PackedSmallTypes) {
  const std::uint32_t nibbles = 0xfedc8721;
  double out[8];
  ToDoubles(Element::kU4, &nibbles, 8, out);
  const double u4[] = {1, 2, 7, 8, 12, 13, 14, 15}, s4[] = {1, 2, 7, -8, -4, -3, -2, -1};
  for (int i = 0; i < 8; ++i) EXPECT_EQ(out[i], u4[i]);
  ToDoubles(Element::kS4, &nibbles, 8, out);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(out[i], s4[i]);
  const std::uint8_t byte = 0xa5;
  ToDoubles(Element::kB1, &byte, 8, out);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(out[i], 0xa5 >> i & 1);
}

TEST(Elements, ManyAtOddAddresses) {
  std::uint8_t bytes[1 + 2 * 200];
  for (std::size_t i = 0; i < sizeof(bytes); ++i) bytes[i] = static_cast<std::uint8_t>(i * 37);
  double out[200];
  ToDoubles(Element::kF16, bytes + 1, 200, out);
  for (std::size_t i = 0; i < 200; ++i) {
    ExpectSame(out[i], DecodeType("f16", bytes[1 + 2 * i] | std::uint64_t{bytes[2 + 2 * i]} << 8), i);
  }
}

TEST(Elements, RoundsToF16) {
  for (std::uint64_t bits = 0; bits < 65536; ++bits) {
    const double value = DecodeType("f16", bits);
    if (std::isnan(value)) {
      EXPECT_EQ(ToF16(value), 0x7fff);
      continue;
    }
    EXPECT_EQ(ToF16(value), bits);
    // Between this number and the next one away from zero: the middle goes to the even one.
    if ((bits & 0x7fff) >= 0x7bff) continue;
    const double next = DecodeType("f16", bits + 1), middle = (value + next) / 2;
    EXPECT_EQ(ToF16(middle), (bits & 1) == 0 ? bits : bits + 1) << bits;
    EXPECT_EQ(ToF16(std::nextafter(middle, value)), bits) << bits;
    EXPECT_EQ(ToF16(std::nextafter(middle, next)), bits + 1) << bits;
  }
  EXPECT_EQ(ToF16(65519.99), 0x7bff);
  EXPECT_EQ(ToF16(65520), 0x7c00);
  EXPECT_EQ(ToF16(-1e300), 0xfc00);
  EXPECT_EQ(ToF16(0x1p-25), 0);
  EXPECT_EQ(ToF16(-0.0), 0x8000);
}

TEST(Elements, RoundsToF32) {
  EXPECT_EQ(ToF32(1.5), 0x3fc00000u);
  EXPECT_EQ(ToF32(1 + 0x1p-24), 0x3f800000u);
  EXPECT_EQ(ToF32(1 + 0x1.8p-23), 0x3f800002u);
  EXPECT_EQ(ToF32(1e300), 0x7f800000u);
  EXPECT_EQ(ToF32(-std::numeric_limits<double>::infinity()), 0xff800000u);
  EXPECT_EQ(ToF32(-std::nan("")), 0x7fffffffu);
}

}  // namespace
}  // namespace emu
