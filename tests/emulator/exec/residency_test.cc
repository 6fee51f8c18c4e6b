#include "tools/emulator/exec/residency.h"

#include <gtest/gtest.h>

#include "tests/emulator/exec/kernel.h"

namespace emu {
namespace {

DeviceLimits Small() {
  DeviceLimits limits;
  limits.sms = 2;
  return limits;
}

std::size_t HowMany(const DeviceLimits& limits, const CtaNeeds& needs, std::uint32_t cluster = 1) {
  Residency residency(limits);
  std::vector<std::uint32_t> sms;
  std::size_t count = 0;
  while (count < 1000 && residency.Take(needs, cluster, &sms)) ++count;
  return count;
}

TEST(Residency, EachResourceIsALimit) {
  EXPECT_EQ(HowMany(Small(), {.threads = 32}), 64u);                          // 32 CTAs
  EXPECT_EQ(HowMany(Small(), {.threads = 512}), 8u);                          // 2048 threads
  EXPECT_EQ(HowMany(Small(), {.threads = 32, .shared = 100000}), 4u);         // 233472 bytes
  EXPECT_EQ(HowMany(Small(), {.threads = 256, .registers = 256 * 128}), 4u);  // 65536 registers
}

TEST(Residency, ClustersAreTakenWhole) {
  // Three CTAs fit on each of two multiprocessors: one cluster of four, and not half of the next.
  EXPECT_EQ(HowMany(Small(), {.threads = 640}, 4), 1u);
  EXPECT_EQ(HowMany(Small(), {.threads = 640}, 3), 2u);
}

TEST(Residency, WhatIsGivenBackCanBeTaken) {
  Residency residency(Small());
  const CtaNeeds needs{.threads = 1024, .shared = 110000};
  std::vector<std::uint32_t> first, second, third;
  EXPECT_TRUE(residency.Take(needs, 2, &first));
  EXPECT_TRUE(residency.Take(needs, 2, &second));
  EXPECT_FALSE(residency.Take(needs, 1, &third));
  residency.Give(needs, first);
  EXPECT_TRUE(residency.Take(needs, 2, &third));
}

// CTAs that wait for each other: possible as long as all are resident.
std::optional<Finding> GridBarrier(std::uint32_t blocks, std::uint64_t seed) {
  testing::PtxLaunch launch;
  launch.limits = Small();
  launch.blocks.x = blocks;
  launch.threads.x = 1024;
  launch.seed = seed;
  launch.arguments = {testing::Buffer(std::vector<std::uint32_t>(1)), testing::Value(blocks)};
  return testing::RunPtx(testing::PtxModule(".param .u64 out, .param .u32 n", R"(
    .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r5, [n];
    mov.u32 %r1, %tid.x;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra JOIN;
    red.global.add.u32 [%rd1], 1;
  WAIT:
    ld.acquire.gpu.global.u32 %r2, [%rd1];
    setp.lt.u32 %p2, %r2, %r5;
    @%p2 bra WAIT;
  JOIN:
    bar.sync 0;
    ret;)"),
                         "kernel", launch)
      .finding;
}

TEST(Residency, GridsThatFitMayWaitForThemselves) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const auto finding = GridBarrier(4, seed);
    EXPECT_FALSE(finding) << ToString(*finding);
  }
}

TEST(Residency, LargerOnesWaitForEver) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const auto finding = GridBarrier(5, seed);
    ASSERT_TRUE(finding);
    EXPECT_EQ(finding->kind, FindingKind::kDeadlock) << ToString(*finding);
  }
}

}  // namespace
}  // namespace emu
