#include <gtest/gtest.h>

#include "tests/emulator/exec/kernel.h"

namespace emu::testing {
namespace {

class Collectives : public ::testing::TestWithParam<int> {
 protected:
  PtxResult Try(const std::string& body, std::uint32_t threads = 64) {
    return RunKernel(Kernel(body), {.threads = threads, .seed = static_cast<std::uint64_t>(GetParam())});
  }
  std::vector<std::uint32_t> Out(const std::string& body, std::uint32_t threads = 64) {
    const PtxResult result = Try(body, threads);
    EXPECT_TRUE(result.ok()) << result.message();
    return result.Buffer<std::uint32_t>(0);
  }
  // What a shuffle gives, + 1000 where its predicate is true.
  std::vector<std::uint32_t> Shuffle(const std::string& mode, const std::string& b, const std::string& c) {
    return Out("add.u32 %r3, %r1, 1;\n shfl.sync." + mode + ".b32 %r4|%p1, %r3, " + b + ", " + c +
               ", -1;\n @%p1 add.u32 %r4, %r4, 1000;\n STORE %r4;\n ret;");
  }
};

// What the four modes do, in words: segments of the warp (bits 8 to 12 of c are zero where lanes share one), and a lane that
// would read beyond its segment or the clamp value reads itself.
TEST_P(Collectives, ShuffleDown) {
  const auto out = Shuffle("down", "3", "31");
  for (std::uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], t % 32 < 29 ? t + 3 + 1001 : t + 1) << t;
}

TEST_P(Collectives, ShuffleDownInSegments) {
  const auto out = Shuffle("down", "2", "6175");  // 0x181f: segments of 8
  for (std::uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], t % 8 < 6 ? t + 2 + 1001 : t + 1) << t;
}

TEST_P(Collectives, ShuffleUp) {
  const auto out = Shuffle("up", "5", "0");
  for (std::uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], t % 32 >= 5 ? t - 5 + 1001 : t + 1) << t;
}

TEST_P(Collectives, ShuffleButterfly) {
  const auto out = Shuffle("bfly", "21", "31");
  for (std::uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], (t ^ 21) + 1001) << t;
}

TEST_P(Collectives, ShuffleIndex) {
  const auto out = Shuffle("idx", "%r2", "31");  // each reads itself
  for (std::uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], t + 1001) << t;
  const auto first = Shuffle("idx", "1", "7199");  // 0x1c1f: segments of 4
  for (std::uint32_t t = 0; t < 64; ++t) EXPECT_EQ(first[t], t / 4 * 4 + 1 + 1001) << t;
}

TEST_P(Collectives, LanesComeToAShuffleFromTwoPlaces) {
  const auto out = Out(R"(
    and.b32 %r3, %r1, 1;
    setp.eq.u32 %p1, %r3, 0;
    @%p1 bra EVEN;
    add.u32 %r5, %r1, 100;
    shfl.sync.bfly.b32 %r4, %r5, 1, 31, -1;
    bra.uni DONE;
  EVEN:
    add.u32 %r6, %r1, 200;
    shfl.sync.bfly.b32 %r4, %r6, 1, 31, -1;
  DONE:
    STORE %r4;
    ret;)");
  for (std::uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], (t ^ 1) + (t % 2 == 0 ? 100 : 200)) << t;
}

TEST_P(Collectives, TwoHalvesOfAWarpShuffleApart) {
  const auto out = Out(R"(
    setp.lt.u32 %p1, %r2, 16;
    mov.u32 %r5, -65536;
    @%p1 mov.u32 %r5, 65535;
    shfl.sync.bfly.b32 %r4, %r1, 15, 31, %r5;
    STORE %r4;
    ret;)",
                       32);
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(out[t], t ^ 15) << t;
}

TEST_P(Collectives, Votes) {
  const auto out = Out(R"(
    setp.gt.u32 %p1, %r2, 40;
    vote.sync.any.pred %p2, %p1, -1;
    vote.sync.all.pred %p3, %p1, -1;
    vote.sync.all.pred %p4, !%p1, -1;
    vote.sync.uni.pred %p5, %p1, -1;
    vote.sync.ballot.b32 %r3, %p1, -1;
    selp.u32 %r4, 1, 0, %p2;
    selp.u32 %r5, 2, 0, %p3;
    selp.u32 %r6, 4, 0, %p4;
    selp.u32 %r7, 8, 0, %p5;
    add.u32 %r4, %r4, %r5;
    add.u32 %r4, %r4, %r6;
    add.u32 %r4, %r4, %r7;
    xor.b32 %r4, %r4, %r3;
    STORE %r4;
    ret;)");
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(out[t], 4u + 8) << t;
  for (std::uint32_t t = 32; t < 64; ++t) EXPECT_EQ(out[t], 0xfffffe00u ^ 1) << t;
}

TEST_P(Collectives, VoteOfTheLanesThatAreLeft) {
  const auto out = Out(R"(
    setp.ge.u32 %p1, %r2, 20;
    @%p1 exit;
    setp.ge.u32 %p1, %r2, 0;
    vote.sync.ballot.b32 %r3, %p1, -1;
    STORE %r3;
    ret;)",
                       32);
  for (std::uint32_t t = 0; t < 20; ++t) EXPECT_EQ(out[t], 0xfffffu) << t;
}

