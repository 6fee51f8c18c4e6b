// What is reported when nobody can go on.
#include <gtest/gtest.h>

#include "tests/emulator/exec/kernel.h"

namespace emu::testing {
namespace {

class Deadlocks : public ::testing::TestWithParam<int> {
 protected:
  Finding Report(const std::string& body, std::uint32_t threads = 64, std::uint32_t blocks = 1) {
    const PtxResult result = RunKernel(
        Kernel(body), {.threads = threads, .blocks = blocks, .seed = static_cast<std::uint64_t>(GetParam())});
    EXPECT_FALSE(result.ok());
    return result.finding.value_or(Finding{});
  }
};

bool Contains(const Finding& finding, const char* text) {
  return finding.message.find(text) != std::string::npos;
}

TEST_P(Deadlocks, TwoBarriersAcross) {
  const Finding finding = Report(R"(
    setp.ge.u32 %p1, %r2, 64;
    @%p1 exit;
    setp.lt.u32 %p1, %r2, 32;
    @%p1 bra FIRST;
    bar.sync 1, 64;
    bar.sync 2, 64;
    ret;
  FIRST:
    bar.sync 2, 64;
    bar.sync 1, 64;
    ret;)",
                                 128);
  EXPECT_EQ(finding.kind, FindingKind::kDeadlock);
  EXPECT_EQ(finding.kernel, "kernel");
  EXPECT_GT(finding.line, 0);
  EXPECT_TRUE(Contains(finding, "warp  0")) << finding.message;
  EXPECT_TRUE(Contains(finding, "warp  1")) << finding.message;
  EXPECT_TRUE(Contains(finding, "bar.sync: waits for barrier 0x2; 32 of 64 threads have arrived"))
      << finding.message;
  EXPECT_TRUE(Contains(finding, "bar.sync: waits for barrier 0x1; 32 of 64 threads have arrived"))
      << finding.message;
}

TEST_P(Deadlocks, WhoIsMissingAtABarrierOfAll) {
  const Finding finding = Report(R"(
    setp.lt.u32 %p1, %r2, 96;
    @%p1 bra FIRST;
    bar.sync 7, 64;
    ret;
  FIRST:
    bar.sync 0;
    ret;)",
                                 128);
  EXPECT_EQ(finding.kind, FindingKind::kDeadlock);
  EXPECT_TRUE(Contains(finding, "missing are lanes of the warps 3")) << finding.message;
}

TEST_P(Deadlocks, FlagThatNobodySets) {
  const Finding finding = Report(R"(
  WAIT:
    ld.acquire.gpu.global.u32 %r4, [%rd2];
    setp.ne.u32 %p2, %r4, 2;
    @%p2 bra WAIT;
    ret;)",
                                 64, 3);
  EXPECT_EQ(finding.kind, FindingKind::kDeadlock);
  EXPECT_TRUE(Contains(finding, "only polls")) << finding.message;
  EXPECT_TRUE(Contains(finding, "CTA (2, 0, 0)")) << finding.message;
}

TEST_P(Deadlocks, LockThatIsNotGivenBack) {
  const Finding finding = Report(R"(
  ASK:
    atom.global.cas.b32 %r3, [%rd2], -1, 7;
    setp.ne.s32 %p1, %r3, -1;
    @%p1 bra ASK;
    ret;)");
  EXPECT_EQ(finding.kind, FindingKind::kDeadlock) << finding.message;
}

TEST_P(Deadlocks, APartOfAWarpThatNeverComes) {
  const Finding finding = Report(R"(
    setp.eq.u32 %p1, %r2, 3;
    @%p1 bra OTHER;
    bar.sync 0;
    ret;
  OTHER:
    bar.sync 1;
    ret;)",
                                 32);
  EXPECT_EQ(finding.kind, FindingKind::kDivergence) << finding.message;
  EXPECT_TRUE(Contains(finding, "0x00000008")) << finding.message;
  EXPECT_TRUE(Contains(finding, "0xfffffff7")) << finding.message;
}

INSTANTIATE_TEST_SUITE_P(Seeds, Deadlocks, ::testing::Range(0, 8));

// CTA b waits at barriers b + 1, b + 2, ...: all different.
TEST(Deadlock, LongTablesAreCut) {
  const PtxResult result = RunKernel(Kernel(R"(
    shr.u32 %r3, %r2, 5;
    mov.u32 %r4, %ctaid.x;
    add.u32 %r3, %r3, %r4;
    rem.u32 %r3, %r3, 15;
    add.u32 %r3, %r3, 1;
    bar.sync %r3, 1024;
    ret;)"),
                                     {.threads = 480, .blocks = 6, .seed = 2});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.finding->kind, FindingKind::kDeadlock);
  EXPECT_NE(result.finding->message.find("and 15 more\n"), std::string::npos) << result.message();
}

TEST(Deadlock, WhatIsTheSameIsToldOnce) {
  const PtxResult result = RunKernel(Kernel(R"(
    setp.lt.u32 %p1, %r2, 32;
    @%p1 bra FIRST;
    bar.sync 1, 1024;
    ret;
  FIRST:
    bar.sync 2, 64;
    ret;)"),
                                     {.threads = 128, .blocks = 12, .seed = 2});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.finding->kind, FindingKind::kDeadlock);
  const std::string& message = result.finding->message;
  EXPECT_NE(message.find("  CTA (0, 0, 0) warps 1-3 lanes 0xffffffff"), std::string::npos) << message;
  EXPECT_NE(message.find("  CTA (0, 0, 0) warp  0 lanes 0xffffffff"), std::string::npos) << message;
  EXPECT_NE(message.find("  the same: CTA (1, 0, 0), CTA (2, 0, 0), "), std::string::npos) << message;
  EXPECT_NE(message.find("CTA (8, 0, 0) and 3 more\n"), std::string::npos) << message;
}

}  // namespace
}  // namespace emu::testing
