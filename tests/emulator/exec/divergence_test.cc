// Lanes of one warp that wait for each other: independent thread scheduling.
#include <gtest/gtest.h>

#include "tests/emulator/exec/kernel.h"

namespace emu::testing {
namespace {

class Divergence : public ::testing::TestWithParam<int> {
 protected:
  PtxResult Try(const std::string& body, std::uint32_t threads = 64, std::uint32_t blocks = 1) {
    return RunKernel(Kernel(body),
                     {.threads = threads, .blocks = blocks, .seed = static_cast<std::uint64_t>(GetParam())});
  }
};

// The lane that has the lock is parked behind the loop in which the others ask for it.
TEST_P(Divergence, LockTakenByEachLane) {
  const PtxResult result = Try(R"(
  ASK:
    atom.global.cas.b32 %r3, [%rd2], -1, 7;
    setp.ne.s32 %p1, %r3, -1;
    @%p1 bra ASK;
    ld.volatile.global.u32 %r4, [%rd2+4];
    add.u32 %r4, %r4, 1;
    st.volatile.global.u32 [%rd2+4], %r4;
    membar.gl;
    atom.global.exch.b32 %r5, [%rd2], -1;
    ret;)");
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_EQ(result.Buffer<std::uint32_t>(0)[1], 63u);
}

// Lane 0 waits for what lane 1 does only after it.
TEST_P(Divergence, ALaneWaitsForTheOtherSideOfABranch) {
  const PtxResult result = Try(R"(
    setp.eq.u32 %p1, %r2, 0;
    @%p1 bra WAIT;
    setp.eq.u32 %p2, %r2, 1;
    @!%p2 bra DONE;
    st.volatile.global.u32 [%rd2+128], 5;
    bra.uni DONE;
  WAIT:
    ld.volatile.global.u32 %r3, [%rd2+128];
    setp.ne.u32 %p3, %r3, 5;
    @%p3 bra WAIT;
  DONE:
    STORE %r2;
    ret;)");
  ASSERT_TRUE(result.ok()) << result.message();
}

// ... and here after the place where both would meet.
TEST_P(Divergence, ALaneWaitsForWhatComesBehindTheMeetingPoint) {
  const PtxResult result = Try(R"(
    setp.eq.u32 %p1, %r2, 0;
    @!%p1 bra DONE;
  WAIT:
    ld.volatile.global.u32 %r3, [%rd2+128];
    setp.ne.u32 %p3, %r3, 5;
    @%p3 bra WAIT;
  DONE:
    setp.eq.u32 %p2, %r2, 1;
    @%p2 st.volatile.global.u32 [%rd2+128], 5;
    STORE %r2;
    ret;)");
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_EQ(result.Buffer<std::uint32_t>(0)[0], 0u);
}

TEST_P(Divergence, LanesComeTogetherForAnAlignedInstruction) {
  const PtxResult result = Try(R"(
    and.b32 %r3, %r2, 7;
    mov.u32 %r4, 0;
  LOOP:
    add.u32 %r4, %r4, 1;
    setp.le.u32 %p1, %r4, %r3;
    @%p1 bra LOOP;
    bar.sync 0;
    STORE %r4;
    ret;)");
  ASSERT_TRUE(result.ok()) << result.message();
  for (std::uint32_t t = 0; t < 64; ++t) EXPECT_EQ(result.Buffer<std::uint32_t>(0)[t], t % 8 + 1);
}

TEST_P(Divergence, WarpsSpinOnSharedMemory) {
  const PtxResult result = Try(R"(
    .shared .align 4 .b8 flag[4];
    mov.u32 %r5, flag;
    setp.eq.u32 %p1, %r2, 0;
    @%p1 st.volatile.shared.u32 [%r5], 1;
    bar.sync 0;
    setp.lt.u32 %p2, %r2, 32;
    @%p2 bra FIRST;
  WAIT:
    ld.acquire.cta.shared.u32 %r3, [%r5];
    setp.ne.u32 %p3, %r3, 2;
    @%p3 bra WAIT;
    bra.uni DONE;
  FIRST:
    @%p1 st.release.cta.shared.u32 [%r5], 2;
  DONE:
    STORE %r2;
    ret;)");
  ASSERT_TRUE(result.ok()) << result.message();
}

// The whole grid waits for each other, which works as long as it fits on the device.
TEST_P(Divergence, GridBarrierOnGlobalMemory) {
  const PtxResult result = Try(R"(
    setp.ne.u32 %p1, %r2, 0;
    @%p1 bra JOIN;
    atom.global.add.u32 %r3, [%rd2], 1;
  WAIT:
    ld.acquire.gpu.global.u32 %r4, [%rd2];
    setp.ne.u32 %p2, %r4, 19;
    @%p2 bra WAIT;
  JOIN:
    bar.sync 0;
    setp.eq.u32 %p1, %r1, 0;
    @!%p1 STORE %r1;
    ret;)",
                               64, 20);
  ASSERT_TRUE(result.ok()) << result.message();
  for (std::uint32_t t = 1; t < 1280; ++t) ASSERT_EQ(result.Buffer<std::uint32_t>(0)[t], t);
}

// A program that gives up after a second by the clock must come to it.
TEST_P(Divergence, TheClockGoesOnWhileEverybodyPolls) {
  const PtxResult result = Try(R"(
    mov.u64 %rd5, %globaltimer;
    add.u64 %rd5, %rd5, 1000000000;
  WAIT:
    ld.volatile.global.u32 %r4, [%rd2];
    setp.eq.u32 %p1, %r4, 12345;
    @%p1 bra DONE;
    mov.u64 %rd6, %globaltimer;
    setp.lt.u64 %p2, %rd6, %rd5;
    @%p2 bra WAIT;
  DONE:
    STORE 1;
    ret;)",
                               32);
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_EQ(result.Buffer<std::uint32_t>(0)[31], 1u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Divergence, ::testing::Range(0, 8));

}  // namespace
}  // namespace emu::testing
