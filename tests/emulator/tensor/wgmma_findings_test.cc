// What the emulator says against kernels that use wgmma wrongly.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/emulator/tensor/wgmma_kernel.h"

namespace emu::testing {
namespace {

const WgmmaShape kShape{16, 16, "f32", "bf16", "bf16"};
const std::string kFence = "wgmma.fence.sync.aligned;\n", kCommit = "wgmma.commit_group.sync.aligned;\n",
                  kWait = "wgmma.wait_group.sync.aligned 0;\n";

std::string Wgmma(const std::string& a = "%desc_a", const std::string& scale = "1",
                  const std::string& b = "%desc_b") {
  return fmt::format("{} {}, {}, {}, {}, 1, 1{}, 0;\n", WgmmaName(kShape), RegisterList("d", 8), a, b, scale,
                     a[0] == '{' ? "" : ", 0");
}
const std::string kARegisters = "{%a0, %a1, %a2, %a3}";

Placement Tile(int start) {
  Placement at;
  at.swizzle = 3, at.start = start, at.leading = 16, at.stride = 1024;
  return at;
}

PtxResult RunMiddle(const std::string& middle, std::uint64_t seed, std::uint64_t desc_a, std::uint64_t desc_b,
                    std::uint32_t threads, const std::string& before_barrier) {
  const std::vector<std::uint32_t> image(kImageBytes / 4, 0x3f803f80), d(threads * 8, 0x3f800000),
      a(threads * 4);
  PtxLaunch launch = WgmmaLaunch(image, d, a, desc_a, desc_b, threads);
  launch.seed = seed;
  return RunPtx(WgmmaKernel(kShape, middle, static_cast<int>(threads), before_barrier), "", launch);
}

void ExpectFinding(const std::string& middle, FindingKind kind, const std::vector<std::string>& texts,
                   std::uint64_t desc_a = DescriptorOf(Tile(0)),
                   std::uint64_t desc_b = DescriptorOf(Tile(16384)), std::uint32_t threads = 128,
                   const std::string& before_barrier = "fence.proxy.async;") {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const PtxResult result = RunMiddle(middle, seed, desc_a, desc_b, threads, before_barrier);
    ASSERT_FALSE(result.ok()) << "seed " << seed << "\n" << middle;
    EXPECT_EQ(result.finding->kind, kind) << "seed " << seed << "\n" << result.message();
    for (const std::string& text : texts) {
      EXPECT_NE(result.message().find(text), std::string::npos) << text << " is not in\n" << result.message();
    }
  }
}

void ExpectFine(const std::string& middle) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const PtxResult result =
        RunMiddle(middle, seed, DescriptorOf(Tile(0)), DescriptorOf(Tile(16384)), 128, "fence.proxy.async;");
    EXPECT_TRUE(result.ok()) << "seed " << seed << "\n" << result.message();
  }
}

TEST(WgmmaFindings, AccumulatorReadBeforeTheWait) {
  ExpectFinding(kFence + Wgmma() + kCommit + "add.f32 %d3, %d3, %d3;\n" + kWait,
                FindingKind::kAccumulatorInFlight,
                {"add.f32", "register 3 of the accumulator", "wait_group 0"});
  ExpectFinding(kFence + Wgmma() + kCommit + "st.global.b32 [%p1], %d7;\n" + kWait,
                FindingKind::kAccumulatorInFlight, {"register 7 of the accumulator"});
  ExpectFinding(kFence + Wgmma() + "mov.b32 %x, %d0;\n" + kCommit + kWait, FindingKind::kAccumulatorInFlight,
                {"no wgmma.commit_group"});
  ExpectFine(kFence + Wgmma() + kCommit + "add.u32 %x, %x, 1;\n" + kWait + "add.f32 %d3, %d3, %d3;\n");
}

TEST(WgmmaFindings, WaitForTooLittle) {
  ExpectFinding(kFence + Wgmma() + kCommit + Wgmma() + kCommit + "wgmma.wait_group.sync.aligned 1;\n",
                FindingKind::kAccumulatorInFlight, {"st.global", "wait_group 0"});
  // A wait before the commit waits for nothing.
  ExpectFinding(kFence + Wgmma() + kWait + kCommit, FindingKind::kAccumulatorInFlight, {"wait_group 0"});
}

