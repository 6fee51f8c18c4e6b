#include <gtest/gtest.h>

#include "tests/emulator/async/gpu.h"

namespace emu::testing {
namespace {

const char kOut[] = "ld.param.u64 %d15, [p0];\n";

// Two threads that arrive, one that waits; each phase has its parity.
TEST(Mbarrier, PhasesFollowEachOther) {
  for (const std::uint64_t seed : kSeeds) {
    Gpu gpu;
    const std::uint64_t out = gpu.Put(std::vector<std::uint32_t>(64));
    const std::string body = kOut + MakeBarrier(32) + R"(
      mov.u32 %r3, 0;   // phase
      mov.u32 %r4, 0;   // sum
      PHASE:
      shl.b32 %r5, %r0, 2; add.u32 %r6, %r1, %r5;
      mad.lo.u32 %r7, %r3, 100, %r0;
      st.shared.u32 [%r6], %r7;
      mbarrier.arrive.shared.b64 %d1, [%r2];
      and.b32 %r8, %r3, 1;
      WAIT: mbarrier.try_wait.parity.shared.b64 %p1, [%r2], %r8;
      @!%p1 bra WAIT;
      xor.b32 %r9, %r5, 124; add.u32 %r9, %r1, %r9;
      ld.shared.u32 %r10, [%r9];
      add.u32 %r4, %r4, %r10;
      bar.sync 0;
      add.u32 %r3, %r3, 1;
      setp.lt.u32 %p2, %r3, 5;
      @%p2 bra PHASE;
      cvt.u64.u32 %d2, %r5; add.u64 %d2, %d2, %d15;
      st.global.u32 [%d2], %r4;
    )";
    EXPECT_CLEAN(gpu.Seed(seed).Run(body, {out}));
    const auto got = gpu.Get<std::uint32_t>(out, 32);
    for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(got[i], 5 * (31 - i) + 1000);
  }
}

// States, pending counts and tests, by one thread: each result is a word.
TEST(Mbarrier, StatesAndCounts) {
  Gpu gpu;
  const std::uint64_t out = gpu.Put(std::vector<std::uint32_t>(64, 99));
  const std::string body = kOut + std::string(R"(
    mbarrier.init.shared.b64 [%r2], 5;
    mbarrier.arrive.shared::cta.b64 %d1, [%r2], 2;          // 5 pending before, 3 after
    mbarrier.pending_count.b64 %r3, %d1;
    mbarrier.test_wait.shared.b64 %p1, [%r2], %d1;
    selp.u32 %r4, 1, 0, %p1;
    mbarrier.arrive.noComplete.shared.b64 %d2, [%r2], 2;    // 1 left
    mbarrier.pending_count.b64 %r5, %d2;
    mbarrier.arrive_drop.shared.b64 %d3, [%r2];             // completes the phase; 4 from now on
    mbarrier.test_wait.shared.b64 %p1, [%r2], %d1;
    selp.u32 %r6, 1, 0, %p1;
    mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 %p1, [%r2], 0;
    selp.u32 %r7, 1, 0, %p1;
    mbarrier.test_wait.parity.shared.b64 %p1, [%r2], 1;
    selp.u32 %r8, 1, 0, %p1;
    mbarrier.arrive.release.cta.shared::cta.b64 %d4, [%r2];
    mbarrier.pending_count.b64 %r9, %d4;
    mbarrier.arrive_drop.noComplete.shared.b64 %d4, [%r2], 2;
    mbarrier.arrive.shared.b64 %d4, [%r2];                  // the second phase ends; 2 from now on
    mbarrier.arrive.shared.b64 %d5, [%r2];
    mbarrier.pending_count.b64 %r10, %d5;
    mbarrier.inval.shared.b64 [%r2];
    mbarrier.init.shared.b64 [%r2], 1048575;
    mbarrier.arrive.b64 %d5, [%d6];
    mbarrier.pending_count.b64 %r11, %d5;
    st.global.v4.u32 [%d15], {%r3, %r4, %r5, %r6};
    st.global.v4.u32 [%d15+16], {%r7, %r8, %r9, %r10};
    st.global.u32 [%d15+32], %r11;
  )");
  const std::string with_generic = "cvt.u64.u32 %d7, %r2;\ncvta.shared.u64 %d6, %d7;\n" + body;
  EXPECT_CLEAN(gpu.Threads(1).Run(with_generic, {out}));
  const auto got = gpu.Get<std::uint32_t>(out, 9);
  EXPECT_EQ(got, (std::vector<std::uint32_t>{5, 0, 3, 1, 1, 0, 4, 2, 1048575}));
}

// A phase ends when arrivals and bytes are there, in either order.
TEST(Mbarrier, Transactions) {
  Gpu gpu;
  const std::uint64_t out = gpu.Put(std::vector<std::uint32_t>(8, 99));
  const std::string body = kOut + std::string(R"(
    mbarrier.init.shared.b64 [%r2], 1;
    mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r2], 16;
    mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r2], 48;
    mbarrier.arrive.shared.b64 %d1, [%r2];
    mbarrier.test_wait.shared.b64 %p1, [%r2], %d1;
    selp.u32 %r3, 1, 0, %p1;
    mbarrier.complete_tx.shared::cta.b64 [%r2], 32;
    mbarrier.test_wait.shared.b64 %p1, [%r2], %d1;
    selp.u32 %r4, 1, 0, %p1;
    mbarrier.arrive.expect_tx.shared.b64 %d1, [%r2], 64;
    mbarrier.complete_tx.shared.b64 [%r2], 64;
    mbarrier.test_wait.parity.shared.b64 %p1, [%r2], 1;
    selp.u32 %r5, 1, 0, %p1;
    st.global.v2.u32 [%d15], {%r3, %r4};
    st.global.u32 [%d15+8], %r5;
  )");
  EXPECT_CLEAN(gpu.Threads(1).Run(body, {out}));
  EXPECT_EQ(gpu.Get<std::uint32_t>(out, 3), (std::vector<std::uint32_t>{0, 1, 1}));
}

