// min, max, abs, neg and copysign of every floating point type, by their definitions on bits.
#include <gtest/gtest.h>

#include "tests/emulator/alu/evaluate.h"

namespace emu::testing {
namespace {

// Formats as exponent and mantissa bits.
struct Layout {
  int exponent, mantissa;
  std::uint64_t nan;
  std::uint64_t sign() const { return std::uint64_t{1} << (exponent + mantissa); }
  std::uint64_t infinity() const { return sign() - (std::uint64_t{1} << mantissa); }
  bool IsNan(std::uint64_t x) const { return (x & (sign() - 1)) > infinity(); }
  bool Less(std::uint64_t a, std::uint64_t b) const {
    const bool minus_a = (a & sign()) != 0, minus_b = (b & sign()) != 0;
    if (minus_a != minus_b) return minus_a;
    return minus_a ? a > b : a < b;
  }
  std::uint64_t Flush(std::uint64_t x) const { return (x & infinity()) == 0 ? x & sign() : x; }
};

struct MinMaxModes {
  bool max, flush, nan, xorsign;
};

std::uint64_t MinMax(const Layout& f, const MinMaxModes& m, std::uint64_t a, std::uint64_t b) {
  if (m.flush) a = f.Flush(a), b = f.Flush(b);
  const std::uint64_t sign = (a ^ b) & f.sign();
  if (m.xorsign) a &= f.sign() - 1, b &= f.sign() - 1;
  std::uint64_t result;
  if ((f.IsNan(a) && f.IsNan(b)) || (m.nan && (f.IsNan(a) || f.IsNan(b)))) return f.nan;
  if (f.IsNan(a))
    result = b;
  else if (f.IsNan(b))
    result = a;
  else
    result = f.Less(a, b) != m.max ? a : b;
  return m.xorsign ? (result & (f.sign() - 1)) | sign : result;
}

void CheckMinMax(const std::string& type, const Layout& f, bool can_flush, bool can_more) {
  const std::uint32_t bytes = static_cast<std::uint32_t>(1 + f.exponent + f.mantissa) / 8;
  const auto values = Cross(Floats(f.exponent, f.mantissa, 20), 2);
  const std::vector<Column> columns = {{bytes, values[0]}, {bytes, values[1]}};
  for (int bits = 0; bits < 16; ++bits) {
    const MinMaxModes m{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0};
    if ((m.flush && !can_flush) || ((m.nan || m.xorsign) && !can_more)) continue;
    const std::string body = std::string(m.max ? "max" : "min") + (m.flush ? ".ftz" : "") +
                             (m.nan ? ".NaN" : "") + (m.xorsign ? ".xorsign.abs" : "") + type + " %d, %a, %b;";
    const auto results = Evaluate(body, bytes, columns);
    for (std::size_t i = 0; i < results.size(); ++i) {
      const std::uint64_t expected = MinMax(f, m, values[0][i], values[1][i]);
      ASSERT_EQ(results[i], expected) << body << std::hex << " " << values[0][i] << " " << values[1][i];
    }
  }
}

constexpr Layout kSingle{8, 23, 0x7fff'ffff}, kDouble{11, 52, 0xfff8'0000'0000'0000}, kHalf{5, 10, 0x7fff},
    kBfloat{8, 7, 0x7fff};

TEST(FloatBits, MinMax) {
  CheckMinMax(".f32", kSingle, true, true);
  CheckMinMax(".f64", kDouble, false, false);
  CheckMinMax(".f16", kHalf, true, true);
  CheckMinMax(".bf16", kBfloat, false, true);
}

TEST(FloatBits, MinMaxOfThree) {
  const auto values = Cross(Floats(8, 23, 4), 3);
  const std::vector<Column> columns = {{4, values[0]}, {4, values[1]}, {4, values[2]}};
  const auto plain = Evaluate("max.f32 %d, %a, %b, %c;", 4, columns);
  const auto modified = Evaluate("min.NaN.abs.f32 %d, %a, %b, %c;", 4, columns);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const MinMaxModes max{true, false, false, false}, min{false, false, true, false};
    ASSERT_EQ(plain[i], MinMax(kSingle, max, MinMax(kSingle, max, values[0][i], values[1][i]), values[2][i]));
    const auto abs = [&](int j) { return values[static_cast<std::size_t>(j)][i] & 0x7fff'ffff; };
    ASSERT_EQ(modified[i], MinMax(kSingle, min, MinMax(kSingle, min, abs(0), abs(1)), abs(2)));
  }
}

TEST(FloatBits, SignsOnly) {
  const auto check = [](const std::string& type, const Layout& f, bool flush) {
    const std::uint32_t bytes = static_cast<std::uint32_t>(1 + f.exponent + f.mantissa) / 8;
    const auto values = Floats(f.exponent, f.mantissa, 50);
    const std::string ftz = flush ? ".ftz" : "";
    const auto abs = Evaluate("abs" + ftz + type + " %d, %a;", bytes, {{bytes, values}});
    const auto neg = Evaluate("neg" + ftz + type + " %d, %a;", bytes, {{bytes, values}});
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::uint64_t x = flush ? f.Flush(values[i]) : values[i];
      ASSERT_EQ(abs[i], x & (f.sign() - 1));
      ASSERT_EQ(neg[i], x ^ f.sign());
    }
  };
  check(".f32", kSingle, false);
  check(".f32", kSingle, true);
  check(".f64", kDouble, false);
  check(".f16", kHalf, true);
  check(".bf16", kBfloat, false);
  const auto values = Cross(Floats(8, 23, 20), 2);
  const auto copied = Evaluate("copysign.f32 %d, %a, %b;", 4, {{4, values[0]}, {4, values[1]}});
  for (std::size_t i = 0; i < copied.size(); ++i) {
    ASSERT_EQ(copied[i], (values[0][i] & kSingle.sign()) | (values[1][i] & (kSingle.sign() - 1)));
  }
}

}  // namespace
}  // namespace emu::testing
