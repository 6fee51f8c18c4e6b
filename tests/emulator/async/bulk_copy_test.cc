// cp.async.bulk into shared memory, and what is refused of all its forms.
#include <gtest/gtest.h>

#include "tests/emulator/async/bulk.h"

namespace emu::testing {
namespace {

TEST(BulkCopy, Loads) {
  for (const std::uint64_t seed : kSeeds) {
    for (const bool expect_first : {true, false}) {
      const std::string order = expect_first ? std::string(kExpect) + kLoad : std::string(kLoad) + kExpect;
      const Result result = RunKernel(MakeBarrier() + order + WaitFor(0) + CopyOut(4096), seed);
      EXPECT_FALSE(result.finding) << Text(result.finding);
      EXPECT_EQ(result.out, Words(1024));
    }
    const Result own =
        RunKernel(MakeBarrier() + kExpect +
                      "createpolicy.fractional.L2::evict_first.b64 %d2, 1.0;\n@%p0 cp.async.bulk.shared::cta."
                      "global.mbarrier::complete_tx::bytes.L2::cache_hint [%r1], [%d0], 4096, [%r2], %d2;\n" +
                      WaitFor(0) + CopyOut(4096),
                  seed);
    EXPECT_FALSE(own.finding) << Text(own.finding);
    EXPECT_EQ(own.out, Words(1024));
  }
}

TEST(BulkCopy, LoadsUsedTooEarly) {
  for (const std::uint64_t seed : kSeeds) {
    EXPECT_FINDING(RunKernel(MakeBarrier() + kExpect + kLoad + CopyOut(4096), seed).finding, kUnwaitedCopy,
                   "cp.async.bulk");
    // The barrier expects half of the bytes.
    const std::string half = "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 2048;\n";
    const Result result = RunKernel(MakeBarrier() + half + kLoad + WaitFor(0) + CopyOut(4096), seed);
    ASSERT_TRUE(result.finding) << seed;
    EXPECT_TRUE(result.finding->kind == FindingKind::kDeadlock ||
                result.finding->kind == FindingKind::kUnwaitedCopy)
        << Text(result.finding);
    EXPECT_FINDING(RunKernel(MakeBarrier() + "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 8192;\n" +
                                 kLoad + WaitFor(0),
                             seed)
                       .finding,
                   kDeadlock, "8192 bytes expected, 4096 arrived");
  }
}

// The barrier must be visible to the async proxy, and what was in the buffer must have been read.
TEST(BulkCopy, LoadsIntoABufferInUse) {
  for (const std::uint64_t seed : kSeeds) {
    const std::string read = "st.shared.u32 [%r1+64], 5;\n";
    const Result result = RunKernel(MakeBarrier() + read + kExpect + kLoad + WaitFor(0), seed);
    ASSERT_TRUE(result.finding);
    EXPECT_TRUE(result.finding->kind == FindingKind::kRace ||
                result.finding->kind == FindingKind::kUnwaitedCopy ||
                result.finding->kind == FindingKind::kMissingProxyFence)
        << Text(result.finding);
  }
}

TEST(BulkCopy, Multicast) {
  for (const std::uint64_t seed : kSeeds) {
    // Rank 0 sends half of the input to ranks 0, 1 and 3 of four.
    const std::string body = MakeBarrier() + R"(
      mov.u32 %r3, %cluster_ctarank;
      setp.eq.and.u32 %p1, %r3, 0, %p0;
      setp.ne.u32 %p2, %r3, 2;
      @%p2 bra SEND;
      bra END;
      SEND:
      @%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 2048;
      END:
      barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
      mov.u16 %h1, 11;
      @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r1], [%d0], 2048, [%r2], %h1;
      mul.wide.u32 %d3, %r3, 2048; add.u64 %d15, %d15, %d3;
      @!%p2 bra AFTER;
    )" + WaitFor(0) + CopyOut(2048) +
                             R"(
      AFTER:
      barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
    )";
    const Result result = RunKernel(body, seed, 4, 2048);
    EXPECT_FALSE(result.finding) << Text(result.finding);
    const auto half = Words(512);
    for (std::size_t cta = 0; cta < 4; ++cta) {
      const std::vector<std::uint32_t> got(result.out.begin() + static_cast<long>(cta) * 512,
                                           result.out.begin() + static_cast<long>(cta + 1) * 512);
      EXPECT_EQ(got, cta == 2 ? std::vector<std::uint32_t>(512, 0xabcdef) : half) << cta;
    }
  }
}

TEST(BulkCopy, MulticastToACtaThatIsNotThere) {
  const std::string body =
      MakeBarrier() +
      "@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
      "[%r1], [%d0], 2048, [%r2], 4;\n";
  EXPECT_FINDING(RunKernel(body, 0, 2).finding, kBadOperand, "rank 2 of a cluster of 2");
}

