#include <gtest/gtest.h>

#include "tests/emulator/exec/kernel.h"

namespace emu::testing {
namespace {

class Branches : public ::testing::TestWithParam<int> {
 protected:
  std::vector<std::uint32_t> Run(const std::string& body, std::uint32_t threads = 64) {
    const PtxResult result =
        RunKernel(Kernel(body), {.threads = threads, .seed = static_cast<std::uint64_t>(GetParam())});
    EXPECT_TRUE(result.ok()) << result.message();
    return result.Buffer<std::uint32_t>(0);
  }
};

TEST_P(Branches, BothSidesOfADivergentBranch) {
  const auto out = Run(R"(
    and.b32 %r3, %r1, 3;
    setp.eq.u32 %p1, %r3, 2;
    mov.u32 %r4, 5;
    @%p1 bra TWO;
    add.u32 %r4, %r4, %r1;
    bra.uni DONE;
  TWO:
    mul.lo.u32 %r4, %r1, 100;
  DONE:
    add.u32 %r4, %r4, 1;
    STORE %r4;
    ret;)");
  for (std::uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], t % 4 == 2 ? 100 * t + 1 : t + 6) << t;
}

TEST_P(Branches, LoopsOfDifferentLengthInsideEachOther) {
  const auto out = Run(R"(
    mov.u32 %r3, 0;
    mov.u32 %r4, 0;
  OUTER:
    mov.u32 %r5, 0;
  INNER:
    add.u32 %r4, %r4, %r5;
    add.u32 %r5, %r5, 1;
    setp.le.u32 %p1, %r5, %r3;
    @%p1 bra INNER;
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p2, %r3, %r1;
    @%p2 bra OUTER;
    STORE %r4;
    ret;)");
  for (std::uint32_t t = 0; t < 64; ++t) {
    std::uint32_t sum = 0, outer = 0;
    do {
      for (std::uint32_t inner = 0; inner <= outer; ++inner) sum += inner;
    } while (++outer < t);
    EXPECT_EQ(out[t], sum) << t;
  }
}

TEST_P(Branches, GuardedExitsLeaveTheOthers) {
  const auto out = Run(R"(
    setp.lt.u32 %p1, %r1, 10;
    @%p1 exit;
    setp.gt.u32 %p2, %r1, 50;
    @%p2 ret;
    STORE %r1;
    ret;)");
  for (std::uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], t < 10 || t > 50 ? 0xffffffff : t) << t;
}

TEST_P(Branches, TableOfTargets) {
  const auto out = Run(R"(
    rem.u32 %r3, %r1, 5;
    mov.u32 %r4, 0;
    TABLE: .branchtargets A, B, C, B, D;
    setp.ne.u32 %p1, %r3, 4;
    @%p1 brx.idx %r3, TABLE;
    add.u32 %r4, %r4, 1000;
    bra.uni D;
  A:
    add.u32 %r4, %r4, 1;
  B:
    add.u32 %r4, %r4, 10;
    bra.uni D;
  C:
    add.u32 %r4, %r4, 100;
  D:
    STORE %r4;
    ret;)");
  const std::uint32_t expected[5] = {11, 10, 100, 10, 1000};
  for (std::uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], expected[t % 5]) << t;
}

TEST_P(Branches, CodeBehindTheLastInstructionIsAnExit) {
  const auto out = Run("STORE %r1;");
  EXPECT_EQ(out[63], 63u);
}

TEST_P(Branches, WarpsThatAreNotFull) {
  const auto out = Run("STORE %r1; ret;", 43);
  for (std::uint32_t t = 0; t < 43; ++t) EXPECT_EQ(out[t], t);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Branches, ::testing::Range(0, 8));

TEST(Branch, IndexBehindTheTable) {
  const PtxResult result = RunKernel(Kernel(R"(
    TABLE: .branchtargets A, A;
    brx.idx %r1, TABLE;
  A:
    ret;)"));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.finding->kind, FindingKind::kBadOperand);
  EXPECT_NE(result.finding->message.find("lane 2"), std::string::npos) << result.message();
}

TEST(Branch, UniformBranchThatIsNot) {
  const PtxResult result = RunKernel(Kernel(R"(
    setp.eq.u32 %p1, %r1, 3;
    @%p1 bra.uni A;
    STORE %r1;
  A:
    ret;)"));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.finding->kind, FindingKind::kDivergence);
}

TEST(Branch, TrapNamesTheThread) {
  const PtxResult result = RunKernel(Kernel("setp.eq.u32 %p1, %r1, 37;\n @%p1 trap;\n ret;"), {.threads = 64});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.finding->kind, FindingKind::kTrap);
  EXPECT_EQ(result.finding->kernel, "kernel");
  EXPECT_NE(result.finding->message.find("thread (37, 0, 0)"), std::string::npos) << result.message();
}

TEST(Branch, UnknownInstructionsAreRefusedWithTheirLine) {
  const PtxResult result = RunKernel(Kernel("frobnicate.u32 %r1, %r2;\n ret;"));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.finding->kind, FindingKind::kUnsupported);
  EXPECT_GT(result.finding->line, 0);
  EXPECT_NE(result.finding->message.find("frobnicate"), std::string::npos) << result.message();
}

}  // namespace
}  // namespace emu::testing
