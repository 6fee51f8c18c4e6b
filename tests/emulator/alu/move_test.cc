// mov: copies, vectors that are packed and unpacked, constants.
#include <gtest/gtest.h>

#include "tests/emulator/alu/evaluate.h"

namespace emu::testing {
namespace {

TEST(Move, Copies) {
  const auto wide = Integers<std::uint64_t>(50);
  const auto narrow = Integers<std::uint16_t>(50);
  const auto middle = Integers<std::uint32_t>(50);
  for (const char* type : {"b64", "u64", "s64", "f64"}) {
    EXPECT_EQ(Evaluate(std::string("mov.") + type + " %d, %a;", 8, {ColumnOf(wide)}), ColumnOf(wide).values)
        << type;
  }
  for (const char* type : {"b32", "u32", "s32", "f32"}) {
    EXPECT_EQ(Evaluate(std::string("mov.") + type + " %d, %a;", 4, {ColumnOf(middle)}), ColumnOf(middle).values)
        << type;
  }
  for (const char* type : {"b16", "u16", "s16"}) {
    EXPECT_EQ(Evaluate(std::string("mov.") + type + " %d, %a;", 2, {ColumnOf(narrow)}), ColumnOf(narrow).values)
        << type;
  }
  EXPECT_EQ(Evaluate("mov.b128 %q0, {%a, %a}; mov.b128 %q1, %q0; mov.b128 {_, %d}, %q1;", 8, {ColumnOf(wide)}),
            ColumnOf(wide).values);
}

// The first element is the lowest.
TEST(Move, Vectors) {
  const std::vector<Column> words = {{4, {0x1111'2222, 0x8000'0001}}, {4, {0x3333'4444, 0xffff'0000}}};
  const auto two = Evaluate("mov.b64 %d, {%a, %b};", 8, words);
  const auto four =
      Evaluate("mov.b32 {%h0, %h1}, %a; mov.b32 {%h2, %h3}, %b; mov.b64 %d, {%h3, %h2, %h1, %h0};", 8, words);
  const auto upper = Evaluate("mov.b64 %l0, {%a, %b}; mov.b64 {_, %d}, %l0;", 4, words);
  const auto third = Evaluate("mov.b64 %l0, {%a, %b}; mov.b64 {_, _, %d, _}, %l0;", 2, words);
  const auto eights = Evaluate(
      "{ .reg .b8 %t<4>; mov.b32 {%t0, %t1, %t2, %t3}, %a; mov.b32 %d, {%t3, %t2, %t1, %t0}; }", 4, words);
  const auto of_128 = Evaluate(
      "mov.b64 %l0, {%a, %b}; mov.b128 %q0, {%l0, 7}; mov.b128 {%r0, %d, %r1, %r2}, %q0; add.u32 %d, %d, %r1;",
      4, words);
  for (std::size_t i = 0; i < 2; ++i) {
    const std::uint64_t a = words[0].values[i], b = words[1].values[i];
    EXPECT_EQ(two[i], b << 32 | a);
    EXPECT_EQ(four[i], a << 48 | a >> 16 << 32 | (b & 0xffff) << 16 | b >> 16);
    EXPECT_EQ(upper[i], b);
    EXPECT_EQ(third[i], b & 0xffff);
    EXPECT_EQ(eights[i], __builtin_bswap32(static_cast<std::uint32_t>(a)));
    EXPECT_EQ(of_128[i], static_cast<std::uint32_t>(b + 7));
  }
}

// A vector may be unpacked into the register that it comes from.
TEST(Move, InPlace) {
  const Column a = {8, {0x1111'2222'3333'4444}};
  EXPECT_EQ(
      Evaluate(
          "mov.b64 {%r0, %r1}, %a; mov.b64 %d, {%r1, %r0}; mov.b64 {%r0, %r1}, %d; mov.b64 %d, {%r0, %r0};", 8,
          {a})[0],
      0x1111'2222'1111'2222u);
}

TEST(Move, Constants) {
  const Column a = {4, {0}};
  EXPECT_EQ(Evaluate("mov.u64 %d, -1;", 8, {a})[0], ~std::uint64_t{0});
  EXPECT_EQ(Evaluate("mov.f32 %d, 0f40490FDB;", 4, {a})[0], 0x4049'0fdbu);
  EXPECT_EQ(Evaluate("mov.f64 %d, 0d400921FB54442D18;", 8, {a})[0], 0x4009'21fb'5444'2d18u);
  EXPECT_EQ(Evaluate("mov.f64 %d, 1.5;", 8, {a})[0], Bits(1.5));
  EXPECT_EQ(Evaluate("mov.f32 %d, 1.5;", 4, {a})[0], Bits(1.5f));
  EXPECT_EQ(Evaluate("mov.b16 %d, 0x12345;", 2, {a})[0], 0x2345u);
  EXPECT_EQ(Evaluate("mov.b64 %d, {%a, 5};", 8, {a})[0], 5ull << 32);
}

TEST(Move, Refusals) {
  for (const char* text :
       {"mov.b32 %r0, %l0;", "mov.u8 %h0, %h1;", "mov.b64 %l0, {%r0, %r1, %r2};", "mov.b32 %r0, {%r1, %r2};",
        "mov.pred %p0, %r0;", "mov.b32 7, %r0;", "mov.wrong.b32 %r0, %r1;", "mov.b32 %r0;"}) {
    EXPECT_NE(WhyRefused(text), "") << text;
  }
}

}  // namespace
}  // namespace emu::testing