// Rank 0 sends 1024 bytes from its shared memory to rank 1.
std::string ToPeer(const std::string& copy) {
  return MakeBarrier() + R"(
    mov.u32 %r3, %cluster_ctarank;
    setp.eq.and.u32 %p1, %r3, 0, %p0;
    setp.eq.and.u32 %p2, %r3, 1, %p0;
    setp.eq.u32 %p3, %r3, 1;
    @%p2 mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 1024;
    mov.u64 %d13, %d15; mov.u64 %d15, %d0;
    add.u32 %r1, %r1, 4096;
  )" + CopyIn(1024) +
         R"(
    mov.u64 %d15, %d13;
    mov.u32 %r20, %r1;
    sub.u32 %r1, %r1, 4096;
    mapa.shared::cluster.u32 %r4, %r1, 1;
    mapa.shared::cluster.u32 %r5, %r2, 1;
  )" + CopyIn(1024, "FIRST") +
         R"(
    barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
  )" + copy +
         "@!%p3 bra LEAVE;\n" + WaitFor(0) + CopyOut(1024) +
         "LEAVE:\nbarrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n";
}

TEST(BulkCopy, FromCtaToCta) {
  for (const std::uint64_t seed : kSeeds) {
    Result result = RunKernel(
        ToPeer("@%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r4], [%r20], "
               "1024, [%r5];\n"),
        seed, 2, 256);
    EXPECT_FALSE(result.finding) << Text(result.finding);
    EXPECT_EQ(result.out, Words(256));
    // p1 was in the buffer before: 0xabcdef.
    result = RunKernel(
        ToPeer(
            "@%p1 cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%r4], "
            "[%r20], 1024, [%r5];\n"),
        seed, 2, 256);
    EXPECT_FALSE(result.finding) << Text(result.finding);
    auto sums = Words(256);
    for (std::uint32_t& sum : sums) sum += 0xabcdef;
    EXPECT_EQ(result.out, sums);
  }
}

TEST(BulkCopy, TheBarrierIsWhereTheDataGoes) {
  EXPECT_FINDING(
      RunKernel(
          ToPeer("@%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r4], [%r20], "
                 "1024, [%r2];\n"),
          0, 2, 256)
          .finding,
      kBadOperand, "the barrier is in that with rank 0");
}

TEST(BulkCopy, BadOperands) {
  const std::string copy = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes ";
  const auto broken = [&](const std::string& operands) {
    return RunKernel(MakeBarrier() + "@%p0 " + copy + operands, 0).finding;
  };
  EXPECT_FINDING(broken("[%r1], [%d0], 4100, [%r2];"), kBadOperand, "no multiple of 16");
  EXPECT_FINDING(broken("[%r1+8], [%d0], 4096, [%r2];"), kMisaligned, "shared address");
  EXPECT_FINDING(broken("[%r1], [%d0+8], 4096, [%r2];"), kMisaligned, "source address");
  EXPECT_FINDING(broken("[%r1], [%d0+16], 4096, [%r2];"), kOutOfBounds, "reads 4096 bytes");
  EXPECT_FINDING(broken("[%r1+16000], [%d0], 4096, [%r2];"), kOutOfBounds, "4096 bytes at offset");
  EXPECT_FINDING(broken("[%r1], [%d0], 4096, [%r2+8];"), kOutOfBounds, "offset");
  EXPECT_FINDING(broken("[%r1], [%d0], 4096, [%r1+4096];"), kBarrierMisuse, "never initialised");
  EXPECT_FINDING(
      RunKernel("@%p0 cp.async.bulk.global.shared::cta.bulk_group [%d15+16], [%r1], 4096;", 0).finding,
      kOutOfBounds, "writes 4096 bytes");
}

TEST(BulkCopy, Refusals) {
  const auto broken = [&](const std::string& text) { return RunKernel(text, 0).finding; };
  EXPECT_FINDING(
      broken("cp.async.bulk.global.shared::cta.mbarrier::complete_tx::bytes [%d0], [%r1], 16, [%r2];"),
      kUnsupported, "bulk group");
  EXPECT_FINDING(
      broken("cp.async.bulk.shared::cta.shared::cta.mbarrier::complete_tx::bytes [%r1], [%r1], 16, [%r2];"),
      kUnsupported, "from .shared::cta to .shared::cta");
  EXPECT_FINDING(broken("cp.reduce.async.bulk.global.shared::cta.bulk_group.inc.u64 [%d0], [%r1], 16;"),
                 kUnsupported, ".inc.u64 is no reduction");
  EXPECT_FINDING(broken("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f16 [%d0], [%r1], 16;"),
                 kUnsupported, ".noftz");
  EXPECT_FINDING(
      broken("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.ignore_oob [%r1], [%d0], 16, "
             "[%r2];"),
      kUnsupported, "ignore_oob");
}

TEST(BulkCopy, Prefetch) {
  EXPECT_FALSE(RunKernel("cp.async.bulk.prefetch.L2.global [%d0], 4096;", 0).finding);
  EXPECT_FINDING(RunKernel("cp.async.bulk.prefetch.L2.global [%d0], 100;", 0).finding, kBadOperand,
                 "no multiple of 16");
}

}  // namespace
}  // namespace emu::testing