TEST(WgmmaFindings, AInRegistersIsOverwritten) {
  ExpectFinding(kFence + Wgmma(kARegisters) + kCommit + "mov.b32 %a2, 0;\n" + kWait,
                FindingKind::kAccumulatorInFlight, {"register 2 of A"});
  ExpectFine(kFence + Wgmma(kARegisters) + kCommit + kWait + "mov.b32 %a2, 0;\n");
  // Two may read the same registers.
  ExpectFine(kFence + Wgmma(kARegisters) + Wgmma(kARegisters) + kCommit + kWait);
}

TEST(WgmmaFindings, MissingFence) {
  ExpectFinding(Wgmma() + kCommit + kWait, FindingKind::kAccumulatorInFlight, {"needs a wgmma.fence"});
  ExpectFinding(kFence + "mov.b32 %d2, 0;\n" + Wgmma() + kCommit + kWait, FindingKind::kAccumulatorInFlight,
                {"register 2 of the accumulator", "no wgmma.fence"});
  ExpectFinding(kFence + Wgmma() + kCommit + kWait + "add.f32 %d5, %d5, %d5;\n" + Wgmma() + kCommit + kWait,
                FindingKind::kAccumulatorInFlight, {"register 5 of the accumulator", "no wgmma.fence"});
  ExpectFinding(kFence + "mov.b32 %a1, %t;\n" + Wgmma(kARegisters) + kCommit + kWait,
                FindingKind::kAccumulatorInFlight, {"register 1 of A", "no wgmma.fence"});
  ExpectFine(kFence + Wgmma() + kCommit + kWait + "add.f32 %d5, %d5, %d5;\n" + kFence + Wgmma() + kCommit +
             kWait);
  ExpectFine(kFence + Wgmma() + kCommit + kWait + Wgmma() + kCommit + kWait);
}

TEST(WgmmaFindings, OtherShapeOnTheSameRegisters) {
  const std::string narrow =
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%d0, %d1, %d2, %d3}, %desc_a, %desc_b, 1, 1, 1, 0, "
      "0;\n";
  ExpectFinding(kFence + Wgmma() + narrow + kCommit + kWait, FindingKind::kAccumulatorInFlight,
                {"with another shape"});
  const std::string as_a = Wgmma() +
                           "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%a0, %a1, %a2, %a3}, "
                           "{%d0, %d1, %d2, %d3}, %desc_b, 1, 1, 1, 0;\n";
  ExpectFinding(kFence + as_a + kCommit + kWait, FindingKind::kAccumulatorInFlight, {"as A"});
}

TEST(WgmmaFindings, ExitWithoutAWait) {
  ExpectFinding(kFence + Wgmma() + kCommit + "exit;\n", FindingKind::kAccumulatorInFlight, {"exits"});
}

TEST(WgmmaFindings, WarpsDisagree) {
  ExpectFinding(
      "mul.wide.u32 %o, %warp, 2; add.s64 %desc_b, %desc_b, %o;\n" + kFence + Wgmma() + kCommit + kWait,
      FindingKind::kDivergence, {"B's descriptor", "warp"});
  ExpectFinding(
      "mul.wide.u32 %o, %lane, 2; add.s64 %desc_a, %desc_a, %o;\n" + kFence + Wgmma() + kCommit + kWait,
      FindingKind::kDivergence, {"descriptor of A", "lane 1"});
  ExpectFinding(
      ".reg .pred %some; setp.eq.u32 %some, %warp, 2;\n" + kFence + Wgmma("%desc_a", "%some") + kCommit + kWait,
      FindingKind::kDivergence, {"scale-d"});
  ExpectFinding(
      ".reg .pred %some; setp.lt.u32 %some, %lane, 9;\n" + kFence + Wgmma("%desc_a", "%some") + kCommit + kWait,
      FindingKind::kDivergence, {"scale-d", "0x000001ff"});
  ExpectFinding(".reg .pred %some; setp.eq.u32 %some, %warp, 3;\n" + kFence + "@%some bra OTHER;\n" + Wgmma() +
                    "bra.uni JOIN;\nOTHER:\n" + Wgmma() + "JOIN:\n" + kCommit + kWait,
                FindingKind::kDivergence, {"PTX line"});
}