// A thread of another CTA arrives; what it wrote here before is known afterwards.
TEST(Mbarrier, RemoteArrivals) {
  for (const std::uint64_t seed : kSeeds) {
    Gpu gpu;
    const std::uint64_t out = gpu.Put(std::vector<std::uint32_t>(2));
    const std::string body = kOut + MakeBarrier(1) + R"(
      barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
      mov.u32 %r3, %cluster_ctarank;
      xor.b32 %r4, %r3, 1;
      mapa.shared::cluster.u32 %r5, %r1, %r4;
      mapa.shared::cluster.u32 %r6, %r2, %r4;
      add.u32 %r7, %r3, 40;
      @%p0 st.shared::cluster.u32 [%r5], %r7;
      @%p0 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r6];
      WAIT: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [%r2], 0, 1000;
      @!%p1 bra WAIT;
      ld.shared.u32 %r8, [%r1];
      mul.wide.u32 %d1, %r3, 4; add.u64 %d1, %d1, %d15;
      @%p0 st.global.u32 [%d1], %r8;
      barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
    )";
    EXPECT_CLEAN(gpu.Clusters(2).Seed(seed).Run(body, {out}));
    EXPECT_EQ(gpu.Get<std::uint32_t>(out, 2), (std::vector<std::uint32_t>{41, 40}));
  }
}

// Lanes of one warp wait for different barriers; one lane's arrival is what another waits for.
TEST(Mbarrier, LanesWaitForEachOther) {
  for (const std::uint64_t seed : kSeeds) {
    Gpu gpu;
    const std::string body = MakeBarrier(1) + R"(
      .shared .align 8 .b64 other;
      mov.u32 %r3, other;
      @%p0 mbarrier.init.shared.b64 [%r3], 1;
      bar.sync 0;
      setp.eq.u32 %p1, %r0, 1;
      @%p0 mbarrier.arrive.shared.b64 _, [%r2];
      selp.u32 %r4, %r2, %r3, %p0;   // lane 0 waits for bar, which is complete, the others for other
      WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [%r4], 0;
      @!%p2 bra WAIT;
      @%p0 mbarrier.arrive.shared.b64 _, [%r3];
    )";
    EXPECT_CLEAN(gpu.Seed(seed).Run(body, {}));
  }
}

