// Single and double precision against the host's floating point unit in the same rounding direction.
#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <functional>

#include "tests/emulator/alu/evaluate.h"

namespace emu::testing {
namespace {

constexpr int kDirections[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
const std::string kRoundings[] = {".rn", ".rz", ".rm", ".rp"};

// Calls `f` under a rounding direction. The operands and the result pass through volatile variables, so that nothing is
// computed at another time.
template <class T>
T In(int direction, T (*f)(T, T, T), T a, T b, T c) {
  volatile T x = a, y = b, z = c;
  std::fesetround(direction);
  volatile T result = f(x, y, z);
  std::fesetround(FE_TONEAREST);
  return result;
}

template <class T>
[[gnu::noinline]] T Sum(T a, T b, T) {
  return a + b;
}
template <class T>
[[gnu::noinline]] T Difference(T a, T b, T) {
  return a - b;
}
template <class T>
[[gnu::noinline]] T Product(T a, T b, T) {
  return a * b;
}
template <class T>
[[gnu::noinline]] T Fused(T a, T b, T c) {
  return std::fma(a, b, c);
}
template <class T>
[[gnu::noinline]] T Quotient(T a, T b, T) {
  return a / b;
}
template <class T>
[[gnu::noinline]] T Reciprocal(T a, T, T) {
  return 1 / a;
}
template <class T>
[[gnu::noinline]] T Root(T a, T, T) {
  return std::sqrt(a);
}

// NaN is 0x7fffffff in single precision; in double precision any NaN.
template <class T>
void ExpectSame(T expected, std::uint64_t got, const std::string& what) {
  if (std::isnan(expected) && sizeof(T) == 4) {
    ASSERT_EQ(got, 0x7fff'ffffu) << what;
  } else if (std::isnan(expected)) {
    ASSERT_TRUE(std::isnan(Value<T>(got))) << what;
  } else {
    ASSERT_EQ(Bits(expected), got) << what << " expected " << expected << " got " << Value<T>(got);
  }
}

template <class T>
void CheckRounded(const std::string& name, int operands, T (*f)(T, T, T)) {
  const auto values = Cross(Inputs<T>(operands == 3 ? 0 : operands == 2 ? 30 : 500), operands);
  std::vector<Column> columns;
  std::string list = " %d, %a";
  for (int i = 0; i < operands; ++i) columns.push_back(ColumnOf(values[i]));
  if (operands > 1) list += ", %b";
  if (operands > 2) list += ", %c";
  for (int mode = 0; mode < 4; ++mode) {
    for (const bool flush : {false, true}) {
      if (flush && sizeof(T) == 8) continue;
      const std::string type = sizeof(T) == 4 ? ".f32" : ".f64";
      const std::string body = name + kRoundings[mode] + (flush ? ".ftz" : "") + type + list + ";";
      const auto results = Evaluate(body, sizeof(T), columns);
      for (std::size_t i = 0; i < results.size(); ++i) {
        T x[3] = {values[0][i], operands > 1 ? values[1][i] : 0, operands > 2 ? values[2][i] : 0};
        for (T& value : x) value = flush ? Flushed(value) : value;
        const T exact = In(kDirections[mode], f, x[0], x[1], x[2]);
        ExpectSame(flush ? Flushed(exact) : exact, results[i],
                   body + " " + std::to_string(x[0]) + " " + std::to_string(x[1]) + " " + std::to_string(x[2]));
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(Float, SingleRounded) {
  CheckRounded<float>("add", 2, Sum<float>);
  CheckRounded<float>("sub", 2, Difference<float>);
  CheckRounded<float>("mul", 2, Product<float>);
  CheckRounded<float>("fma", 3, Fused<float>);
  CheckRounded<float>("mad", 3, Fused<float>);
  CheckRounded<float>("div", 2, Quotient<float>);
  CheckRounded<float>("rcp", 1, Reciprocal<float>);
  CheckRounded<float>("sqrt", 1, Root<float>);
}

TEST(Float, DoubleRounded) {
  CheckRounded<double>("add", 2, Sum<double>);
  CheckRounded<double>("sub", 2, Difference<double>);
  CheckRounded<double>("mul", 2, Product<double>);
  CheckRounded<double>("fma", 3, Fused<double>);
  CheckRounded<double>("div", 2, Quotient<double>);
  CheckRounded<double>("rcp", 1, Reciprocal<double>);
  CheckRounded<double>("sqrt", 1, Root<double>);
}

// "NaN payloads are supported for double-precision instructions", but not by fma and mad.
TEST(Float, DoublePayloads) {
  const std::vector<std::uint64_t> a = {0x7ff8'0000'0000'1234, 0x3ff0'0000'0000'0000, 0xfff0'0000'0000'0077};
  const std::vector<std::uint64_t> b = {0x3ff0'0000'0000'0000, 0xfff8'0000'0000'4321, 0x4000'0000'0000'0000};
  const std::vector<std::uint64_t> expected = {a[0], b[1], a[2] | 0x8'0000'0000'0000};
  for (const char* name : {"add.f64", "sub.rz.f64", "mul.f64", "div.rn.f64"}) {
    EXPECT_EQ(Evaluate(std::string(name) + " %d, %a, %b;", 8, {ColumnOf(a), ColumnOf(b)}), expected) << name;
  }
  const std::vector<std::uint64_t> canonical(3, 0xfff8'0000'0000'0000);
  EXPECT_EQ(Evaluate("fma.rn.f64 %d, %a, %b, %a;", 8, {ColumnOf(a), ColumnOf(b)}), canonical);
}

// Products and sums that meet a halfway point of the result only through their last bit.
TEST(Float, FusedOnce) {
  const float a = 1 + 0x1p-12f, product = a * a;  // 1 + 2^-11 + 2^-24: the last bit does not fit
  const std::vector<Column> columns = {ColumnOf<float>({a}), ColumnOf<float>({a}), ColumnOf<float>({-product})};
  const auto once = Evaluate("fma.rn.f32 %d, %a, %b, %c;", 4, columns);
  const auto twice = Evaluate("mul.f32 %r0, %a, %b; add.f32 %d, %r0, %c;", 4, columns);
  EXPECT_EQ(Value<float>(once[0]), 0x1p-24f);
  EXPECT_EQ(Value<float>(twice[0]), 0.0f);
}

TEST(Float, Saturated) {
  const auto values = Cross(Inputs<float>(60), 2);
  const auto results = Evaluate("add.sat.f32 %d, %a, %b;", 4, {ColumnOf(values[0]), ColumnOf(values[1])});
  for (std::size_t i = 0; i < results.size(); ++i) {
    const float sum = values[0][i] + values[1][i];
    const float expected = std::isnan(sum) || sum <= 0 ? 0.0f : std::min(sum, 1.0f);
    ASSERT_EQ(results[i], Bits(expected)) << values[0][i] << " " << values[1][i];
  }
}

TEST(Float, Pairs) {
  const std::vector<std::uint64_t> a = {0x3f80'0000'4000'0000, 0x7f80'0000'0000'0001},
                                   b = {0x4040'0000'4080'0000, 0xff80'0000'8000'0001};
  const auto sums = Evaluate("add.rn.f32x2 %d, %a, %b;", 8, {ColumnOf(a), ColumnOf(b)});
  EXPECT_EQ(sums[0], 0x4080'0000'40c0'0000u);
  EXPECT_EQ(sums[1], 0x7fff'ffff'0000'0000u);
  const auto fused = Evaluate("fma.rz.ftz.f32x2 %d, %a, %b, %a;", 8, {ColumnOf(a), ColumnOf(b)});
  EXPECT_EQ(fused[0], 0x4080'0000'4120'0000u);
}

TEST(Float, HalfOperandsOfSingles) {
  const std::vector<std::uint16_t> a = {0x3c00, 0xc000, 0x0001}, b = {0x4000, 0x4000, 0x7bff};
  const std::vector<float> c = {1.0f, 0.5f, 1.0f};
  const auto sums = Evaluate("add.f32.f16 %d, %a, %b;", 4, {ColumnOf(a), ColumnOf(c)});
  const auto fused = Evaluate("fma.rn.f32.f16 %d, %a, %b, %c;", 4, {ColumnOf(a), ColumnOf(b), ColumnOf(c)});
  const auto differences = Evaluate("sub.rz.f32.bf16 %d, %a, %b;", 4, {ColumnOf(a), ColumnOf(c)});
  EXPECT_EQ(Value<float>(sums[0]), 2.0f);
  EXPECT_EQ(Value<float>(sums[1]), -1.5f);
  EXPECT_EQ(Value<float>(sums[2]), 1.0f + 0x1p-23f * 0.5f);
  EXPECT_EQ(Value<float>(fused[0]), 3.0f);
  EXPECT_EQ(Value<float>(fused[1]), -3.5f);
  EXPECT_EQ(Value<float>(fused[2]), static_cast<float>(65504 * 0x1p-24 + 1));
  EXPECT_EQ(Value<float>(differences[0]), 0x1p-7f - 1.0f);
}

}  // namespace
}  // namespace emu::testing
