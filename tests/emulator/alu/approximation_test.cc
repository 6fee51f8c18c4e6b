// The .approx instructions of single and double precision, within the ISA's bounds.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/emulator/alu/evaluate.h"

namespace emu::testing {
namespace {

// Relative errors of the approximations; the ISA allows 2^-22 and more.
void CheckApproximation(const std::string& name, double (*exact)(double)) {
  const auto values = Inputs<float>(2000);
  const auto results = Evaluate(name + " %d, %a;", 4, {ColumnOf(values)});
  for (std::size_t i = 0; i < results.size(); ++i) {
    const double expected = exact(values[i]);
    const float got = Value<float>(results[i]);
    if (std::isnan(expected)) {
      ASSERT_EQ(results[i], 0x7fff'ffffu) << name << " " << values[i];
    } else if (std::isinf(static_cast<float>(expected)) || expected == 0) {
      ASSERT_EQ(got, static_cast<float>(expected)) << name << " " << values[i];
    } else {
      ASSERT_LE(std::abs(got - expected), std::max(std::abs(expected) * 0x1p-23, 0x1p-149))
          << name << " " << values[i];
    }
  }
}

TEST(Approximation, Approximations) {
  CheckApproximation("rcp.approx.f32", [](double x) { return 1 / x; });
  CheckApproximation("sqrt.approx.f32", [](double x) { return std::sqrt(x); });
  CheckApproximation("rsqrt.approx.f32", [](double x) { return 1 / std::sqrt(x); });
  CheckApproximation("ex2.approx.f32", [](double x) { return std::exp2(x); });
  CheckApproximation("lg2.approx.f32", [](double x) { return std::log2(x); });
  CheckApproximation("tanh.approx.f32", [](double x) { return std::tanh(x); });
  CheckApproximation("sin.approx.f32", [](double x) { return std::sin(x); });
  CheckApproximation("cos.approx.f32", [](double x) { return std::cos(x); });
}

TEST(Approximation, DivisionByHugeNumbers) {
  const std::vector<float> a = {0x1p127f, -0x1p127f, INFINITY, 1, INFINITY},
                           b = {0x1.8p126f, 0x1p127f, 0x1p127f, 0x1p126f, 2};
  const auto approx = Evaluate("div.approx.f32 %d, %a, %b;", 4, {ColumnOf(a), ColumnOf(b)});
  EXPECT_EQ(approx[0], Bits(0.0f));
  EXPECT_EQ(approx[1], Bits(-0.0f));
  EXPECT_EQ(approx[2], 0x7fff'ffffu);
  EXPECT_EQ(approx[3], Bits(0x1p-126f));
  EXPECT_EQ(approx[4], Bits(INFINITY));
  const auto full = Evaluate("div.full.f32 %d, %a, %b;", 4, {ColumnOf(a), ColumnOf(b)});
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(full[i], Bits(a[i] / b[i]));
}

TEST(Approximation, DoubleApproximations) {
  const auto values = Inputs<double>(500);
  const auto rcp = Evaluate("rcp.approx.ftz.f64 %d, %a;", 8, {ColumnOf(values)});
  const auto rsqrt = Evaluate("rsqrt.approx.ftz.f64 %d, %a;", 8, {ColumnOf(values)});
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double cut = Value<double>(Bits(values[i]) & 0xffff'ffff'0000'0000), x = Flushed(cut);
    for (const auto& [got, exact] : {std::pair(rcp[i], 1 / x), std::pair(rsqrt[i], 1 / std::sqrt(x))}) {
      ASSERT_EQ(got & 0xffff'ffff, 0u);
      if (std::isnan(exact)) {
        ASSERT_TRUE(std::isnan(Value<double>(got)));
      } else if (std::isinf(exact) || Flushed(exact) == 0) {
        ASSERT_EQ(Value<double>(got), Flushed(exact));
      } else {
        ASSERT_LE(std::abs(Value<double>(got) / exact - 1), 0x1p-20) << values[i];
      }
    }
  }
}

}  // namespace
}  // namespace emu::testing