std::optional<Finding> Broken(const std::string& body, std::uint64_t seed = 0) {
  return Gpu().Threads(1).Seed(seed).Run(body, {});
}

TEST(Mbarrier, Findings) {
  const std::string init = "mbarrier.init.shared.b64 [%r2], 1;\n";
  EXPECT_FINDING(Broken("mbarrier.arrive.shared.b64 _, [%r2];"), kBarrierMisuse,
                 "never initialised, or invalidated");
  EXPECT_FINDING(Broken(init + "mbarrier.inval.shared.b64 [%r2];\nmbarrier.arrive.shared.b64 _, [%r2];"),
                 kBarrierMisuse, "never initialised, or invalidated");
  EXPECT_FINDING(Broken(init + init), kBarrierMisuse, "that is one already");
  EXPECT_FINDING(Broken(init + "add.u32 %r3, %r2, 4;\nmbarrier.init.shared.b64 [%r3], 1;"), kMisaligned,
                 "no multiple of 8");
  EXPECT_FINDING(Broken("mbarrier.init.shared.b64 [%r2], 0;"), kBarrierMisuse, "a count of 0");
  EXPECT_FINDING(Broken("mbarrier.init.shared.b64 [%r2], 1048576;"), kBarrierMisuse, "a count of 1048576");
  EXPECT_FINDING(Broken("mbarrier.init.shared.b64 [%r2], 3;\nmbarrier.arrive.shared.b64 _, [%r2], 4;"),
                 kBarrierMisuse, "4 arrivals where the phase takes 3 more");
  EXPECT_FINDING(Broken(init + "mbarrier.arrive.shared.b64 _, [%r2], 0;"), kBarrierMisuse,
                 "an arrival count of 0");
  EXPECT_FINDING(Broken(init + "mbarrier.arrive.noComplete.shared.b64 %d1, [%r2], 1;"), kBarrierMisuse,
                 ".noComplete");
  EXPECT_FINDING(
      Broken(init + "mbarrier.arrive_drop.shared.b64 _, [%r2];\nmbarrier.arrive.shared.b64 _, [%r2];"),
      kBarrierMisuse, "1 arrivals where the phase takes 0 more");
  EXPECT_FINDING(
      Broken(init + "mbarrier.expect_tx.shared.b64 [%r2], 1048575;\nmbarrier.expect_tx.shared.b64 [%r2], 1;"),
      kBarrierMisuse, "a transaction count of 1048576");
  EXPECT_FINDING(Broken(init + "mbarrier.complete_tx.shared.b64 [%r2], 1048576;"), kBarrierMisuse,
                 "a transaction count of -1048576");
  EXPECT_FINDING(Broken(init + "mbarrier.test_wait.parity.shared.b64 %p1, [%r2], 2;"), kBadOperand,
                 "phase parity of 2");
  EXPECT_FINDING(Broken(init + "mbarrier.arrive.shared.b64 %d1, [%r2];\nmbarrier.arrive.shared.b64 _, [%r2];\n"
                               "mbarrier.test_wait.shared.b64 %p1, [%r2], %d1;"),
                 kBarrierMisuse, "the state of phase 0");
  EXPECT_FINDING(Broken("mov.u64 %d1, 4096;\nmbarrier.arrive.b64 _, [%d1];"), kOutOfBounds,
                 "no address of shared");
  EXPECT_FINDING(Broken("mov.u32 %r3, 1048576;\nmbarrier.init.shared.b64 [%r3], 1;"), kOutOfBounds,
                 "8 bytes at offset");
  EXPECT_FINDING(Broken(init + "st.shared.u32 [%r2+4], 5;"), kBarrierMisuse, "barrier");
}

TEST(Mbarrier, WaitsAreForOnesOwnBarrier) {
  const std::string body = MakeBarrier(1) + R"(
    barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
    mov.u32 %r3, %cluster_ctarank; xor.b32 %r4, %r3, 1;
    mapa.shared::cluster.u32 %r5, %r2, %r4;
  )";
  EXPECT_FINDING(Gpu().Clusters(2).Run(body + "mbarrier.try_wait.parity.shared.b64 %p1, [%r5], 0;", {}),
                 kBadOperand, "only its own threads may");
  EXPECT_FINDING(Gpu().Clusters(2).Run(body + "mbarrier.arrive.shared::cta.b64 _, [%r5];", {}), kBadOperand,
                 "only .shared::cluster may name another CTA's");
}

