// wgmma of every type and many shapes, as PTX: shared memory filled by the ISA's layouts, results against sums in double.
#include <gtest/gtest.h>

#include "tests/emulator/tensor/wgmma_kernel.h"

namespace emu::testing {
namespace {

struct WgmmaCase {
  WgmmaShape shape;
  Placement a, b;
  bool a_in_registers = false;
  int scale_a = 1, scale_b = 1;
  bool add = true;
  std::string modifier = {};  // ".satfinite", ".and.popc"
  bool whole = true;
};

// Row of the accumulator and of A in registers, by warp and lane ("Register Fragments", figures).
int RowOf(int warp, int lane, bool lower) { return warp * 16 + lane / 4 + (lower ? 8 : 0); }

std::string Instruction(const WgmmaCase& one) {
  const int bits = BitsOfType(one.shape.a);
  std::string text =
      fmt::format("{}{} {}, {}, %desc_b, {}", WgmmaName(one.shape), one.modifier,
                  RegisterList("d", one.shape.d_registers()),
                  one.a_in_registers ? "{%a0, %a1, %a2, %a3}" : "%desc_a", one.add ? "%one" : "%zero");
  const bool integers = one.shape.d == "s32";
  if (!integers) text += fmt::format(", {}, {}", one.scale_a, one.scale_b);
  if (bits == 16) {
    if (!one.a_in_registers) text += fmt::format(", {}", one.a.mn_major ? 1 : 0);
    text += fmt::format(", {}", one.b.mn_major ? 1 : 0);
  }
  return text + ";";
}

void RunCase(const WgmmaCase& one, std::uint64_t seed = 0) {
  const WgmmaShape& shape = one.shape;
  const int bits = BitsOfType(shape.a), d_bits = BitsOfType(shape.d);
  Random random(5);
  Matrix a(shape.a, 64, shape.k), b(shape.b, shape.n, shape.k), c(shape.d, 64, shape.n);  // b: [n][k]
  a.Fill(one.whole, random), b.Fill(one.whole, random), c.Fill(one.whole, random);
  // Unused bytes are NaN or large numbers.
  std::vector<std::uint32_t> image(kImageBytes / 4), blank(kImageBytes / 4);
  if (!one.a_in_registers) Place(a, one.a, &image);
  Place(b, one.b, &image);
  Matrix ones_a(shape.a, 64, shape.k), ones_b(shape.b, shape.n, shape.k);
  for (auto& x : ones_a.bits) x = bits == 32 ? ~0u : (std::uint64_t{1} << bits) - 1;
  for (auto& x : ones_b.bits) x = bits == 32 ? ~0u : (std::uint64_t{1} << bits) - 1;
  if (!one.a_in_registers) Place(ones_a, one.a, &blank);
  Place(ones_b, one.b, &blank);
  for (std::size_t i = 0; i < image.size(); ++i) image[i] |= ~blank[i];

  const int d_count = shape.d_registers();
  std::vector<std::uint32_t> d_words(static_cast<std::size_t>(4 * d_count * 32)), a_words(4 * 4 * 32);
  // Element i of a lane: pairs of columns 2 (lane % 4) and the next, rows lane / 4 and that + 8, then 8 columns further.
  const auto for_d = [&](auto visit) {
    for (int warp = 0; warp < 4; ++warp) {
      for (int lane = 0; lane < 32; ++lane) {
        for (int i = 0; i < shape.n / 2; ++i) {
          const int per_register = 32 / d_bits;
          const int element =
              ((warp * d_count + i / per_register) * 32 + lane) * per_register + i % per_register;
          visit(static_cast<std::size_t>(element), RowOf(warp, lane, i / 2 % 2 != 0),
                i / 4 * 8 + lane % 4 * 2 + i % 2);
        }
      }
    }
  };
  for_d(
      [&](std::size_t element, int row, int column) { PutElement(&d_words, element, d_bits, c(row, column)); });
  if (one.a_in_registers) {
    const int packed = 32 / bits;
    for (int warp = 0; warp < 4; ++warp) {
      for (int lane = 0; lane < 32; ++lane) {
        for (int i = 0; i < 4 * packed; ++i) {
          const int reg = i / packed;
          const int column = (lane % 4 + reg / 2 * 4) * packed + i % packed;
          PutElement(&a_words, static_cast<std::size_t>(((warp * 4 + reg) * 32 + lane) * packed + i % packed),
                     bits, a(RowOf(warp, lane, reg % 2 != 0), column));
        }
      }
    }
  }
  const std::string instruction = Instruction(one);
  PtxLaunch launch = WgmmaLaunch(image, d_words, a_words, DescriptorOf(one.a), DescriptorOf(one.b));
  launch.seed = seed;
  const PtxResult result =
      RunPtx(WgmmaKernel(shape, "wgmma.fence.sync.aligned;\n" + instruction +
                                    "\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;"),
             "", launch);
  ASSERT_TRUE(result.ok()) << instruction.substr(0, 60) << "\n" << result.message();
  const auto got = result.Buffer<std::uint32_t>(1);
  int wrong = 0;
  for_d([&](std::size_t element, int row, int column) {
    double sum = 0, size = 0;
    for (int k = 0; k < shape.k; ++k) {
      const double term = a.Value(row, k) * b.Value(column, k);
      sum += term, size += std::fabs(term);
    }
    double expected = one.scale_a * one.scale_b * sum + (one.add ? c.Value(row, column) : 0);
    size += std::fabs(c.Value(row, column));
    const double value = DecodeType(shape.d, GetElement(got, element, d_bits));
    if (!(std::fabs(value - expected) <= Allowed(shape.d, expected, size)) && ++wrong < 5) {
      ADD_FAILURE() << instruction.substr(0, 60) << " row " << row << " column " << column << ": " << value
                    << ", not " << expected;
    }
  });
}

// K-major matrices: groups of 8 rows one behind the other, or (without swizzle) two columns of 16 bytes.
Placement KMajor(int start, int swizzle, int mn) {
  Placement at;
  at.swizzle = swizzle, at.start = start;
  at.stride = swizzle == 0 ? 128 : 128 << swizzle;
  at.leading = swizzle == 0 ? mn * 16 : 16;
  return at;
}
// MN-major with 16 bits: k % 8 lines of a swizzle, 8 k further, then along mn.
Placement MnMajor(int start, int swizzle, int mn) {
  Placement at;
  at.mn_major = true, at.swizzle = swizzle, at.start = start;
  const int atom = 128 << swizzle;
  if (swizzle == 0) {
    at.stride = 128, at.leading = mn / 8 * 128;
  } else {
    at.stride = atom, at.leading = 2 * atom;
  }
  return at;
}

const WgmmaShape kHalf{64, 16, "f32", "f16", "f16"};

TEST(Wgmma, EveryN) {
  for (int n = 8; n <= 256; n += 8) {
    RunCase({{n, 16, "f32", "bf16", "bf16"}, KMajor(0, 3, 64), KMajor(16384, 3, n)});
  }
}

TEST(Wgmma, EveryFloatingPointType) {
  for (const bool whole : {true, false}) {
    for (const char* d : {"f32", "f16"}) {
      RunCase(
          {{96, 16, d, "f16", "f16"}, KMajor(0, 3, 64), KMajor(16384, 2, 96), false, 1, 1, true, "", whole});
      for (const char* a : {"e4m3", "e5m2"}) {
        for (const char* b : {"e4m3", "e5m2"}) {
          RunCase({{40, 32, d, a, b}, KMajor(0, 3, 64), KMajor(16384, 1, 40), false, 1, 1, true, "", whole});
        }
      }
    }
    RunCase({{128, 16, "f32", "bf16", "bf16"},
             KMajor(0, 3, 64),
             KMajor(16384, 3, 128),
             false,
             1,
             1,
             true,
             "",
             whole});
    RunCase(
        {{72, 8, "f32", "tf32", "tf32"}, KMajor(0, 2, 64), KMajor(16384, 3, 72), false, 1, 1, true, "", whole});
  }
}

TEST(Wgmma, Integers) {
  for (const char* a : {"s8", "u8"}) {
    for (const char* b : {"s8", "u8"}) {
      RunCase({{24, 32, "s32", a, b}, KMajor(0, 3, 64), KMajor(16384, 0, 24)});
      RunCase(
          {{112, 32, "s32", a, b}, KMajor(0, 3, 64), KMajor(16384, 0, 112), true, 1, 1, true, ".satfinite"});
    }
  }
  RunCase(
      {{48, 256, "s32", "b1", "b1"}, KMajor(0, 3, 64), KMajor(16384, 3, 48), false, 1, 1, true, ".and.popc"});
  RunCase(
      {{16, 256, "s32", "b1", "b1"}, KMajor(0, 3, 64), KMajor(16384, 0, 16), true, 1, 1, false, ".and.popc"});
}

TEST(Wgmma, EverySwizzleOfBothMatrices) {
  for (int a = 0; a <= 3; ++a) {
    for (int b = 0; b <= 3; ++b) {
      for (const bool a_mn : {false, true}) {
        for (const bool b_mn : {false, true}) {
          RunCase({kHalf, a_mn ? MnMajor(0, a, 64) : KMajor(0, a, 64),
                   b_mn ? MnMajor(16384, b, 64) : KMajor(16384, b, 64)});
        }
      }
    }
  }
}

// N that is no multiple of what a swizzled line holds.
TEST(Wgmma, NarrowMnMajor) {
  for (const int n : {8, 16, 24, 40, 200}) {
    for (int swizzle = 0; swizzle <= 3; ++swizzle)
      RunCase({{n, 16, "f32", "f16", "f16"}, KMajor(0, 3, 64), MnMajor(16384, swizzle, n)});
  }
}

TEST(Wgmma, AInRegisters) {
  for (const auto& [type, k] : {std::pair{"f16", 16}, {"bf16", 16}, {"tf32", 8}, {"e4m3", 32}, {"e5m2", 32}}) {
    RunCase({{32, k, "f32", type, type}, {}, KMajor(16384, 3, 32), true, 1, 1, true, "", false});
  }
  RunCase({kHalf, {}, MnMajor(16384, 3, 64), true});
}

TEST(Wgmma, Scales) {
  for (const int a : {1, -1}) {
    for (const int b : {1, -1}) {
      for (const bool add : {false, true}) {
        RunCase({kHalf, KMajor(0, 3, 64), KMajor(16384, 3, 64), false, a, b, add, "", false});
      }
    }
  }
}

// Start addresses inside a line (the next 16 elements of k), at lines within the pattern, and patterns that start elsewhere.
TEST(Wgmma, StartsAndBaseOffsets) {
  for (int swizzle = 1; swizzle <= 3; ++swizzle) {
    for (int step = 0; step < 1 << (swizzle - 1); ++step) {
      Placement a = KMajor(32 * step, swizzle, 64), b = KMajor(16384 + 32 * step, swizzle, 64);
      RunCase({kHalf, a, b});
    }
    for (int line = 0; line < 8; ++line) {
      Placement a = KMajor(128 * line, swizzle, 64), b = KMajor(16384 + 128 * line, swizzle, 64);
      a.base_offset = line, b.base_offset = line;
      RunCase({kHalf, a, b});
    }
  }
}

TEST(Wgmma, WideStrides) {
  Placement a = KMajor(0, 0, 64), b = KMajor(256, 3, 64);
  a.leading = 128, a.stride = 4096;
  b.start = 1024, b.stride = 4096;
  RunCase({kHalf, a, b});
}

TEST(Wgmma, SaturatesOrWraps) {
  for (const bool saturate : {false, true}) {
    const WgmmaShape shape{8, 32, "s32", "u8", "u8"};
    std::vector<std::uint32_t> image(kImageBytes / 4, 0xffffffff), d(4 * 4 * 32, 2147483000u), a(512);
    const PtxResult result = RunPtx(
        WgmmaKernel(shape, "wgmma.fence.sync.aligned;\n" + WgmmaName(shape) + (saturate ? ".satfinite" : "") +
                               " {%d0,%d1,%d2,%d3}, %desc_a, %desc_b, 1;\nwgmma.commit_group.sync.aligned;\n"
                               "wgmma.wait_group.sync.aligned 0;"),
        "", WgmmaLaunch(image, d, a, DescriptorOf(KMajor(0, 0, 64)), DescriptorOf(KMajor(16384, 0, 8))));
    ASSERT_TRUE(result.ok()) << result.message();
    EXPECT_EQ(result.Buffer<std::uint32_t>(1)[77], saturate ? 2147483647u : 2147483000u + 255 * 255 * 32);
  }
}

// Chains of wgmmas, in groups, at seeds that complete them early, late and in between.
TEST(Wgmma, ChainsAtEverySeed) {
  const WgmmaShape shape{16, 16, "f32", "bf16", "bf16"};
  std::vector<std::uint32_t> image(kImageBytes / 4, 0x3f803f80), d(4 * 8 * 32, 0x3f800000), a(512);
  const auto wgmma = [&](const char* scale) {
    return fmt::format("{} {}, %desc_a, %desc_b, {}, 1, 1, 0, 0;\n", WgmmaName(shape), RegisterList("d", 8),
                       scale);
  };
  const std::string commit = "wgmma.commit_group.sync.aligned;\n", fence = "wgmma.fence.sync.aligned;\n";
  const std::string middle = fence + wgmma("%one") + wgmma("%one") + commit + fence + wgmma("%one") + commit +
                             "wgmma.wait_group.sync.aligned 1;\n" + wgmma("%one") + commit +
                             "wgmma.wait_group.sync.aligned 0;\nadd.f32 %d0, %d0, 0f3F800000;\n" + fence +
                             wgmma("%one") + commit + "wgmma.wait_group.sync.aligned 0;";
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    PtxLaunch launch =
        WgmmaLaunch(image, d, a, DescriptorOf(KMajor(0, 3, 64)), DescriptorOf(KMajor(16384, 3, 16)));
    launch.seed = seed;
    const PtxResult result = RunPtx(WgmmaKernel(shape, middle), "", launch);
    ASSERT_TRUE(result.ok()) << "seed " << seed << "\n" << result.message();
    const auto got = result.Buffer<float>(1);
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_EQ(got[i], 5 * 16 + 1 + (i / 32 % 8 == 0 ? 1 : 0)) << "seed " << seed;
  }
}

TEST(Wgmma, Refused) {
  const auto refused = [](const WgmmaShape& shape, const std::string& tail, const std::string& modifier = "") {
    std::vector<std::uint32_t> image(kImageBytes / 4), d(4 * 128 * 32), a(512);
    const PtxResult result = RunPtx(
        WgmmaKernel(shape, WgmmaName(shape) + modifier + " " + RegisterList("d", shape.d_registers()) + tail),
        "", WgmmaLaunch(image, d, a, 0, 0));
    ASSERT_FALSE(result.ok()) << WgmmaName(shape);
    EXPECT_EQ(result.finding->kind, FindingKind::kUnsupported) << result.message();
  };
  refused({12, 16, "f32", "f16", "f16"}, ", %desc_a, %desc_b, 1, 1, 1, 0, 0;");
  refused({264, 16, "f32", "f16", "f16"}, ", %desc_a, %desc_b, 1, 1, 1, 0, 0;");
  refused({64, 32, "f32", "f16", "f16"}, ", %desc_a, %desc_b, 1, 1, 1, 0, 0;");
  refused({64, 16, "f16", "bf16", "bf16"}, ", %desc_a, %desc_b, 1, 1, 1, 0, 0;");
  refused({64, 16, "f32", "f16", "f16"}, ", %desc_a, %desc_b, 1, 2, 1, 0, 0;");
  refused({64, 16, "f32", "f16", "f16"}, ", %desc_a, %desc_b, 1, 1, 1, 0;");
  refused({64, 8, "f32", "tf32", "tf32"}, ", %desc_a, %desc_b, 1, 1, 1, 0, 1;");
  refused({40, 32, "s32", "s8", "s8"}, ", %desc_a, %desc_b, 1;");
  refused({64, 16, "f32", "f16", "f16"}, ", %desc_a, %desc_b, 1, 1, 1, 0, 0;", ".satfinite");
}

}  // namespace
}  // namespace emu::testing
