// cvt of packed types and cvt.pack, against tables of values.
#include <gtest/gtest.h>

#include "tests/emulator/alu/evaluate.h"
#include "tests/emulator/alu/formats.h"

namespace emu::testing {
namespace {

// Two columns of singles: each value meets another one.
struct Singles {
  std::vector<float> high, low;
  std::vector<Column> columns() const { return {ColumnOf(high), ColumnOf(low)}; }
};

Singles SinglesFor(const SmallFormat& format) {
  Singles singles;
  for (const std::uint64_t bits : Floats(8, 23, 300)) singles.low.push_back(Value<float>(bits));
  const std::uint64_t step = std::max<std::uint64_t>(1, format.max() / 100);
  for (const double tie : format.Ties(step)) singles.low.push_back(static_cast<float>(tie));
  for (std::size_t i = 0; i < singles.low.size(); ++i) {
    singles.high.push_back(singles.low[(i * 7 + 3) % singles.low.size()]);
  }
  return singles;
}

struct Modifiers {
  Mode mode = Mode::kRn;
  bool relu = false, satfinite = false;
  std::string Text() const {
    return Name(mode) + std::string(satfinite ? ".satfinite" : "") + (relu ? ".relu" : "");
  }
};

std::uint64_t Element(const SmallFormat& to, const Modifiers& m, double x) {
  if (m.relu && std::signbit(x) && !std::isnan(x)) x = 0;
  return to.Encode(x, m.mode, m.satfinite);
}

void CheckFromSingles(const std::string& type, const SmallFormat& format, int bits, const Modifiers& m) {
  const Singles singles = SinglesFor(format);
  const std::string instruction = "cvt" + m.Text() + "." + type + ".f32";
  // E2M1x2 lies in a register of 8 bits.
  const std::string body = bits == 4 ? "{ .reg .b8 %t; " + instruction + " %t, %a, %b; cvt.u32.u8 %d, %t; }"
                                     : instruction + " %d, %a, %b;";
  const auto results = Evaluate(body, bits == 8 ? 2 : 4, singles.columns());
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::uint64_t expected =
        Element(format, m, singles.high[i]) << bits | Element(format, m, singles.low[i]);
    ASSERT_EQ(results[i], expected) << instruction << " " << singles.high[i] << " " << singles.low[i]
                                    << std::hex << ": " << results[i] << ", not " << expected;
  }
}

TEST(ConvertPacked, SinglesToHalves) {
  for (const Mode mode : {Mode::kRn, Mode::kRz}) {
    for (int bits = 0; bits < 4; ++bits) {
      const Modifiers m{mode, (bits & 1) != 0, (bits & 2) != 0};
      CheckFromSingles("f16x2", F16(), 16, m);
      CheckFromSingles("bf16x2", BF16(), 16, m);
    }
  }
}

TEST(ConvertPacked, SinglesToNarrow) {
  for (const bool relu : {false, true}) {
    const Modifiers m{Mode::kRn, relu, true};
    CheckFromSingles("e4m3x2", E4M3(), 8, m);
    CheckFromSingles("e5m2x2", E5M2(), 8, m);
    CheckFromSingles("e2m3x2", E2M3(), 8, m);
    CheckFromSingles("e3m2x2", E3M2(), 8, m);
    CheckFromSingles("e2m1x2", E2M1(), 4, m);
  }
}

// Every half, beside another one.
TEST(ConvertPacked, HalvesToEights) {
  Column pairs{4, {}};
  for (std::uint64_t low = 0; low < 65536; low += 3)
    pairs.values.push_back((low * 40503 + 7) % 65536 << 16 | low);
  for (const auto& [type, format] : {std::pair{"e4m3x2", &E4M3()}, {"e5m2x2", &E5M2()}}) {
    for (const bool relu : {false, true}) {
      const Modifiers m{Mode::kRn, relu, true};
      const std::string instruction = "cvt" + m.Text() + "." + type + ".f16x2";
      const auto results = Evaluate(instruction + " %d, %a;", 2, {pairs});
      for (std::size_t i = 0; i < results.size(); ++i) {
        const std::uint64_t pair = pairs.values[i];
        const std::uint64_t high = Element(*format, m, F16().Decode(pair >> 16));
        ASSERT_EQ(results[i], high << 8 | Element(*format, m, F16().Decode(pair & 0xffff)))
            << instruction << " " << std::hex << pair;
      }
    }
  }
}

// Every encoding, beside its complement.
TEST(ConvertPacked, NarrowToHalves) {
  const struct {
    const char* type;
    const SmallFormat* format;
    int bits;
  } kCases[] = {{"e4m3x2", &E4M3(), 8},
                {"e5m2x2", &E5M2(), 8},
                {"e2m3x2", &E2M3(), 6},
                {"e3m2x2", &E3M2(), 6},
                {"e2m1x2", &E2M1(), 4}};
  for (const auto& one : kCases) {
    const std::uint64_t mask = (std::uint64_t{1} << one.bits) - 1;
    const int place = one.bits == 4 ? 4 : 8;
    Column pairs{2, {}};
    for (std::uint64_t low = 0; low <= mask; ++low) pairs.values.push_back((~low & mask) << place | low);
    for (const bool relu : {false, true}) {
      const Modifiers m{Mode::kRn, relu, false};
      const std::string instruction = "cvt" + m.Text() + ".f16x2." + one.type;
      const std::string body = one.bits == 4 ? "{ .reg .b8 %t; cvt.u8.u16 %t, %a; " + instruction + " %d, %t; }"
                                             : instruction + " %d, %a;";
      const auto results = Evaluate(body, 4, {pairs});
      for (std::size_t i = 0; i < results.size(); ++i) {
        const std::uint64_t pair = pairs.values[i];
        const std::uint64_t high = Element(F16(), m, one.format->Decode(pair >> place & mask));
        ASSERT_EQ(results[i], high << 16 | Element(F16(), m, one.format->Decode(pair & mask)))
            << instruction << " " << std::hex << pair;
      }
    }
  }
}

// UE8M0 is 2^(bits - 127), 255 is NaN. The sign of what is converted is ignored.
std::uint64_t Scale(double x, Mode mode, bool finite) {
  if (std::isnan(x)) return 255;
  x = std::fabs(x);
  if (std::isinf(x)) return finite ? 254 : 255;
  std::uint64_t best = 0;
  for (std::uint64_t bits = 0; bits < 255; ++bits) {
    const double value = std::ldexp(1.0, static_cast<int>(bits) - 127);
    if (mode == Mode::kRz && value <= x) best = bits;
    if (mode == Mode::kRp && value >= x) return bits;
  }
  return mode == Mode::kRz ? best : finite ? 254 : 255;
}

TEST(ConvertPacked, Scales) {
  const Singles singles = SinglesFor(BF16());
  Column pairs{4, {}};
  for (const std::uint64_t low : Floats(8, 7, 400)) pairs.values.push_back(low << 16 | (low * 31 & 0xffff));
  for (const Mode mode : {Mode::kRz, Mode::kRp}) {
    for (const bool finite : {false, true}) {
      const std::string text = std::string("cvt") + Name(mode) + (finite ? ".satfinite" : "") + ".ue8m0x2";
      const auto from_singles = Evaluate(text + ".f32 %d, %a, %b;", 2, singles.columns());
      for (std::size_t i = 0; i < from_singles.size(); ++i) {
        ASSERT_EQ(from_singles[i],
                  Scale(singles.high[i], mode, finite) << 8 | Scale(singles.low[i], mode, finite))
            << text << " " << singles.high[i] << " " << singles.low[i];
      }
      const auto from_pairs = Evaluate(text + ".bf16x2 %d, %a;", 2, {pairs});
      for (std::size_t i = 0; i < from_pairs.size(); ++i) {
        const std::uint64_t pair = pairs.values[i];
        ASSERT_EQ(from_pairs[i], Scale(BF16().Decode(pair >> 16), mode, finite) << 8 |
                                     Scale(BF16().Decode(pair & 0xffff), mode, finite))
            << text << " " << std::hex << pair;
      }
    }
  }
  Column scales{2, {}};
  for (std::uint64_t bits = 0; bits < 256; ++bits) scales.values.push_back((255 - bits) << 8 | bits);
  const auto values = Evaluate("cvt.rn.bf16x2.ue8m0x2 %d, %a;", 4, {scales});
  const auto value = [](std::uint64_t bits) {
    return bits == 255 ? BF16().nan() : BF16().Encode(std::ldexp(1.0, static_cast<int>(bits) - 127), Mode::kRn);
  };
  for (std::uint64_t bits = 0; bits < 256; ++bits)
    ASSERT_EQ(values[bits], value(255 - bits) << 16 | value(bits));
}

TEST(ConvertPacked, Pack) {
  const auto values = Cross(Integers<std::int32_t>(20), 2);
  std::vector<std::uint32_t> above;
  for (std::size_t i = 0; i < values[0].size(); ++i)
    above.push_back(static_cast<std::uint32_t>(i * 0x9e37'79b9));
  const std::vector<Column> columns = {ColumnOf(values[0]), ColumnOf(values[1]), ColumnOf(above)};
  for (const int bits : {16, 8, 4, 2}) {
    for (const bool is_signed : {false, true}) {
      const std::string type = (is_signed ? "s" : "u") + std::to_string(bits);
      const std::string body =
          "cvt.pack.sat." + type + (bits == 16 ? ".s32 %d, %a, %b;" : ".s32.b32 %d, %a, %b, %c;");
      const std::int64_t lowest = is_signed ? -(1 << (bits - 1)) : 0,
                         highest = (1 << (is_signed ? bits - 1 : bits)) - 1;
      const auto results = Evaluate(body, 4, columns);
      for (std::size_t i = 0; i < results.size(); ++i) {
        const auto element = [&](std::int64_t x) {
          return static_cast<std::uint64_t>(std::clamp(x, lowest, highest)) & ((1u << bits) - 1);
        };
        std::uint64_t expected = element(values[0][i]) << bits | element(values[1][i]);
        if (bits != 16) expected |= std::uint64_t{above[i]} << 2 * bits;
        ASSERT_EQ(results[i], expected & 0xffff'ffff) << body << " " << values[0][i] << " " << values[1][i];
      }
    }
  }
}

TEST(ConvertPacked, Refusals) {
  for (const char* text : {
           "cvt.rn.e4m3x2.f32 %h0, %r0, %r1;",
           "cvt.rz.satfinite.e4m3x2.f32 %h0, %r0, %r1;",
           "cvt.satfinite.e4m3x2.f32 %h0, %r0, %r1;",
           "cvt.rm.f16x2.f32 %r0, %r1, %r2;",
           "cvt.rn.f16x2.f32 %r0, %r1;",
           "cvt.rn.e4m3x2.bf16x2 %h0, %r0;",
           "cvt.rn.bf16x2.e4m3x2 %r0, %h0;",
           "cvt.rn.ue8m0x2.f32 %h0, %r0, %r1;",
           "cvt.rs.f16x2.f32 %r0, %r1, %r2, %r3;",
           "cvt.pack.u16.s32 %r0, %r1, %r2;",
           "cvt.pack.sat.u8.s32 %r0, %r1, %r2;",
           "cvt.pack.sat.u32.s32 %r0, %r1, %r2;",
       }) {
    EXPECT_NE(WhyRefused(text), "") << text;
  }
}

}  // namespace
}  // namespace emu::testing
