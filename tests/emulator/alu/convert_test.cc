// cvt between scalar types: every pair, rounding and modifier, against exact values in 113 bits.
#include <gtest/gtest.h>

#include <cfenv>
#include <optional>

#include "tests/emulator/alu/evaluate.h"
#include "tests/emulator/alu/formats.h"
#include "tests/emulator/alu/scalar_types.h"

namespace emu::testing {
namespace {

Quad Decode(const std::string& type, std::uint64_t bits) {
  if (const SmallFormat* small = SmallOf(type)) return small->Decode(bits);
  if (type == "f32") return Value<float>(bits);
  if (type == "f64") return Value<double>(bits);
  const int unused = 64 - BitsOf(type);
  if (IsSigned(type)) return static_cast<std::int64_t>(bits << unused) >> unused;
  return bits << unused >> unused;
}

// From the soft floating point of the compiler's library, which follows the rounding direction.
template <class T>
std::uint64_t InDirection(Quad x, Mode mode) {
  constexpr int kDirections[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  volatile Quad in = x;
  std::fesetround(kDirections[static_cast<int>(mode)]);
  volatile T out = static_cast<T>(in);
  std::fesetround(FE_TONEAREST);
  return Bits<T>(out);
}

// The integer that `mode` chooses; `x` is smaller than 2^100.
Quad Whole(Quad x, Mode mode) {
  const auto cut = static_cast<Quad>(static_cast<__int128>(x));
  const Quad rest = Abs(x - cut), away = IsNegative(x) ? cut - 1 : cut + 1;
  const bool odd = static_cast<__int128>(cut) % 2 != 0;
  bool grows = false;
  if (mode == Mode::kRn) grows = rest > 0.5 || (rest == 0.5 && odd);
  if (mode == Mode::kRm) grows = rest != 0 && IsNegative(x);
  if (mode == Mode::kRp) grows = rest != 0 && !IsNegative(x);
  const Quad whole = grows ? away : cut;
  return whole == 0 && IsNegative(x) ? Quad{-0.0} : whole;
}

struct Conversion {
  std::string to, from;
  std::optional<Mode> mode = {};
  bool integer = false;  // .rni and so on
  bool ftz = false, sat = false, relu = false, satfinite = false;

  std::string Instruction() const {
    std::string text = "cvt";
    if (mode) text += Name(*mode) + std::string(integer ? "i" : "");
    if (ftz) text += ".ftz";
    if (sat) text += ".sat";
    if (relu) text += ".relu";
    if (satfinite) text += ".satfinite";
    return text + "." + to + "." + from;
  }
};

std::uint64_t ToInteger(const Conversion& c, Quad x) {
  const int bits = BitsOf(c.to);
  const std::uint64_t in_register = ~std::uint64_t{0} >> (64 - 8 * BytesOf(c.to));
  if (IsNan(x)) {
    // "Zero if source is not .f64 and destination is not .s64, .u64. Otherwise 1 << (BitWidth(dstType) - 1)."
    if (c.from != "f64" && bits != 64) return 0;
    x = Decode(c.to, std::uint64_t{1} << (bits - 1));
  }
  const Quad lowest = IsSigned(c.to) ? -std::ldexp(1.0, bits - 1) : 0.0;
  const Quad highest = Quad{std::ldexp(1.0, IsSigned(c.to) ? bits - 1 : bits)} - 1;
  const Quad clamped = x < lowest ? lowest : x > highest ? highest : Whole(x, c.mode.value_or(Mode::kRn));
  return static_cast<std::uint64_t>(static_cast<__int128>(clamped)) & in_register;
}

template <class T>
std::uint64_t ToFloat(const Conversion& c, Quad x) {
  const std::uint64_t bits = InDirection<T>(x, c.mode.value_or(Mode::kRn));
  const bool subnormal = sizeof(T) == 4 && (bits & 0x7f80'0000) == 0;
  return c.ftz && subnormal ? bits & 0x8000'0000 : bits;
}

std::uint64_t Expected(const Conversion& c, std::uint64_t from) {
  Quad x = Decode(c.from, from);
  const Quad negative_zero = -0.0;
  if (c.ftz && c.from == "f32" && Abs(x) < 0x1p-126) x = IsNegative(x) ? negative_zero : Quad{0};
  if (!IsFloat(c.to)) {
    if (IsFloat(c.from) || c.sat) return ToInteger(c, x);
    // Integers are cut, and extended to the register.
    const std::uint64_t in_register = ~std::uint64_t{0} >> (64 - 8 * BytesOf(c.to));
    const auto value = static_cast<std::uint64_t>(static_cast<__int128>(x));
    return static_cast<std::uint64_t>(static_cast<__int128>(Decode(c.to, value))) & in_register;
  }
  if (c.integer && Abs(x) < 0x1p99) x = Whole(x, *c.mode);
  if (c.relu && IsNegative(x) && !IsNan(x)) x = 0;
  if (c.sat) x = !(x > 0) ? Quad{0} : x > 1 ? Quad{1} : x;
  if (const SmallFormat* small = SmallOf(c.to)) {
    const std::uint64_t bits = small->Encode(x, c.mode.value_or(Mode::kRn), c.satfinite);
    // What an H200 does to NaN.
    if (c.to == "tf32" && IsNan(x) && c.mode == Mode::kRna && !c.satfinite) return from & 0xffff'e000;
    return c.to != "tf32" ? bits : bits << 13;
  }
  if (c.to == "f32" && c.from == "bf16" && IsNan(x) && !c.sat) return from << 16;
  if (c.to == "f32") return IsNan(x) ? 0x7fff'ffff : ToFloat<float>(c, x);
  return ToFloat<double>(c, x);
}

bool IsNanOf64(std::uint64_t bits) { return (bits & ~(std::uint64_t{1} << 63)) > 0x7ff0'0000'0000'0000; }

void Check(const Conversion& c) {
  const auto& inputs = Inputs(c.from);
  const std::string instruction = c.Instruction();
  const auto results = Evaluate(instruction + " %d, %a;", BytesOf(c.to), {{BytesOf(c.from), inputs}});
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::uint64_t expected = Expected(c, inputs[i]);
    if (c.to == "f64" && IsNanOf64(expected)) {
      ASSERT_TRUE(IsNanOf64(results[i])) << instruction;
    } else {
      ASSERT_EQ(results[i], expected) << instruction << " of " << std::hex << inputs[i] << ": " << results[i]
                                      << ", not " << expected;
    }
  }
}

TEST(Convert, IntegersToIntegers) {
  for (const std::string& to : kIntegers) {
    for (const std::string& from : kIntegers) {
      Check({to, from});
      Check({.to = to, .from = from, .sat = true});
    }
  }
}

TEST(Convert, IntegersToFloats) {
  for (const std::string& to : kFloats) {
    for (const std::string& from : kIntegers) {
      for (const Mode mode : kFourModes) Check({to, from, mode});
    }
  }
  Check({.to = "f32", .from = "s32", .mode = Mode::kRn, .sat = true});
  Check({.to = "f16", .from = "s16", .mode = Mode::kRn, .sat = true});
}

TEST(Convert, FloatsToIntegers) {
  for (const std::string& to : kIntegers) {
    for (const std::string& from : kFloats) {
      for (const Mode mode : kFourModes) {
        Check({to, from, mode, true});
        if (from == "f32") Check({.to = to, .from = from, .mode = mode, .integer = true, .ftz = true});
      }
      if (from != "bf16") Check({.to = to, .from = from, .mode = Mode::kRz, .integer = true, .sat = true});
    }
  }
}

TEST(Convert, FloatsToWholeFloats) {
  for (const char* type : {"f16", "f32", "f64"}) {
    for (const Mode mode : kFourModes) Check({type, type, mode, true});
  }
  Check({.to = "f32", .from = "f32", .mode = Mode::kRm, .integer = true, .ftz = true});
  Check({.to = "f32", .from = "f32", .mode = Mode::kRn, .integer = true, .sat = true});
}

TEST(Convert, FloatsToNarrowerFloats) {
  for (const auto& [to, from] : {std::pair{"f32", "f64"}, {"f16", "f64"}, {"bf16", "f64"}, {"f16", "f32"}}) {
    for (const Mode mode : kFourModes) Check({to, from, mode});
  }
  for (const Mode mode : kFourModes) {
    Check({.to = "f32", .from = "f64", .mode = mode, .ftz = true});
    Check({.to = "f16", .from = "f32", .mode = mode, .ftz = true});
    Check({.to = "f16", .from = "f32", .mode = mode, .sat = true});
    Check({.to = "f32", .from = "f64", .mode = mode, .sat = true});
  }
  for (const Mode mode : {Mode::kRn, Mode::kRz}) {
    for (const char* to : {"f16", "bf16"}) {
      Check({to, "f32", mode});
      Check({.to = to, .from = "f32", .mode = mode, .relu = true});
      Check({.to = to, .from = "f32", .mode = mode, .satfinite = true});
      Check({.to = to, .from = "f32", .mode = mode, .relu = true, .satfinite = true});
    }
    Check({"bf16", "f16", mode});
    Check({"f16", "bf16", mode});
  }
}

TEST(Convert, FloatsToTf32) {
  for (const Mode mode : {Mode::kRna, Mode::kRn, Mode::kRz}) {
    Check({"tf32", "f32", mode});
    Check({.to = "tf32", .from = "f32", .mode = mode, .satfinite = true});
  }
  for (const Mode mode : {Mode::kRn, Mode::kRz}) {
    Check({.to = "tf32", .from = "f32", .mode = mode, .relu = true});
    Check({.to = "tf32", .from = "f32", .mode = mode, .relu = true, .satfinite = true});
  }
}

TEST(Convert, FloatsToWiderFloats) {
  for (const auto& [to, from] :
       {std::pair{"f64", "f32"}, {"f64", "f16"}, {"f64", "bf16"}, {"f32", "f16"}, {"f32", "bf16"}}) {
    Check({to, from});
  }
  Check({.to = "f64", .from = "f32", .ftz = true});
  Check({.to = "f32", .from = "f16", .ftz = true});
  Check({.to = "f32", .from = "f16", .sat = true});
  Check({.to = "f32", .from = "f32", .ftz = true});
  Check({.to = "f32", .from = "f32", .sat = true});
  Check({.to = "f64", .from = "f64", .sat = true});
  Check({.to = "f16", .from = "f16", .sat = true});
}

// "A source or destination register may be wider than the specified type", except for floating point.
TEST(Convert, WiderRegisters) {
  const Column wide = {4, {0xffff'ff80, 0x1234'567f, 0x0000'ffff, 0x8000'8001}};
  const auto narrow = Evaluate("cvt.u32.u8 %d, %a;", 4, {wide});
  const auto sign = Evaluate("cvt.s32.s16 %d, %a;", 4, {wide});
  const auto cut = Evaluate("cvt.s8.s32 %d, %a;", 4, {wide});
  const auto of_float =
      Evaluate("cvt.rzi.s16.f32 %d, %a;", 4, {{4, {Bits(-3.5f), Bits(1e9f), Bits(7.0f), Bits(-0.25f)}}});
  EXPECT_EQ(narrow, (std::vector<std::uint64_t>{0x80, 0x7f, 0xff, 0x01}));
  EXPECT_EQ(sign, (std::vector<std::uint64_t>{0xffff'ff80, 0x567f, 0xffff'ffff, 0xffff'8001}));
  EXPECT_EQ(cut, (std::vector<std::uint64_t>{0xffff'ff80, 0x7f, 0xffff'ffff, 1}));
  EXPECT_EQ(of_float, (std::vector<std::uint64_t>{0xffff'fffd, 0x7fff, 7, 0}));
}

TEST(Convert, Constants) {
  const Column unused = {4, {0}};
  EXPECT_EQ(Evaluate("cvt.rn.f32.s32 %d, -3;", 4, {unused})[0], Bits(-3.0f));
  EXPECT_EQ(Evaluate("cvt.u64.u32 %d, 0xfffffffe;", 8, {unused})[0], 0xffff'fffeu);
  EXPECT_EQ(Evaluate("cvt.s64.s8 %d, 0x80;", 8, {unused})[0], 0xffff'ffff'ffff'ff80u);
  EXPECT_EQ(Evaluate("cvt.rn.f16.f32 %d, 0f3FC00000;", 2, {unused})[0], 0x3e00u);
}

TEST(Convert, Refusals) {
  for (const char* text : {
           "cvt.f16.f32 %h0, %r0;",
           "cvt.s32.f32 %r0, %r1;",
           "cvt.rn.s32.f32 %r0, %r1;",
           "cvt.rn.u32.s32 %r0, %r1;",
           "cvt.rzi.f64.f32 %l0, %r0;",
           "cvt.f32.s32 %r0, %r1;",
           "cvt.rn.rz.f32.f64 %r0, %l0;",
           "cvt.ftz.f64.f16 %l0, %h0;",
           "cvt.rn.f32.f64 %r0, %r1;",
           "cvt.rn.f32.f64 %r0;",
           "cvt.rna.f16.f32 %h0, %r0;",
           "cvt.rn.b32.f32 %r0, %r1;",
           "cvt.rn.wrong.f16.f32 %h0, %r0;",
           "cvt.u32 %r0, %r1;",
       }) {
    EXPECT_NE(WhyRefused(text), "") << text;
  }
}

}  // namespace
}  // namespace emu::testing