TEST(Mbarrier, ADeadlockTellsWhatIsMissing) {
  for (const std::uint64_t seed : kSeeds) {
    const std::string body =
        MakeBarrier(2) + "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 16384;\n" + WaitFor(0);
    const auto found = Gpu().Seed(seed).Run(body, {});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->kind, FindingKind::kDeadlock) << Text(found);
    for (const char* part : {"mbarrier.try_wait", "for the end of the phase with parity 0",
                             "phase 0 (parity 0): 1 of 2 "
                             "arrivals, 16384 bytes expected, 0 arrived",
                             "arrival of 1, mbarrier.arrive.expect_tx"}) {
      EXPECT_NE(found->message.find(part), std::string::npos) << part << "\n" << Text(found);
    }
  }
}

// What many threads did in turn is told once.
TEST(Mbarrier, HistoriesAreShort) {
  const auto found =
      Gpu().Threads(64).Run(MakeBarrier(66) + "mbarrier.arrive.shared.b64 _, [%r2];\n" + WaitFor(0), {});
  ASSERT_TRUE(found);
  for (const char* part :
       {"64 of 66 arrivals", "initialised for 66", "warps 0-1 lanes 0xffffffff",
        "arrival of 1, 64 times, mbarrier.arrive.shared.b64 at PTX line", "lane 0; the last by thread ("}) {
    EXPECT_NE(found->message.find(part), std::string::npos) << part << "\n" << Text(found);
  }
}

// Who polls with test_wait for a phase that never ends is found, too.
TEST(Mbarrier, EndlessPolling) {
  const std::string body =
      "mbarrier.init.shared.b64 [%r2], 1;\nWAIT: mbarrier.test_wait.parity.shared.b64 %p1, [%r2], 0;\n"
      "@!%p1 bra WAIT;\n";
  EXPECT_FINDING(Broken(body), kDeadlock, "poll");
}

// try_wait may time out: who does not ask again goes on too early.
TEST(Mbarrier, TryWaitMayTimeOut) {
  int found_count = 0;
  for (std::uint64_t seed = 1; seed < 40; ++seed) {
    const std::string body = MakeBarrier(32) + R"(
      shl.b32 %r5, %r0, 2; add.u32 %r6, %r1, %r5;
      setp.lt.u32 %p1, %r0, 32;
      @%p1 st.shared.u32 [%r6], %r0;
      @%p1 mbarrier.arrive.shared.b64 _, [%r2];
      mbarrier.try_wait.parity.shared.b64 %p2, [%r2], 0;
      xor.b32 %r6, %r6, 64;
      setp.ge.u32 %p3, %r0, 32;
      @%p3 ld.shared.u32 %r7, [%r1];
    )";
    found_count += Gpu().Threads(64).Seed(seed).Run(body, {}).has_value();
  }
  EXPECT_GT(found_count, 0);
}

TEST(Mbarrier, Refusals) {
  const auto refused = [](const char* body) { return Broken(body); };
  EXPECT_FINDING(refused("mbarrier.arrive.shared::cluster.b64 %d1, [%r2];"), kUnsupported, "returns no state");
  EXPECT_FINDING(refused("mbarrier.arrive.acquire.shared.b64 _, [%r2];"), kUnsupported, ".acquire");
  EXPECT_FINDING(refused("mbarrier.init.shared::cluster.b64 [%r2], 1;"), kUnsupported, ".shared::cluster");
  EXPECT_FINDING(refused("mbarrier.arrive.expect_tx.shared.b64 _, [%r2];"), kUnsupported, "a count is missing");
  EXPECT_FINDING(refused("mbarrier.try_wait.parity.shared.b64 %p1, [%r2];"), kUnsupported, "operands");
  EXPECT_FINDING(refused("mbarrier.wait.shared.b64 [%r2];"), kUnsupported, "not known");
}

}  // namespace
}  // namespace emu::testing
