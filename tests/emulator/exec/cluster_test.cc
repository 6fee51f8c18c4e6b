#include <gtest/gtest.h>

#include "tests/emulator/exec/kernel.h"

namespace emu::testing {
namespace {

class Clusters : public ::testing::TestWithParam<int> {
 protected:
  PtxResult Try(const std::string& body, std::uint32_t cluster = 4) {
    return RunKernel(
        Kernel(body),
        {.threads = 64, .blocks = 8, .cluster = cluster, .seed = static_cast<std::uint64_t>(GetParam())});
  }
};

// Every CTA writes into its neighbour's shared memory; a second barrier keeps all alive until it has been read.
TEST_P(Clusters, DistributedSharedMemory) {
  const PtxResult result = Try(R"(
    .shared .align 4 .b8 words[256];
    mov.u32 %r3, words;
    shl.b32 %r4, %r2, 2;
    add.u32 %r3, %r3, %r4;
    mov.u32 %r5, %cluster_ctarank;
    xor.b32 %r6, %r5, 1;
    mapa.shared::cluster.u32 %r7, %r3, %r6;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    st.shared::cluster.u32 [%r7], %r1;
    barrier.cluster.arrive.release.aligned;
    barrier.cluster.wait.acquire.aligned;
    ld.shared.u32 %r8, [%r3];
    STORE %r8;
    ret;)");
  ASSERT_TRUE(result.ok()) << result.message();
  for (std::uint32_t t = 0; t < 512; ++t) EXPECT_EQ(result.Buffer<std::uint32_t>(0)[t], t ^ 64) << t;
}

TEST_P(Clusters, ThreadsThatExitedAreNotWaitedFor) {
  const PtxResult result = Try(R"(
    mov.u32 %r5, %cluster_ctarank;
    setp.eq.u32 %p1, %r5, 2;
    @%p1 exit;
    setp.gt.u32 %p1, %r2, 32;
    @%p1 exit;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    STORE %r1;
    ret;)");
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_EQ(result.Buffer<std::uint32_t>(0)[32], 32u);
  EXPECT_EQ(result.Buffer<std::uint32_t>(0)[33], 0xffffffffu);
  EXPECT_EQ(result.Buffer<std::uint32_t>(0)[2 * 64], 0xffffffffu);
}

TEST_P(Clusters, SecondArrivalWithoutAWait) {
  const PtxResult result =
      Try("barrier.cluster.arrive;\n barrier.cluster.arrive;\n barrier.cluster.wait;\n ret;");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.finding->kind, FindingKind::kBarrierMisuse) << result.message();
}

TEST_P(Clusters, WaitWithoutAnArrival) {
  const PtxResult result = Try("barrier.cluster.wait;\n ret;");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.finding->kind, FindingKind::kBarrierMisuse) << result.message();
}

TEST_P(Clusters, OneThreadThatDoesNotArrive) {
  const PtxResult result = Try(R"(
    mov.u32 %r5, %cluster_ctarank;
    setp.eq.u32 %p1, %r5, 3;
    @%p1 bra OTHER;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    ret;
  OTHER:
    bar.sync 1, 96;
    ret;)");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.finding->kind, FindingKind::kDeadlock);
  EXPECT_NE(result.finding->message.find("192 of 256 threads of the cluster"), std::string::npos)
      << result.message();
  EXPECT_NE(result.finding->message.find("64 of 96 threads"), std::string::npos) << result.message();
}

TEST_P(Clusters, SpecialRegisters) {
  const PtxResult result = Try(R"(
    mov.u32 %r3, %clusterid.x;
    mov.u32 %r4, %nclusterid.x;
    mov.u32 %r5, %cluster_ctaid.x;
    mov.u32 %r6, %cluster_nctaid.x;
    mov.u32 %r7, %cluster_ctarank;
    mov.u32 %r8, %cluster_nctarank;
    mov.pred %p1, %is_explicit_cluster;
    mad.lo.u32 %r3, %r3, 10, %r4;
    mad.lo.u32 %r3, %r3, 10, %r5;
    mad.lo.u32 %r3, %r3, 10, %r6;
    mad.lo.u32 %r3, %r3, 10, %r7;
    mad.lo.u32 %r3, %r3, 10, %r8;
    @%p1 add.u32 %r3, %r3, 1000000;
    STORE %r3;
    ret;)");
  ASSERT_TRUE(result.ok()) << result.message();
  const auto out = result.Buffer<std::uint32_t>(0);
  for (std::uint32_t cta = 0; cta < 8; ++cta) {
    EXPECT_EQ(out[cta * 64], 1000000 + cta / 4 * 100000 + 20000 + cta % 4 * 1000 + 400 + cta % 4 * 10 + 4)
        << cta;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Clusters, ::testing::Range(0, 8));

}  // namespace
}  // namespace emu::testing