TEST(WgmmaFindings, AWarpIsMissing) {
  ExpectFinding(".reg .pred %some; setp.eq.u32 %some, %warp, 3;\n" + kFence + "@%some bra JOIN;\n" + Wgmma() +
                    "JOIN:\n" + kCommit + kWait,
                FindingKind::kDeadlock, {"missing: warp 3"});
  ExpectFinding(kFence + Wgmma() + kCommit + kWait, FindingKind::kDivergence, {"four warps"},
                DescriptorOf(Tile(0)), DescriptorOf(Tile(16384)), 64);
}

TEST(WgmmaFindings, OutsideOfSharedMemory) {
  ExpectFinding(kFence + Wgmma() + kCommit + kWait, FindingKind::kOutOfBounds, {"B reaches", "65536"},
                DescriptorOf(Tile(0)), DescriptorOf(Tile(65536 - 1024)));
  Placement far = Tile(0);
  far.stride = 16384;
  ExpectFinding(kFence + Wgmma() + kCommit + kWait, FindingKind::kOutOfBounds, {"A reaches"},
                DescriptorOf(far));
}

TEST(WgmmaFindings, MissingProxyFence) {
  ExpectFinding(kFence + Wgmma() + kCommit + kWait, FindingKind::kMissingProxyFence, {"wgmma"},
                DescriptorOf(Tile(0)), DescriptorOf(Tile(16384)), 128, "");
}

TEST(WgmmaFindings, OperandOverwrittenBeforeTheWait) {
  const std::string write = "mov.u32 %x, memory; mad.lo.u32 %x, %t, 4, %x; st.shared.b32 [%x+16384], %t;\n";
  ExpectFinding(kFence + Wgmma() + kCommit + write + kWait, FindingKind::kOverwrittenInFlight, {"wgmma"});
  ExpectFine(kFence + Wgmma() + kCommit + kWait + "bar.sync 0;\n" + write);
  // Other bytes of the same line: K is 32 bytes of it.
  ExpectFine(kFence + Wgmma() + kCommit +
             "mov.u32 %x, memory; setp.eq.u32 %more, %t, 5; @%more st.shared.b32 [%x+16416], %t;\n" + kWait);
}

// Nothing writes the second half of A's rows: 32 more rows of 128 bytes behind the image. Their sums are NaN, the others right.
TEST(WgmmaFindings, UnwrittenRowsOfAnOperandAreNaN) {
  std::string kernel = WgmmaKernel(kShape, kFence + Wgmma() + kCommit + kWait);
  const std::string size = fmt::format("memory[{}]", kImageBytes);
  kernel.replace(kernel.find(size), size.size(), fmt::format("memory[{}]", kImageBytes + 32 * 128));
  const std::vector<std::uint32_t> image(kImageBytes / 4, 0x3f803f80), d(128 * 8, 0x3f800000), a(128 * 4);
  const PtxLaunch launch =
      WgmmaLaunch(image, d, a, DescriptorOf(Tile(kImageBytes - 32 * 128)), DescriptorOf(Tile(0)));
  const PtxResult result = RunPtx(kernel, "", launch);
  ASSERT_TRUE(result.ok()) << result.message();
  const auto got = result.Buffer<float>(1);
  ASSERT_EQ(got.size(), d.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    const bool written = i < got.size() / 2;  // rows of the first two warps
    EXPECT_TRUE(written ? got[i] == 17 : std::isnan(got[i])) << i << ": " << got[i];
  }
}

TEST(WgmmaFindings, OneWarpsWaitIsEnoughForAllReads) {
  // Warp 0 waits, then overwrites what all four warps' product has read.
  ExpectFine(".reg .pred %some; setp.lt.u32 %some, %t, 1;\n" + kFence + Wgmma() + kCommit + kWait +
             "mov.u32 %x, memory; @%some st.shared.b32 [%x+16384], %t; @%some st.shared.b32 [%x+8192], %t; "
             "bar.sync 0;\n");
}

}  // namespace
}  // namespace emu::testing
