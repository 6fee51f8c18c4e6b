// Literals and constant expressions: as operands of mov.
#include <bit>

#include "tests/emulator/ptx/parse.h"

namespace emu::ptx {
namespace {

Operand Value(const std::string& text) { return One("mov.b64 %rd0, " + text + ";").operands.at(1); }

std::uint64_t Integer(const std::string& text) {
  const Operand operand = Value(text);
  EXPECT_EQ(operand.kind, Operand::Kind::kInteger) << text;
  EXPECT_TRUE(operand.elements.empty()) << text;
  return operand.bits;
}

std::string Error(const std::string& text) {
  return ErrorOf(kPrologue + ".entry k() { .reg .b64 r; mov.b64 r, " + text + "; }");
}

TEST(Constants, Literals) {
  EXPECT_EQ(Integer("0"), 0u);
  EXPECT_EQ(Integer("42"), 42u);
  EXPECT_EQ(Integer("0x1fU"), 31u);
  EXPECT_EQ(Integer("0XAbC"), 0xabcu);
  EXPECT_EQ(Integer("017"), 15u);
  EXPECT_EQ(Integer("0b1011"), 11u);
  EXPECT_EQ(Integer("18446744073709551615"), ~0ull);
  EXPECT_EQ(Integer("WARP_SZ"), 32u);
  EXPECT_EQ(Integer("-1"), ~0ull);
  EXPECT_EQ(Integer("-0x8000000000000000"), 1ull << 63);
}

TEST(Constants, Floats) {
  const auto real = [](const std::string& text) {
    const Operand operand = Value(text);
    EXPECT_EQ(operand.kind, Operand::Kind::kFloat) << text;
    EXPECT_FALSE(operand.single) << text;
    return std::bit_cast<double>(operand.bits);
  };
  EXPECT_EQ(real("1.5"), 1.5);
  EXPECT_EQ(real("2."), 2.0);
  EXPECT_EQ(real(".25"), 0.25);
  EXPECT_EQ(real("1e3"), 1000.0);
  EXPECT_EQ(real("-2.5E-2"), -0.025);
  EXPECT_EQ(real("0d400921FB54442D18"), 3.141592653589793);
  EXPECT_EQ(real("-0d3ff0000000000000"), -1.0);
  const Operand single = Value("0f3F800000"), negative = Value("-0F3f800000");
  EXPECT_TRUE(single.single);
  EXPECT_EQ(single.kind, Operand::Kind::kFloat);
  EXPECT_EQ(single.bits, 0x3f800000u);
  EXPECT_EQ(negative.bits, 0xbf800000u);
}

TEST(Constants, Operators) {
  EXPECT_EQ(Integer("1<<3"), 8u);
  EXPECT_EQ(Integer("(4+4)*2"), 16u);
  EXPECT_EQ(Integer("2+3*4-1"), 13u);
  EXPECT_EQ(Integer("10-4-3"), 3u);
  EXPECT_EQ(Integer("1|2^3&6"), (1u | (2u ^ (3u & 6u))));
  EXPECT_EQ(Integer("1<<2+1"), 8u);
  EXPECT_EQ(Integer("~0"), ~0ull);
  EXPECT_EQ(Integer("!5 + !0"), 1u);
  EXPECT_EQ(Integer("7/2 + 7%4 + (1+8)%5 + 9 % 5"), 14u);
  EXPECT_EQ(Integer("-7/2"), static_cast<std::uint64_t>(-3));
  EXPECT_EQ(Integer("-7%4"), static_cast<std::uint64_t>(-3));
  EXPECT_EQ(Integer("3 > 2 && 1 != 1 || 4 <= 4"), 1u);
  EXPECT_EQ(Integer("1 == 2 ? 10 : 2 >= 1 ? 20 : 30"), 20u);
  EXPECT_EQ(Integer("WARP_SZ*2+1"), 65u);
  EXPECT_EQ(Integer("- - 3"), 3u);
}

TEST(Constants, SignedAndUnsigned) {
  EXPECT_EQ(Integer("-8>>1"), static_cast<std::uint64_t>(-4));
  EXPECT_EQ(Integer("(.u64)-8>>1"), static_cast<std::uint64_t>(-8) >> 1);
  EXPECT_EQ(Integer("0xffffffffffffffff>>60"), 15u);
  EXPECT_EQ(Integer("(.s64)0xffffffffffffffff>>60"), ~0ull);
  EXPECT_EQ(Integer("-1 < 1"), 1u);
  EXPECT_EQ(Integer("-1 < 1U"), 0u);
  EXPECT_EQ(Integer("-6/2U"), static_cast<std::uint64_t>(-6) / 2);
  EXPECT_EQ(Integer("1<<64"), 0u);
  EXPECT_EQ(Integer("-1>>100"), ~0ull);
  EXPECT_EQ(Integer("(.s64)-0x8000000000000000/-1"), 1ull << 63);
  EXPECT_EQ(Integer("(.s64)-0x8000000000000000 % -1"), 0u);
}

TEST(Constants, Errors) {
  EXPECT_EQ(Error("1/0"), "PTX line 4: a constant is divided by zero");
  EXPECT_EQ(Error("1%(2-2)"), "PTX line 4: a constant is divided by zero");
  EXPECT_EQ(Error("0x1ffffffffffffffff"), "PTX line 4: a number of more than 64 bits");
  EXPECT_EQ(Error("0f3f8"), "PTX line 4: 0f needs 8 hexadecimal digits, 0d needs 16");
  EXPECT_EQ(Error("0x"), "PTX line 4: a number without digits");
  EXPECT_EQ(Error("09"), "PTX line 4: a number that PTX does not have: '9' in it");
  EXPECT_EQ(Error("12ab"), "PTX line 4: a number that PTX does not have: 'a' in it");
  EXPECT_EQ(Error("1e999"), "PTX line 4: a number outside what a double can hold");
  EXPECT_EQ(Error("1.0+2.0"), "PTX line 4: operators between floating-point constants are not supported");
  EXPECT_EQ(Error("(1+2"), "PTX line 4: ')' after an expression is expected, not ';'");
  EXPECT_EQ(Error("1+"), "PTX line 4: a constant is expected, not ';'");
  EXPECT_EQ(Error("1 ? 2"), "PTX line 4: ':' after '?' is expected, not ';'");
  EXPECT_EQ(Error(std::string(100000, '(')), "PTX line 4: brackets or operators are nested too deeply");
  EXPECT_EQ(Error(std::string(100000, '-') + "1"), "PTX line 4: brackets or operators are nested too deeply");
}

}  // namespace
}  // namespace emu::ptx
