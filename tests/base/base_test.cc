#include <clocale>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <set>
#include <string>

#include "common/base/data_type.h"
#include "common/base/fixed.h"
#include "common/base/math.h"
#include "common/base/nonce.h"
#include "common/base/status.h"
#include "gemm/gemm.h"
#include "gtest/gtest.h"

namespace gemm {
namespace {

const std::uint64_t nonce_before_main = base::NextNonce();

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

TEST(Math, CeilDivReachesTheLargestValue) {
  EXPECT_EQ(base::CeilDiv<std::int64_t>(0, 16), 0);
  EXPECT_EQ(base::CeilDiv<std::int64_t>(1, 16), 1);
  EXPECT_EQ(base::CeilDiv<std::int64_t>(16, 16), 1);
  EXPECT_EQ(base::CeilDiv<std::int64_t>(17, 16), 2);
  EXPECT_EQ(base::CeilDiv<std::int64_t>(kMax, 2), kMax / 2 + 1);
}

TEST(Math, RoundUp) {
  EXPECT_EQ(base::RoundUp<std::int64_t>(0, 8), 0);
  EXPECT_EQ(base::RoundUp<std::int64_t>(1, 8), 8);
  EXPECT_EQ(base::RoundUp<std::int64_t>(8, 8), 8);
}

TEST(Math, PowerOfTwo) {
  EXPECT_TRUE(base::IsPowerOfTwo(1));
  EXPECT_TRUE(base::IsPowerOfTwo(16));
  for (const std::int64_t value :
       {std::int64_t{0}, std::int64_t{-1}, std::int64_t{3}, std::int64_t{-16}, kMax}) {
    EXPECT_FALSE(base::IsPowerOfTwo(value)) << value;
  }
}

TEST(Math, PowerOfTwoFactor) {
  EXPECT_EQ(base::PowerOfTwoFactor(0, 16), 16);
  EXPECT_EQ(base::PowerOfTwoFactor(48, 16), 16);
  EXPECT_EQ(base::PowerOfTwoFactor(24, 16), 8);
  EXPECT_EQ(base::PowerOfTwoFactor(6, 16), 2);
  EXPECT_EQ(base::PowerOfTwoFactor(7, 16), 1);
}

TEST(Math, OverflowIsSeen) {
  std::int64_t result = 0;
  EXPECT_TRUE(base::CheckedMultiply(1LL << 31, 1LL << 31, &result));
  EXPECT_EQ(result, 1LL << 62);
  EXPECT_FALSE(base::CheckedMultiply(1LL << 32, 1LL << 31, &result));
  EXPECT_TRUE(base::CheckedAdd(kMax - 1, 1, &result));
  EXPECT_EQ(result, kMax);
  EXPECT_FALSE(base::CheckedAdd(kMax, 1, &result));
}

TEST(DataTypes, BytesAndNames) {
  EXPECT_EQ(base::ElementBytes(DataType::kFP32), 4);
  EXPECT_EQ(base::ElementBytes(DataType::kFP16), 2);
  EXPECT_EQ(base::ElementBytes(DataType::kBF16), 2);
  EXPECT_EQ(base::ElementBytes(DataType::kFP8E4M3), 1);
  EXPECT_EQ(base::ElementBytes(DataType::kFP8E5M2), 1);
  EXPECT_EQ(base::ElementBytes(static_cast<DataType>(99)), 0);
  EXPECT_STREQ(Name(DataType::kFP32), "fp32");
  EXPECT_STREQ(Name(DataType::kFP16), "fp16");
  EXPECT_STREQ(Name(DataType::kBF16), "bf16");
  EXPECT_STREQ(Name(DataType::kFP8E4M3), "fp8_e4m3");
  EXPECT_STREQ(Name(DataType::kFP8E5M2), "fp8_e5m2");
  EXPECT_STREQ(Name(static_cast<DataType>(-1)), "unknown");
  EXPECT_STREQ(Name(static_cast<Layout>(7)), "unknown");
  EXPECT_STREQ(Name(static_cast<ComputeType>(7)), "unknown");
  EXPECT_STREQ(Name(static_cast<StatusCode>(77)), "UNKNOWN");
}

TEST(StatusTest, EveryCodeHasItsOwnName) {
  std::set<std::string> names;
  for (int code = 0; code <= static_cast<int>(StatusCode::kInternal); ++code) {
    const std::string name = Name(static_cast<StatusCode>(code));
    EXPECT_NE(name, "UNKNOWN") << code;
    names.insert(name);
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(StatusCode::kInternal) + 1);
}

TEST(StatusTest, BuildsItsSentence) {
  const Status status =
      base::InvalidArgument("problem.", std::string("m"), " is ", std::int64_t{-5}, ", ", 'x', 7u);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "problem.m is -5, x7");
  EXPECT_TRUE(Status().ok());
  EXPECT_TRUE(Status().message().empty());
  EXPECT_EQ(base::HostMemoryExhausted().code(), StatusCode::kOutOfMemory);
}

TEST(Fixed, RoundsToItsDecimals) {
  EXPECT_EQ(base::Fixed(0, 0), "0");
  EXPECT_EQ(base::Fixed(0, 2), "0.00");
  EXPECT_EQ(base::Fixed(1980, 0), "1980");
  EXPECT_EQ(base::Fixed(4814.4, 0), "4814");
  EXPECT_EQ(base::Fixed(0.125, 2), "0.12");  // halves go to even
  EXPECT_EQ(base::Fixed(0.375, 2), "0.38");
  EXPECT_EQ(base::Fixed(9.9996, 3), "10.000");
  EXPECT_EQ(base::Fixed(-3.14159, 4), "-3.1416");
  EXPECT_EQ(base::Fixed(-0.001, 1), "-0.0");
  EXPECT_EQ(base::Fixed(1e20, 3), "100000000000000000000.000");
  const double largest = std::numeric_limits<double>::max();
  EXPECT_EQ(base::Fixed(largest, 20).size(), 309u + 1 + 20);
  EXPECT_EQ(base::Fixed(-largest, 0).size(), 1u + 309);
  EXPECT_EQ(base::Fixed(std::numeric_limits<double>::infinity(), 2), "inf");
}

TEST(Fixed, HasAPointInEveryLocale) {
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  const char* found = nullptr;
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8", "fr_FR.utf8", "de_DE", "fr_FR"}) {
    if (found == nullptr) found = std::setlocale(LC_NUMERIC, name);
  }
  if (found == nullptr) GTEST_SKIP() << "no locale with a comma is installed";
  char printed[16];
  std::snprintf(printed, sizeof(printed), "%.1f", 12.5);
  const std::string fixed = base::Fixed(12.5, 1);
  std::setlocale(LC_NUMERIC, before.c_str());
  EXPECT_STREQ(printed, "12,5");
  EXPECT_EQ(fixed, "12.5");
}

// A counter from 0 would give this one first.
TEST(Nonce, StartsAtRandomBeforeMainToo) {
  EXPECT_NE(nonce_before_main, 0x5692161d100b05e5u);
  EXPECT_NE(nonce_before_main, 0u);
  EXPECT_NE(base::NextNonce(), nonce_before_main);
}

TEST(VersionTest, IsThreeNumbers) {
  int major = -1, minor = -1, patch = -1, length = -1;
  EXPECT_EQ(std::sscanf(Version(), "%d.%d.%d%n", &major, &minor, &patch, &length), 3) << Version();
  EXPECT_EQ(Version()[length], '\0') << Version();
}

}  // namespace
}  // namespace gemm
