#include <gtest/gtest.h>

#include "tests/emulator/exec/kernel.h"

namespace emu::testing {
namespace {

class Barriers : public ::testing::TestWithParam<int> {
 protected:
  PtxResult Try(const std::string& body, std::uint32_t threads = 128) {
    return RunKernel(Kernel(body), {.threads = threads, .seed = static_cast<std::uint64_t>(GetParam())});
  }
  std::vector<std::uint32_t> Run(const std::string& body, std::uint32_t threads = 128) {
    const PtxResult result = Try(body, threads);
    EXPECT_TRUE(result.ok()) << result.message();
    return result.Buffer<std::uint32_t>(0);
  }
};

// Every thread writes a word of shared memory and reads another warp's.
constexpr char kExchange[] = R"(
    .shared .align 4 .b8 words[512];
    mov.u32 %r3, words;
    shl.b32 %r4, %r2, 2;
    add.u32 %r5, %r3, %r4;
    xor.b32 %r6, %r4, 384;
    add.u32 %r6, %r3, %r6;
)";

TEST_P(Barriers, OrderSharedMemory) {
  const auto out = Run(std::string(kExchange) + R"(
    st.shared.u32 [%r5], %r1;
    bar.sync 0;
    ld.shared.u32 %r7, [%r6];
    STORE %r7;
    ret;)");
  for (std::uint32_t t = 0; t < 128; ++t) EXPECT_EQ(out[t], t ^ 96) << t;
}

TEST_P(Barriers, ManyPhases) {
  const auto out = Run(std::string(kExchange) + R"(
    mov.u32 %r10, 0;
    mov.u32 %r7, %r1;
  AGAIN:
    st.shared.u32 [%r5], %r7;
    bar.sync 3;
    ld.shared.u32 %r7, [%r6];
    barrier.sync 4, 128;
    add.u32 %r7, %r7, 1;
    add.u32 %r10, %r10, 1;
    setp.lt.u32 %p1, %r10, 11;
    @%p1 bra AGAIN;
    STORE %r7;
    ret;)");
  for (std::uint32_t t = 0; t < 128; ++t) EXPECT_EQ(out[t], (t ^ 96) + 11) << t;
}

TEST_P(Barriers, ProducersArriveAndConsumersSync) {
  // The warps 0 and 1 produce for the warps 2 and 3.
  const auto out = Run(std::string(kExchange) + R"(
    setp.lt.u32 %p1, %r2, 64;
    @!%p1 bra CONSUMER;
    st.shared.u32 [%r5], %r1;
    bar.arrive 5, 128;
    bra.uni DONE;
  CONSUMER:
    bar.sync 5, 128;
    xor.b32 %r6, %r4, 256;
    add.u32 %r6, %r3, %r6;
    ld.shared.u32 %r7, [%r6];
    STORE %r7;
  DONE:
    ret;)");
  for (std::uint32_t t = 64; t < 128; ++t) EXPECT_EQ(out[t], t ^ 64) << t;
}

TEST_P(Barriers, Reductions) {
  const auto out = Run(R"(
    setp.lt.u32 %p1, %r2, 37;
    barrier.cta.red.popc.aligned.u32 %r3, 1, %p1;
    bar.red.popc.u32 %r4, 1, 128, !%p1;
    bar.red.and.pred %p2, 2, %p1;
    bar.red.or.pred %p3, 2, %p1;
    setp.ge.u32 %p4, %r2, 0;
    bar.red.and.pred %p5, 2, %p4;
    selp.u32 %r5, 10000, 0, %p2;
    selp.u32 %r6, 100000, 0, %p3;
    selp.u32 %r7, 1000000, 0, %p5;
    mad.lo.u32 %r8, %r4, 100, %r3;
    add.u32 %r8, %r8, %r5;
    add.u32 %r8, %r8, %r6;
    add.u32 %r8, %r8, %r7;
    STORE %r8;
    ret;)");
  for (std::uint32_t t = 0; t < 128; ++t) EXPECT_EQ(out[t], 37u + 91 * 100 + 100000 + 1000000) << t;
}

TEST_P(Barriers, LanesMayComeApartToAnUnalignedBarrier) {
  const auto out = Run(std::string(kExchange) + R"(
    and.b32 %r8, %r1, 1;
    setp.eq.u32 %p1, %r8, 0;
    st.shared.u32 [%r5], %r1;
    @%p1 bra EVEN;
    barrier.sync 0;
    bra.uni DONE;
  EVEN:
    barrier.sync 0;
  DONE:
    ld.shared.u32 %r7, [%r6];
    STORE %r7;
    ret;)");
  for (std::uint32_t t = 0; t < 128; ++t) EXPECT_EQ(out[t], t ^ 96) << t;
}

TEST_P(Barriers, ThreadsThatExitedAreNotWaitedFor) {
  const auto out = Run(R"(
    setp.ge.u32 %p1, %r1, 100;
    @%p1 exit;
    bar.sync 0;
    STORE %r1;
    ret;)");
  for (std::uint32_t t = 0; t < 128; ++t) EXPECT_EQ(out[t], t < 100 ? t : 0xffffffff) << t;
}

TEST_P(Barriers, AWarpThatIsNotFullCountsWhole) {
  const auto out = Run("bar.sync 1, 64;\n barrier.sync 2;\n STORE %r1;\n ret;", 50);
  for (std::uint32_t t = 0; t < 50; ++t) EXPECT_EQ(out[t], t);
}

TEST_P(Barriers, WarpBarrierOrdersItsLanes) {
  const auto out = Run(R"(
    .shared .align 4 .b8 words[512];
    mov.u32 %r3, words;
    shl.b32 %r4, %r2, 2;
    add.u32 %r5, %r3, %r4;
    xor.b32 %r6, %r4, 28;
    add.u32 %r6, %r3, %r6;
    and.b32 %r8, %r1, 1;
    setp.eq.u32 %p1, %r8, 0;
    @%p1 bra EVEN;
    st.shared.u32 [%r5], 111;
    bar.warp.sync -1;
    bra.uni DONE;
  EVEN:
    st.shared.u32 [%r5], 222;
    bar.warp.sync -1;
  DONE:
    ld.shared.u32 %r7, [%r6];
    STORE %r7;
    ret;)");
  for (std::uint32_t t = 0; t < 128; ++t) EXPECT_EQ(out[t], t % 2 == 0 ? 111u : 222u) << t;
}

TEST_P(Barriers, DifferentNumbersOfThreadsAreMisuse) {
  const PtxResult result = Try(R"(
    setp.lt.u32 %p1, %r2, 32;
    mov.u32 %r3, 64;
    @%p1 mov.u32 %r3, 96;
    bar.sync 1, %r3;
    ret;)");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.finding->kind, FindingKind::kBarrierMisuse) << result.message();
}

TEST_P(Barriers, AnArrivalTooMany) {
  // 32 arrive, then 64 at once of which 32 are expected: partly by lanes.
  const PtxResult result = Try(R"(
    setp.lt.u32 %p1, %r2, 32;
    @%p1 barrier.arrive 1, 64;
    setp.lt.u32 %p2, %r2, 16;
    @%p2 barrier.arrive 1, 64;
    setp.lt.u32 %p3, %r2, 8;
    @%p3 barrier.arrive 1, 96;
    ret;)",
                               32);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.finding->kind, FindingKind::kBarrierMisuse) << result.message();
}

TEST_P(Barriers, CountsMustBeWholeWarps) {
  const PtxResult result = Try("bar.sync 1, 40;\n ret;");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.finding->kind, FindingKind::kBarrierMisuse) << result.message();
}

TEST_P(Barriers, ThereAreSixteen) {
  const PtxResult result = Try("add.u32 %r3, %r30, 16;\n bar.sync %r3;\n ret;");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.finding->kind, FindingKind::kBadOperand) << result.message();
}

TEST_P(Barriers, AlignedBarrierByAPartOfTheWarp) {
  const PtxResult result = Try("setp.lt.u32 %p1, %r2, 7;\n @%p1 bar.sync 0;\n ret;", 32);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.finding->kind, FindingKind::kDivergence) << result.message();
}

INSTANTIATE_TEST_SUITE_P(Seeds, Barriers, ::testing::Range(0, 8));

}  // namespace
}  // namespace emu::testing
