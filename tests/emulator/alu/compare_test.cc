// setp, set, testp, selp, slct, by the words of the ISA.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tests/emulator/alu/evaluate.h"
#include "tests/emulator/alu/formats.h"

namespace emu::testing {
namespace {

const std::vector<std::string> kOrdered = {"eq", "ne", "lt", "le", "gt", "ge"};
const std::vector<std::string> kUnordered = {"equ", "neu", "ltu", "leu", "gtu", "geu"};

template <class T>
bool Compare(const std::string& name, T a, T b) {
  const bool unordered = a != a || b != b;
  if (name == "num") return !unordered;
  if (name == "nan") return unordered;
  // lo, ls, hi, hs are lt, le, gt, ge of unsigned numbers.
  if (name == "lo") return a < b;
  if (name == "ls") return a <= b;
  if (name == "hi") return a > b;
  if (name == "hs") return a >= b;
  if (unordered) return name.size() == 3;
  const std::string base = name.substr(0, 2);
  if (base == "eq") return a == b;
  if (base == "ne") return a != b;
  if (base == "lt") return a < b;
  if (base == "le") return a <= b;
  return base == "gt" ? a > b : a >= b;
}

// p and q of "setp.<name>.<type> %p0|%p1, %a, %b" as bits 0 and 1.
std::vector<std::uint64_t> BothPredicates(const std::string& instruction, const std::vector<Column>& columns) {
  return Evaluate("setp." + instruction +
                      " %p0|%p1, %a, %b;\nselp.u32 %d, 1, 0, %p0;\nselp.u32 %r0, 2, 0, %p1;\n"
                      "or.b32 %d, %d, %r0;",
                  4, columns);
}

template <class T>
void CheckIntegers(const std::string& type, const std::vector<std::string>& names) {
  const auto values = Cross(Integers<T>(15), 2);
  for (const std::string& name : names) {
    const auto results = BothPredicates(name + "." + type, {ColumnOf(values[0]), ColumnOf(values[1])});
    for (std::size_t i = 0; i < results.size(); ++i) {
      const bool expected = Compare(name, values[0][i], values[1][i]);
      ASSERT_EQ(results[i], expected ? 1 : 2)
          << name << "." << type << " " << +values[0][i] << " " << +values[1][i];
    }
  }
}

TEST(Compare, Integers) {
  auto with_unsigned = kOrdered;
  for (const char* name : {"lo", "ls", "hi", "hs"}) with_unsigned.push_back(name);
  CheckIntegers<std::uint16_t>("u16", with_unsigned);
  CheckIntegers<std::uint32_t>("u32", with_unsigned);
  CheckIntegers<std::uint64_t>("u64", with_unsigned);
  CheckIntegers<std::int16_t>("s16", kOrdered);
  CheckIntegers<std::int32_t>("s32", kOrdered);
  CheckIntegers<std::int64_t>("s64", kOrdered);
  CheckIntegers<std::uint16_t>("b16", {"eq", "ne"});
  CheckIntegers<std::uint32_t>("b32", {"eq", "ne"});
  CheckIntegers<std::uint64_t>("b64", {"eq", "ne"});
}

struct FloatType {
  std::string name;
  int exponent, mantissa;
  double Decode(std::uint64_t bits) const {
    if (name == "f16") return F16().Decode(bits);
    if (name == "bf16") return BF16().Decode(bits);
    return name == "f32" ? Value<float>(bits) : Value<double>(bits);
  }
  std::uint32_t bytes() const { return static_cast<std::uint32_t>(1 + exponent + mantissa) / 8; }
  std::uint64_t Flush(std::uint64_t bits) const {
    const std::uint64_t sign = std::uint64_t{1} << (exponent + mantissa);
    return (bits & (sign - (std::uint64_t{1} << mantissa))) == 0 ? bits & sign : bits;
  }
};
const FloatType kFloats[] = {{"f16", 5, 10}, {"bf16", 8, 7}, {"f32", 8, 23}, {"f64", 11, 52}};

TEST(Compare, Floats) {
  auto names = kOrdered;
  names.insert(names.end(), kUnordered.begin(), kUnordered.end());
  names.push_back("num"), names.push_back("nan");
  for (const FloatType& type : kFloats) {
    const auto values = Cross(Floats(type.exponent, type.mantissa, 20), 2);
    const std::vector<Column> columns = {{type.bytes(), values[0]}, {type.bytes(), values[1]}};
    for (const std::string& name : names) {
      for (const bool ftz : {false, true}) {
        if (ftz && type.name != "f32" && type.name != "f16") continue;
        const auto results = BothPredicates(name + (ftz ? ".ftz." : ".") + type.name, columns);
        for (std::size_t i = 0; i < results.size(); ++i) {
          const auto value = [&](std::uint64_t bits) { return type.Decode(ftz ? type.Flush(bits) : bits); };
          const bool expected = Compare(name, value(values[0][i]), value(values[1][i]));
          ASSERT_EQ(results[i], expected ? 1 : 2)
              << name << type.name << std::hex << " " << values[0][i] << " " << values[1][i];
        }
      }
    }
  }
}

// p is for the lower element, q for the upper one.
TEST(Compare, Pairs) {
  const auto values = Cross(Floats(5, 10, 10), 2);
  Column a{4, {}}, b{4, {}};
  const std::size_t rows = values[0].size();
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t other = (i * 7 + 2) % rows;
    a.values.push_back(values[0][other] << 16 | values[0][i]),
        b.values.push_back(values[1][other] << 16 | values[1][i]);
  }
  const auto half = [](const FloatType& type, std::uint64_t pair, int index) {
    return type.Decode(pair >> 16 * index & 0xffff);
  };
  for (const FloatType& type : {kFloats[0], kFloats[1]}) {
    for (const char* name : {"lt", "neu", "nan"}) {
      const auto results = BothPredicates(std::string(name) + "." + type.name + "x2", {a, b});
      const auto as_floats = Evaluate(
          std::string("set.") + name + "." + type.name + "x2." + type.name + "x2 %d, %a, %b;", 4, {a, b});
      const auto as_masks =
          Evaluate(std::string("set.") + name + ".u32." + type.name + "x2 %d, %a, %b;", 4, {a, b});
      const std::uint64_t one = type.name == "f16" ? F16().one() : BF16().one();
      for (std::size_t i = 0; i < rows; ++i) {
        const bool low = Compare(name, half(type, a.values[i], 0), half(type, b.values[i], 0));
        const bool high = Compare(name, half(type, a.values[i], 1), half(type, b.values[i], 1));
        ASSERT_EQ(results[i], low + 2 * high) << name << type.name;
        ASSERT_EQ(as_floats[i], low * one | high * one << 16) << name << type.name;
        ASSERT_EQ(as_masks[i], low * 0xffffu | high * 0xffff'0000u) << name << type.name;
      }
    }
  }
}

TEST(Compare, Combined) {
  Column a{4, {}}, b{4, {}};
  for (std::uint32_t i = 0; i < 40; ++i) a.values.push_back(i & 1), b.values.push_back(i >> 1 & 1);
  const struct {
    const char* combine;
    std::function<bool(bool, bool)> of;
  } kCases[] = {{"and", [](bool t, bool c) { return t && c; }},
                {"or", [](bool t, bool c) { return t || c; }},
                {"xor", [](bool t, bool c) { return t != c; }}};
  for (const auto& one : kCases) {
    for (const bool negated : {false, true}) {
      const std::string c = negated ? "!%p2" : "%p2";
      const std::string body = std::string("setp.ne.u32 %p2, %b, 0;\nsetp.eq.") + one.combine +
                               ".u32 %p0|%p1, %a, 1, " + c +
                               ";\nselp.u32 %d, 1, 0, %p0;\nselp.u32 %r0, 2, 0, %p1;\nor.b32 %d, %d, %r0;";
      const auto results = Evaluate(body, 4, {a, b});
      const auto set = Evaluate(
          std::string("setp.ne.u32 %p2, %b, 0;\nset.eq.") + one.combine + ".f32.u32 %d, %a, 1, " + c + ";", 4,
          {a, b});
      for (std::size_t i = 0; i < results.size(); ++i) {
        const bool t = a.values[i] == 1, with = (b.values[i] != 0) != negated;
        // "q = BoolOp(!t, c)"
        ASSERT_EQ(results[i], one.of(t, with) + 2 * one.of(!t, with)) << body << " " << i;
        ASSERT_EQ(set[i], one.of(t, with) ? 0x3f80'0000u : 0) << body << " " << i;
      }
    }
  }
}

TEST(Compare, Set) {
  const auto values = Cross(Integers<std::int64_t>(10), 2);
  const auto results = Evaluate("set.lt.s32.s64 %d, %a, %b;", 4, {ColumnOf(values[0]), ColumnOf(values[1])});
  for (std::size_t i = 0; i < results.size(); ++i)
    ASSERT_EQ(results[i], values[0][i] < values[1][i] ? 0xffff'ffff : 0);
  EXPECT_EQ(Evaluate("set.ge.f32.f32 %d, %a, 0f3F800000;", 4, {ColumnOf<float>({2, 0.5f})}),
            (std::vector<std::uint64_t>{0x3f80'0000, 0}));
  EXPECT_EQ(Evaluate("set.lt.f16.f16 %d, %a, %b;", 2, {{2, {0xbc00}}, {2, {0x3c00}}})[0], 0x3c00u);
  EXPECT_EQ(Evaluate("set.gt.u16.bf16 %d, %a, %b;", 2, {{2, {0xbc00}}, {2, {0x3c00}}})[0], 0u);
}

TEST(Compare, Testp) {
  const struct {
    const char* name;
    std::function<bool(double, bool)> is;
  } kTests[] = {
      {"finite", [](double x, bool) { return std::isfinite(x); }},
      {"infinite", [](double x, bool) { return std::isinf(x); }},
      {"number", [](double x, bool) { return !std::isnan(x); }},
      {"notanumber", [](double x, bool) { return std::isnan(x); }},
      // "testp.normal: a normal number; zero counts as normal"
      {"normal", [](double x, bool subnormal) { return std::isfinite(x) && !subnormal; }},
      {"subnormal", [](double, bool subnormal) { return subnormal; }},
  };
  for (const FloatType& type : {kFloats[2], kFloats[3]}) {
    const auto values = Floats(type.exponent, type.mantissa, 100);
    for (const auto& test : kTests) {
      const auto results =
          Evaluate(std::string("testp.") + test.name + "." + type.name + " %p0, %a;\nselp.u32 %d, 1, 0, %p0;",
                   4, {{type.bytes(), values}});
      for (std::size_t i = 0; i < values.size(); ++i) {
        const double x = type.Decode(values[i]);
        const bool subnormal = x != 0 && std::fabs(x) < std::ldexp(1.0, 2 - (1 << (type.exponent - 1)));
        ASSERT_EQ(results[i], test.is(x, subnormal)) << test.name << std::hex << values[i];
      }
    }
  }
}

template <class T>
void CheckSelect(const std::string& type) {
  const auto values = Cross(Integers<T>(3), 2);
  std::vector<std::uint32_t> choose;
  for (std::size_t i = 0; i < values[0].size(); ++i) choose.push_back(i % 3 == 0);
  const std::vector<Column> columns = {ColumnOf(values[0]), ColumnOf(values[1]), ColumnOf(choose)};
  const auto plain =
      Evaluate("setp.ne.u32 %p0, %c, 0;\nselp." + type + " %d, %a, %b, %p0;", sizeof(T), columns);
  const auto negated =
      Evaluate("setp.ne.u32 %p0, %c, 0;\nselp." + type + " %d, %a, %b, !%p0;", sizeof(T), columns);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const std::uint64_t a = Bits(values[0][i]), b = Bits(values[1][i]);
    ASSERT_EQ(plain[i], choose[i] != 0 ? a : b) << type;
    ASSERT_EQ(negated[i], choose[i] != 0 ? b : a) << type;
  }
}

TEST(Compare, Selp) {
  CheckSelect<std::uint16_t>("b16");
  CheckSelect<std::uint32_t>("f32");
  CheckSelect<std::int32_t>("s32");
  CheckSelect<std::uint64_t>("b64");
  CheckSelect<std::uint64_t>("f64");
}

TEST(Compare, Slct) {
  const Column a = {8, std::vector<std::uint64_t>(5, 11)}, b = {8, std::vector<std::uint64_t>(5, 22)};
  const Column c = ColumnOf<std::int32_t>({0, 1, -1, INT32_MIN, INT32_MAX});
  const Column x = ColumnOf<float>({-0.0f, NAN, -1, -0x1p-149f, 3});
  const std::vector<std::uint64_t> by_integer = {11, 11, 22, 22, 11}, by_float = {11, 22, 22, 22, 11},
                                   flushed = {11, 22, 22, 11, 11};
  EXPECT_EQ(Evaluate("slct.u64.s32 %d, %a, %b, %c;", 8, {a, b, c}), by_integer);
  EXPECT_EQ(Evaluate("slct.f64.f32 %d, %a, %b, %c;", 8, {a, b, x}), by_float);
  EXPECT_EQ(Evaluate("slct.ftz.b64.f32 %d, %a, %b, %c;", 8, {a, b, x}), flushed);
}

TEST(Compare, Refusals) {
  for (const char* text : {
           "setp.lo.s32 %p0, %r0, %r1;",
           "setp.lt.b32 %p0, %r0, %r1;",
           "setp.equ.u32 %p0, %r0, %r1;",
           "setp.u32 %p0, %r0, %r1;",
           "setp.eq.f16x2 %p0, %r0, %r1;",
           "setp.eq.ftz.f64 %p0, %l0, %l1;",
           "setp.eq.and.u32 %p0, %r0, %r1;",
           "setp.eq.u32 %r0, %r1, %r2;",
           "set.eq.f64.u32 %l0, %r0, %r1;",
           "testp.odd.f32 %p0, %r0;",
           "testp.finite.f16 %p0, %h0;",
           "selp.u8 %h0, %h1, %h2, %p0;",
           "selp.u32 %r0, %r1, %r2, %r3;",
           "slct.u32.u32 %r0, %r1, %r2, %r3;",
       }) {
    EXPECT_NE(WhyRefused(text), "") << text;
  }
}

}  // namespace
}  // namespace emu::testing
