#include "tests/support/numerics.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace gemm::tests {
namespace {

// The value of a 16-bit pattern by its definition; not for infinities and NaN.
double Decode(std::uint16_t bits, int exponent_bits) {
  const int fraction_bits = 15 - exponent_bits;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = (bits >> fraction_bits) & ((1 << exponent_bits) - 1);
  const int fraction = bits & ((1 << fraction_bits) - 1);
  const double magnitude = exponent == 0
                               ? std::ldexp(fraction, 1 - bias - fraction_bits)
                               : std::ldexp((1 << fraction_bits) + fraction, exponent - bias - fraction_bits);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

struct Format {
  const char* name;
  int exponent_bits;
  float (*to_float)(std::uint16_t);
  std::uint16_t (*from_float)(float);
  DataType type;
  std::uint16_t infinity;
};

class NumericsTest : public ::testing::TestWithParam<Format> {};

TEST_P(NumericsTest, EveryPatternDecodesByDefinitionAndComesBack) {
  const Format& f = GetParam();
  for (std::uint32_t pattern = 0; pattern < 0x10000; ++pattern) {
    const auto bits = static_cast<std::uint16_t>(pattern);
    const float value = f.to_float(bits);
    const std::uint16_t magnitude = bits & 0x7fff;
    if (magnitude > f.infinity) {
      EXPECT_TRUE(std::isnan(value)) << bits;
      EXPECT_GT(f.from_float(value) & 0x7fff, f.infinity) << bits;
      EXPECT_EQ(f.from_float(value) & 0x8000, bits & 0x8000) << bits;
      continue;
    }
    if (magnitude == f.infinity) {
      EXPECT_TRUE(std::isinf(value)) << bits;
    } else {
      ASSERT_EQ(static_cast<double>(value), Decode(bits, f.exponent_bits)) << bits;
    }
    ASSERT_EQ(f.from_float(value), bits);
  }
}

// Rounding is decided by the middles between neighbours: all of them, and the floats beside them, with either
// sign.
TEST_P(NumericsTest, RoundsToNearestEvenAtEveryBoundary) {
  const Format& f = GetParam();
  for (std::uint16_t low = 0; low < f.infinity; ++low) {
    const auto high = static_cast<std::uint16_t>(low + 1);
    const double from = Decode(low, f.exponent_bits);
    // Beyond the largest number the next one would be where infinity's pattern decodes to.
    const double to = Decode(high, f.exponent_bits);
    const auto middle = static_cast<float>((from + to) / 2);
    ASSERT_EQ(static_cast<double>(middle), (from + to) / 2);
    const std::uint16_t even = (low & 1) == 0 ? low : high;
    ASSERT_EQ(f.from_float(middle), even) << low;
    ASSERT_EQ(f.from_float(-middle), even | 0x8000) << low;
    ASSERT_EQ(f.from_float(std::nextafter(middle, 0.0f)), low) << low;
    ASSERT_EQ(f.from_float(std::nextafter(middle, std::numeric_limits<float>::infinity())), high) << low;
  }
}

TEST_P(NumericsTest, FloatsBeyondTheRangeBecomeInfinity) {
  const Format& f = GetParam();
  EXPECT_EQ(f.from_float(std::numeric_limits<float>::max()), f.infinity);
  EXPECT_EQ(f.from_float(-std::numeric_limits<float>::infinity()), f.infinity | 0x8000);
  EXPECT_EQ(f.from_float(-0.0f), 0x8000);
}

TEST_P(NumericsTest, ConstantsFollowFromTheFormat) {
  const Format& f = GetParam();
  EXPECT_EQ(MaxFinite(f.type), Decode(static_cast<std::uint16_t>(f.infinity - 1), f.exponent_bits));
  EXPECT_EQ(SmallestSubnormal(f.type), Decode(1, f.exponent_bits));
  EXPECT_EQ(UnitRoundoff(f.type), std::ldexp(1.0, -(16 - f.exponent_bits)));
  EXPECT_TRUE(std::isnan(f.to_float(static_cast<std::uint16_t>(PoisonBits(f.type)))));
}

INSTANTIATE_TEST_SUITE_P(Formats, NumericsTest,
                         ::testing::Values(Format{"fp16", 5, HalfToFloat, FloatToHalf, DataType::kFP16, 0x7c00},
                                           Format{"bf16", 8, BFloat16ToFloat, FloatToBFloat16, DataType::kBF16,
                                                  0x7f80}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Numerics, SinglePrecisionConstants) {
  EXPECT_EQ(MaxFinite(DataType::kFP32), std::numeric_limits<float>::max());
  EXPECT_EQ(SmallestSubnormal(DataType::kFP32), std::numeric_limits<float>::denorm_min());
  EXPECT_EQ(UnitRoundoff(DataType::kFP32), std::numeric_limits<float>::epsilon() / 2);
  EXPECT_TRUE(std::isnan(std::bit_cast<float>(PoisonBits(DataType::kFP32))));
}

TEST(Numerics, LoadAndStoreGoByElements) {
  std::uint16_t half[3] = {};
  Store(DataType::kFP16, half, 1, 1.5f);
  EXPECT_EQ(half[0], 0);
  EXPECT_EQ(half[1], 0x3e00);
  EXPECT_EQ(Load(DataType::kFP16, half, 1), 1.5f);
  EXPECT_EQ(LoadBits(DataType::kFP16, half, 1), 0x3e00u);
  float single[2] = {};
  Store(DataType::kFP32, single, 1, 0.1f);
  EXPECT_EQ(Load(DataType::kFP32, single, 1), 0.1f);
  EXPECT_EQ(RoundTo(DataType::kBF16, 1.00390625), 1.0f);  // 1 + 2^-8: a tie
}

}  // namespace
}  // namespace gemm::tests
