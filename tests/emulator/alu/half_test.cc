// Arithmetic of half precision and bfloat16, alone and in pairs, against sums and products that are rounded once.
#include <gtest/gtest.h>

#include <functional>

#include "tests/emulator/alu/evaluate.h"
#include "tests/emulator/alu/formats.h"
#include "tools/emulator/base/random.h"

namespace emu::testing {
namespace {

// a + b without loss, as far as rounding to 16 bits can tell: of an addend far below the other one only its side counts.
Quad Sum(Quad a, Quad b) {
  constexpr double kFar = 0x1p-60;
  const bool finite = Abs(a) < 0x1p1000 && Abs(b) < 0x1p1000;
  if (a == 0 || b == 0 || !finite) return a + b;
  const Quad big = Abs(a) > Abs(b) ? a : b;
  Quad small = Abs(a) > Abs(b) ? b : a;
  if (Abs(small) < Abs(big) * kFar) small = IsNegative(small) ? -Abs(big) * kFar : Abs(big) * kFar;
  return big + small;
}

struct Operation {
  std::string name;
  int operands;
  std::function<Quad(Quad, Quad, Quad)> of;
};
const std::vector<Operation> kOperations = {
    {"add", 2, [](Quad a, Quad b, Quad) { return Sum(a, b); }},
    {"sub", 2, [](Quad a, Quad b, Quad) { return Sum(a, -b); }},
    {"mul", 2, [](Quad a, Quad b, Quad) { return a * b; }},
    {"fma.rn", 3, [](Quad a, Quad b, Quad c) { return Sum(a * b, c); }},
};

struct Type {
  std::string name;
  const SmallFormat* format;
  int exponent_bits;
};
const Type kTypes[] = {{"f16", &F16(), 5}, {"bf16", &BF16(), 8}};

struct Modifiers {
  bool ftz = false, sat = false, relu = false;
  std::string Text() const {
    return std::string(ftz ? ".ftz" : "") + (sat ? ".sat" : "") + (relu ? ".relu" : "");
  }
};

bool IsSubnormal(const SmallFormat& f, std::uint64_t bits) { return (bits & f.infinity()) == 0; }
std::uint64_t Flush(const SmallFormat& f, bool ftz, std::uint64_t bits) {
  return ftz && IsSubnormal(f, bits) ? bits & f.sign() : bits;
}

std::uint64_t Expected(const SmallFormat& f, const Operation& operation, const Modifiers& m, std::uint64_t a,
                       std::uint64_t b, std::uint64_t c) {
  const auto in = [&](std::uint64_t bits) { return Quad{f.Decode(Flush(f, m.ftz, bits))}; };
  const Quad exact = operation.of(in(a), in(b), in(c));
  const std::uint64_t bits = Flush(f, m.ftz, f.Encode(exact, Mode::kRn));
  if (m.sat) return IsNan(exact) || (bits & f.sign()) != 0 ? 0 : std::min(bits, f.one());
  if (m.relu && (bits & f.sign()) != 0) return 0;
  return bits;
}

// Every pair of values, and some of the triples.
std::vector<std::vector<std::uint64_t>> Inputs(const Type& type, int operands) {
  const auto values = Floats(type.exponent_bits, type.format->mantissa_bits(), operands == 2 ? 30 : 100);
  if (operands == 2) return Cross(values, 2);
  std::vector<std::vector<std::uint64_t>> triples(3);
  Random random(1);
  for (int row = 0; row < 6000; ++row) {
    for (auto& column : triples)
      column.push_back(values[random.Below(static_cast<std::uint32_t>(values.size()))]);
  }
  return triples;
}

void Check(const Type& type, const Operation& operation, const Modifiers& m) {
  auto inputs = Inputs(type, operation.operands);
  while (inputs.size() < 3) inputs.push_back(std::vector<std::uint64_t>(inputs[0].size()));
  std::vector<Column> columns, pairs;
  const std::size_t rows = inputs[0].size();
  for (int i = 0; i < operation.operands; ++i) {
    const auto& values = inputs[static_cast<std::size_t>(i)];
    columns.push_back({2, values});
    pairs.push_back({4, {}});
    // The upper half of row r is the value of another row.
    for (std::size_t row = 0; row < rows; ++row)
      pairs.back().values.push_back(values[(row * 5 + 1) % rows] << 16 | values[row]);
  }
  const std::string operands = operation.operands == 3 ? " %d, %a, %b, %c;" : " %d, %a, %b;";
  const std::string one = operation.name + m.Text() + "." + type.name, two = one + "x2";
  const auto results = Evaluate(one + operands, 2, columns);
  const auto packed = Evaluate(two + operands, 4, pairs);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::uint64_t expected =
        Expected(*type.format, operation, m, inputs[0][i], inputs[1][i], inputs[2][i]);
    ASSERT_EQ(results[i], expected) << one << std::hex << " " << inputs[0][i] << " " << inputs[1][i] << " "
                                    << inputs[2][i];
  }
  // The single results were right, so that the pairs are compared with them.
  for (std::size_t i = 0; i < rows; ++i)
    ASSERT_EQ(packed[i], results[(i * 5 + 1) % rows] << 16 | results[i]) << two;
}

TEST(Half, Arithmetic) {
  for (const Operation& operation : kOperations) {
    for (const bool ftz : {false, true}) {
      Check(kTypes[0], operation, {.ftz = ftz});
      Check(kTypes[0], operation, {.ftz = ftz, .sat = true});
      if (operation.operands == 3) Check(kTypes[0], operation, {.ftz = ftz, .relu = true});
    }
  }
}

TEST(Half, ArithmeticOfBfloat16) {
  for (const Operation& operation : kOperations) {
    Check(kTypes[1], operation, {});
    if (operation.operands == 3) Check(kTypes[1], operation, {.relu = true});
  }
}

// A product and a sum that only both together decide: rounding the product first goes the other way.
TEST(Half, FusedOnce) {
  // 1.0009766 squared is 1 + 2^-9 + 2^-20, which lies just above the middle of two halves once 1 is gone.
  const Column a = {2, {0x3c01}}, c = {2, {0xbc02}};
  EXPECT_EQ(Evaluate("fma.rn.f16 %d, %a, %a, %b;", 2, {a, c})[0], F16().Encode(0x1p-20, Mode::kRn));
  EXPECT_EQ(Evaluate("mul.rn.f16 %h0, %a, %a; add.rn.f16 %d, %h0, %b;", 2, {a, c})[0], 0u);
}

TEST(Half, MinMaxAbsNegOfPairs) {
  const Column a = {4, {0x3c00'bc00, 0x7e00'0001, 0x8000'0000}},
               b = {4, {0xbc00'3c00, 0x3c00'7e00, 0x0000'8000}};
  EXPECT_EQ(Evaluate("min.f16x2 %d, %a, %b;", 4, {a, b}),
            (std::vector<std::uint64_t>{0xbc00'bc00, 0x3c00'0001, 0x8000'8000}));
  EXPECT_EQ(Evaluate("max.ftz.NaN.f16x2 %d, %a, %b;", 4, {a, b}),
            (std::vector<std::uint64_t>{0x3c00'3c00, 0x7fff'7fff, 0}));
  EXPECT_EQ(Evaluate("max.xorsign.abs.bf16x2 %d, %a, %b;", 4, {a, b})[0], 0xbc00'bc00u);
  EXPECT_EQ(Evaluate("neg.bf16x2 %d, %a;", 4, {a})[0], 0xbc00'3c00u);
  EXPECT_EQ(Evaluate("abs.f16x2 %d, %a;", 4, {a})[0], 0x3c00'3c00u);
  EXPECT_EQ(Evaluate("neg.ftz.f16x2 %d, %a;", 4, {a})[1], 0xfe00'8000u);
}

// "ex2.approx: relative error 2^-9.9 for f16, 2^-7 for bf16; tanh.approx: absolute error 2^-10.987 for f16, 2^-8 for bf16".
TEST(Half, Approximations) {
  for (const Type& type : kTypes) {
    const SmallFormat& f = *type.format;
    const bool bfloat = type.name == "bf16";
    Column all{2, {}};
    for (std::uint64_t bits = 0; bits < 65536; bits += 3) all.values.push_back(bits);
    const auto ex2 =
        Evaluate("ex2.approx" + std::string(bfloat ? ".ftz." : ".") + type.name + " %d, %a;", 2, {all});
    const auto tanh = Evaluate("tanh.approx." + type.name + " %d, %a;", 2, {all});
    for (std::size_t i = 0; i < ex2.size(); ++i) {
      const double x = f.Decode(all.values[i]);
      if (std::isnan(x)) {
        ASSERT_EQ(ex2[i], f.nan());
        ASSERT_EQ(tanh[i], f.nan());
        continue;
      }
      const double power = std::exp2(x), got = f.Decode(ex2[i]);
      const double smallest = bfloat ? 0x1p-126 : 0x1p-24;
      if (std::isinf(f.Decode(f.Encode(power, Mode::kRn)))) {
        ASSERT_EQ(ex2[i], f.infinity()) << x;
      } else {
        ASSERT_LE(std::fabs(got - power), std::max(power * (bfloat ? 0x1p-7 : std::exp2(-9.9)), smallest)) << x;
      }
      ASSERT_LE(std::fabs(f.Decode(tanh[i]) - std::tanh(x)), bfloat ? 0x1p-8 : std::exp2(-10.987)) << x;
    }
  }
  EXPECT_EQ(Evaluate("ex2.approx.f16x2 %d, %a;", 4, {{4, {0x3c00'c000}}})[0], 0x4000'3400u);
  EXPECT_EQ(Evaluate("tanh.approx.bf16x2 %d, %a;", 4, {{4, {0x7f80'ff80}}})[0], 0x3f80'bf80u);
}

TEST(Half, Refusals) {
  for (const char* text : {
           "fma.f16 %h0, %h1, %h2, %h3;",
           "add.rz.f16 %h0, %h1, %h2;",
           "add.ftz.bf16 %h0, %h1, %h2;",
           "mul.sat.bf16x2 %r0, %r1, %r2;",
           "add.relu.f16 %h0, %h1, %h2;",
           "fma.rn.sat.relu.f16 %h0, %h1, %h2, %h3;",
           "add.f16x2 %h0, %h1, %h2;",
           "add.f16 %r0, %r1, %r2;",
           "ex2.f16 %h0, %h1;",
           "ex2.approx.bf16 %h0, %h1;",
           "tanh.f16 %h0, %h1;",
           "div.rn.f16 %h0, %h1, %h2;",
           "fma.rn.f16 %h0, %h1, %h2;",
       }) {
    EXPECT_NE(WhyRefused(text), "") << text;
  }
}

}  // namespace
}  // namespace emu::testing