TEST_P(Collectives, Match) {
  const auto out = Out(R"(
    rem.u32 %r3, %r2, 3;
    match.any.sync.b32 %r4, %r3, -1;
    cvt.u64.u32 %rd5, %r30;
    match.all.sync.b64 %r5|%p1, %rd5, -1;
    match.all.sync.b32 %r6|%p2, %r3, -1;
    selp.u32 %r7, %r5, 0, %p1;
    not.b32 %r7, %r7;
    add.u32 %r4, %r4, %r7;
    add.u32 %r4, %r4, %r6;
    @%p2 mov.u32 %r4, 0;
    STORE %r4;
    ret;)",
                       32);
  for (std::uint32_t t = 0; t < 32; ++t)
    EXPECT_EQ(out[t], t % 3 == 0 ? 0x49249249 : t % 3 == 1 ? 0x92492492 : 0x24924924) << t;
}

TEST_P(Collectives, Reductions) {
  const auto out = Out(R"(
    sub.s32 %r3, %r2, 10;
    redux.sync.add.s32 %r4, %r3, -1;
    redux.sync.min.s32 %r5, %r3, -1;
    redux.sync.max.u32 %r6, %r3, -1;
    redux.sync.xor.b32 %r7, %r3, -1;
    redux.sync.or.b32 %r8, %r2, -1;
    redux.sync.and.b32 %r9, %r3, -1;
    setp.eq.u32 %p1, %r2, 0;
    setp.eq.u32 %p2, %r2, 1;
    setp.eq.u32 %p3, %r2, 2;
    setp.eq.u32 %p4, %r2, 3;
    setp.eq.u32 %p5, %r2, 4;
    setp.eq.u32 %p6, %r2, 5;
    @%p1 STORE %r4;
    @%p2 STORE %r5;
    @%p3 STORE %r6;
    @%p4 STORE %r7;
    @%p5 STORE %r8;
    @%p6 STORE %r9;
    ret;)",
                       32);
  std::uint32_t add = 0, exclusive = 0, all = 0xffffffff;
  for (std::uint32_t t = 0; t < 32; ++t) add += t - 10, exclusive ^= t - 10, all &= t - 10;
  EXPECT_EQ(out[0], add);
  EXPECT_EQ(out[1], static_cast<std::uint32_t>(-10));
  EXPECT_EQ(out[2], static_cast<std::uint32_t>(-1));
  EXPECT_EQ(out[3], exclusive);
  EXPECT_EQ(out[4], 31u);
  EXPECT_EQ(out[5], all);
}

TEST_P(Collectives, TheLowestMemberIsElected) {
  const auto out = Out(R"(
    mov.u32 %r3, 77;
    elect.sync %r4|%p1, -1;
    setp.gt.u32 %p3, %r2, 36;
    setp.lt.u32 %p2, %r2, 50;
    and.pred %p3, %p3, %p2;
    @%p3 elect.sync %r3|%p2, 0x3ffe0;
    selp.u32 %r5, 256, 0, %p1;
    add.u32 %r3, %r3, %r5;
    selp.u32 %r5, 512, 0, %p2;
    @%p3 add.u32 %r3, %r3, %r5;
    shl.b32 %r4, %r4, 16;
    add.u32 %r3, %r3, %r4;
    STORE %r3;
    ret;)");
  for (std::uint32_t t = 0; t < 64; ++t) {
    const std::uint32_t elected = t % 32 == 0 ? 256 : 0;
    const std::uint32_t part = t > 36 && t < 50 ? (t == 37 ? 5 + 512 : 5) : 77;
    EXPECT_EQ(out[t], elected + part) << t;
  }
}

TEST_P(Collectives, ActiveMaskOfASide) {
  const auto out = Out(R"(
    mov.u32 %r3, 0;
    setp.lt.u32 %p1, %r2, 5;
    @%p1 activemask.b32 %r3;
    STORE %r3;
    ret;)",
                       32);
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(out[t], t < 5 ? 31u : 0u);
}

TEST_P(Collectives, AStrangerToItsMask) {
  const PtxResult result = Try("shfl.sync.idx.b32 %r3, %r1, 0, 31, 255;\n ret;", 32);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.finding->kind, FindingKind::kDivergence) << result.message();
}

TEST_P(Collectives, AMemberThatNeverComes) {
  const PtxResult result = Try(R"(
    setp.lt.u32 %p1, %r2, 5;
    @%p1 bra FEW;
    vote.sync.any.pred %p2, %p1, -32;
    bar.warp.sync -1;
    ret;
  FEW:
    shfl.sync.idx.b32 %r3, %r1, 0, 31, -1;
    bar.warp.sync -1;
    ret;)",
                               32);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.finding->kind, FindingKind::kDivergence) << result.message();
  EXPECT_NE(result.finding->message.find("shfl.sync"), std::string::npos) << result.message();
}

INSTANTIATE_TEST_SUITE_P(Seeds, Collectives, ::testing::Range(0, 8));

}  // namespace
}  // namespace emu::testing
