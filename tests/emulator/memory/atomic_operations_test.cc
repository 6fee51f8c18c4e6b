#include "tools/emulator/memory/atomic_operations.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include "tools/emulator/memory/small_float.h"

namespace emu {
namespace {

using ptx::Type;

std::uint64_t Global(const char* operation, Type type, std::uint64_t old, std::uint64_t b, std::uint64_t c = 0,
                     bool noftz = false) {
  const AtomicOperation found = FindAtomicOperation(operation, type, noftz);
  EXPECT_NE(found.global, nullptr) << operation;
  return found.global == nullptr ? 0 : found.global(old, b, c);
}

std::uint32_t Bits(float value) { return std::bit_cast<std::uint32_t>(value); }

TEST(AtomicOperations, IntegersWrapAndCompareAsTheirType) {
  EXPECT_EQ(static_cast<std::uint32_t>(Global("add", Type::kU32, 0xffffffff, 2)), 1u);
  EXPECT_EQ(Global("add", Type::kU64, ~std::uint64_t{0}, 2), 1u);
  EXPECT_EQ(static_cast<std::uint32_t>(Global("min", Type::kU32, 0xffffffff, 1)), 1u);
  EXPECT_EQ(static_cast<std::uint32_t>(Global("min", Type::kS32, 0xffffffff, 1)), 0xffffffffu);
  EXPECT_EQ(static_cast<std::uint32_t>(Global("max", Type::kU32, 0xffffffff, 1)), 0xffffffffu);
  EXPECT_EQ(static_cast<std::uint32_t>(Global("max", Type::kS32, 0xffffffff, 1)), 1u);
  EXPECT_EQ(Global("min", Type::kU64, ~std::uint64_t{0}, 1), 1u);
  EXPECT_EQ(Global("min", Type::kS64, ~std::uint64_t{0}, 1), ~std::uint64_t{0});
  EXPECT_EQ(Global("max", Type::kS64, ~std::uint64_t{0}, 1), 1u);
  EXPECT_EQ(Global("and", Type::kB32, 0b1100, 0b1010), 0b1000u);
  EXPECT_EQ(Global("or", Type::kB64, 0b1100, 0b1010), 0b1110u);
  EXPECT_EQ(Global("xor", Type::kB32, 0b1100, 0b1010), 0b0110u);
  EXPECT_EQ(Global("exch", Type::kB64, 5, 6), 6u);
  EXPECT_EQ(Global("cas", Type::kB32, 5, 5, 7), 7u);
  EXPECT_EQ(Global("cas", Type::kB32, 5, 6, 7), 5u);
  EXPECT_EQ(Global("cas", Type::kB16, 0xffff, 0xffff, 1), 1u);
}

// inc: (r >= s) ? 0 : r + 1; dec: (r == 0 || r > s) ? s : r - 1.
TEST(AtomicOperations, IncrementAndDecrementWrapAtTheBound) {
  EXPECT_EQ(Global("inc", Type::kU32, 3, 5), 4u);
  EXPECT_EQ(Global("inc", Type::kU32, 5, 5), 0u);
  EXPECT_EQ(Global("inc", Type::kU32, 9, 5), 0u);
  EXPECT_EQ(Global("inc", Type::kU32, 0xffffffff, 0xffffffff), 0u);
  EXPECT_EQ(Global("dec", Type::kU32, 3, 5), 2u);
  EXPECT_EQ(Global("dec", Type::kU32, 0, 5), 5u);
  EXPECT_EQ(Global("dec", Type::kU32, 6, 5), 5u);
  EXPECT_EQ(Global("dec", Type::kU32, 5, 5), 4u);
}

TEST(AtomicOperations, FloatAdditionFlushesOnGlobalMemoryOnly) {
  const AtomicOperation add = FindAtomicOperation("add", Type::kF32, false);
  EXPECT_EQ(add.global(Bits(1.5f), Bits(2.25f), 0), Bits(3.75f));
  EXPECT_EQ(add.shared(Bits(1.5f), Bits(2.25f), 0), Bits(3.75f));
  EXPECT_EQ(add.shared(1, 1, 0), 2u);
  EXPECT_EQ(add.global(1, 1, 0), 0u);
  EXPECT_EQ(add.global(0x80000001, 0x80000001, 0), 0x80000000u);
  EXPECT_EQ(add.global(Bits(1.0f), 1, 0), Bits(1.0f));
  // The difference of two normal numbers is subnormal.
  EXPECT_EQ(add.shared(0x00800001, 0x80800000, 0), 1u);
  EXPECT_EQ(add.global(0x00800001, 0x80800000, 0), 0u);
  EXPECT_EQ(add.global(0x7f800000, 0xff800000, 0), 0x7fffffffu);
}

TEST(AtomicOperations, DoubleAddition) {
  const auto sum =
      Global("add", Type::kF64, std::bit_cast<std::uint64_t>(0.1), std::bit_cast<std::uint64_t>(0.2));
  EXPECT_EQ(std::bit_cast<double>(sum), 0.1 + 0.2);
}

// The value of every pattern from the definition, in long double.
long double Value(std::uint32_t bits, int exponent_bits, int fraction_bits) {
  const std::uint32_t exponent = bits >> fraction_bits & ((1u << exponent_bits) - 1);
  const std::uint32_t fraction = bits & ((1u << fraction_bits) - 1);
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const long double scaled = fraction / static_cast<long double>(1u << fraction_bits);
  const long double magnitude = exponent == 0
                                    ? scaled * std::pow(2.0L, 1 - bias)
                                    : (1 + scaled) * std::pow(2.0L, static_cast<int>(exponent) - bias);
  return bits >> 15 != 0 ? -magnitude : magnitude;
}

template <class Format>
void CheckEveryPattern(int exponent_bits, int fraction_bits) {
  const std::uint32_t infinity = ((1u << exponent_bits) - 1) << fraction_bits;
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const double decoded = Format::Decode(static_cast<std::uint16_t>(bits));
    const std::uint32_t magnitude = bits & 0x7fff;
    if (magnitude > infinity) {
      ASSERT_TRUE(std::isnan(decoded));
      continue;
    }
    if (magnitude < infinity) {
      ASSERT_EQ(decoded, static_cast<double>(Value(bits, exponent_bits, fraction_bits)));
    }
    ASSERT_EQ(Format::Encode(decoded), bits);
    if (magnitude + 1 >= infinity) continue;
    // Between two neighbours: the nearer one, at the middle the even one.
    const double next = Format::Decode(static_cast<std::uint16_t>(bits + 1));
    const double middle = (decoded + next) / 2;
    ASSERT_EQ(Format::Encode(middle), bits % 2 == 0 ? bits : bits + 1) << bits;
    ASSERT_EQ(Format::Encode(std::nextafter(middle, decoded)), bits) << bits;
    ASSERT_EQ(Format::Encode(std::nextafter(middle, next)), bits + 1) << bits;
  }
}

TEST(SmallFloat, EveryPatternAndEveryMiddle) {
  CheckEveryPattern<HalfFormat>(5, 10);
  CheckEveryPattern<BFloatFormat>(8, 7);
}

TEST(SmallFloat, OverflowsToInfinity) {
  EXPECT_EQ(HalfFormat::Encode(65504), 0x7bff);
  EXPECT_EQ(HalfFormat::Encode(65519.999), 0x7bff);
  EXPECT_EQ(HalfFormat::Encode(65520), 0x7c00);
  EXPECT_EQ(HalfFormat::Encode(-1e300), 0xfc00);
  EXPECT_EQ(BFloatFormat::Encode(3.4e38), 0x7f80);
  EXPECT_EQ(HalfFormat::Encode(std::nan("")), 0x7fff);
}

TEST(AtomicOperations, SixteenBitFloats) {
  // 1 + 2^-11 is the middle between 1 and its neighbour: to even.
  EXPECT_EQ(Global("add", Type::kF16, 0x3c00, 0x1000, 0, true), 0x3c00u);
  EXPECT_EQ(Global("add", Type::kF16, 0x3c01, 0x1000, 0, true), 0x3c02u);
  EXPECT_EQ(Global("add", Type::kF16, 0x0001, 0x0001, 0, true), 0x0002u);
  EXPECT_EQ(Global("add", Type::kBF16, 0x3f80, 0x4000, 0, true), 0x4040u);
  EXPECT_EQ(Global("add", Type::kF16x2, 0x3c00'4000, 0x3c00'3c00, 0, true), 0x4000'4200u);
  EXPECT_EQ(Global("add", Type::kBF16x2, 0x3f80'bf80, 0x3f80'3f80, 0, true), 0x4000'0000u);
  EXPECT_EQ(Global("min", Type::kF16, 0x7e00, 0x3c00, 0, true), 0x3c00u);
  EXPECT_EQ(Global("max", Type::kF16, 0x3c00, 0x7e00, 0, true), 0x3c00u);
  EXPECT_EQ(Global("max", Type::kF16, 0xfe00, 0x7e00, 0, true), 0x7fffu);
  EXPECT_EQ(Global("min", Type::kBF16x2, 0x0000'3f80, 0x8000'4000, 0, true), 0x8000'3f80u);
  EXPECT_EQ(Global("max", Type::kBF16x2, 0x8000'3f80, 0x0000'4000, 0, true), 0x0000'4000u);
}

TEST(AtomicOperations, OnlyThoseOfTheIsa) {
  const auto none = [](const char* operation, Type type, bool noftz = false) {
    return FindAtomicOperation(operation, type, noftz).global == nullptr;
  };
  EXPECT_TRUE(none("add", Type::kB32));
  EXPECT_TRUE(none("add", Type::kF16));
  EXPECT_TRUE(none("add", Type::kU32, true));
  EXPECT_TRUE(none("inc", Type::kU64));
  EXPECT_TRUE(none("dec", Type::kS32));
  EXPECT_TRUE(none("min", Type::kF32));
  EXPECT_TRUE(none("exch", Type::kU32));
  EXPECT_TRUE(none("exch", Type::kB16));
  EXPECT_TRUE(none("and", Type::kU32));
  EXPECT_TRUE(none("cas", Type::kF32));
  EXPECT_TRUE(none("add", Type::kU8));
  EXPECT_TRUE(none("nonsense", Type::kU32));
  EXPECT_FALSE(FindAtomicOperation("min", Type::kF16, true).scalar);
  EXPECT_TRUE(FindAtomicOperation("min", Type::kF16, true).vector);
  EXPECT_FALSE(FindAtomicOperation("add", Type::kU32, false).vector);
}

}  // namespace
}  // namespace emu
