// st.async and red.async.
#include <gtest/gtest.h>

#include "tests/emulator/async/gpu.h"

namespace emu::testing {
namespace {

// Every thread of every CTA of two runs `send` with the peer's tile in %r4, its barrier in %r5; then 512 bytes of the tile
// are put out by rank. The barrier expects `bytes`.
std::optional<Finding> RunSender(const std::string& send, int bytes, std::uint64_t seed,
                                 std::vector<std::uint32_t>* out) {
  Gpu gpu;
  const std::uint64_t address = gpu.Put(std::vector<std::uint32_t>(256));
  const std::string body = "ld.param.u64 %d15, [p0];\n" + MakeBarrier() +
                           fmt::format(R"(
    mov.u32 %r3, %cluster_ctarank;
    mul.wide.u32 %d1, %r3, 512; add.u64 %d15, %d15, %d1;
    xor.b32 %r6, %r3, 1;
    mapa.shared::cluster.u32 %r4, %r1, %r6;
    mapa.shared::cluster.u32 %r5, %r2, %r6;
    shl.b32 %r7, %r0, 4; add.u32 %r8, %r1, %r7; add.u32 %r4, %r4, %r7;
    mov.u32 %r9, 10;
    st.shared.v4.u32 [%r8], {{%r9, %r9, %r9, %r9}};
    @%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%r2], {};
    barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
    mad.lo.u32 %r10, %r3, 1000, %r0;
    cvt.u64.u32 %d3, %r10;
    add.u32 %r11, %r10, 1; add.u32 %r12, %r10, 2; add.u32 %r13, %r10, 3;
    {}
  )",
                                       bytes, send) +
                           WaitFor(0) + CopyOut(512) +
                           "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n";
  const auto finding = gpu.Clusters(2).Seed(seed).Run(body, {address});
  *out = gpu.Get<std::uint32_t>(address, 256);
  return finding;
}

TEST(StoreAsync, Vectors) {
  const char* const stores[] = {
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r4], %r10, [%r5];",
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%r4], {%r10, %r11}, [%r5];",
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.s32 [%r4], {%r10, %r11, %r12, %r13}, [%r5];",
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%r4], %d3, [%r5];",
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.u64 [%r4], {%d3, %d3}, [%r5];"};
  const int bytes[] = {4, 8, 16, 8, 16};
  for (const std::uint64_t seed : kSeeds) {
    for (int i = 0; i < 5; ++i) {
      std::vector<std::uint32_t> out;
      EXPECT_CLEAN(RunSender(stores[i], bytes[i] * 32, seed, &out));
      for (std::uint32_t cta = 0; cta < 2; ++cta) {
        for (std::uint32_t lane = 0; lane < 32; ++lane) {
          const std::uint32_t value = (1 - cta) * 1000 + lane;
          const std::uint32_t wanted[5][4] = {{value, 10, 10, 10},
                                              {value, value + 1, 10, 10},
                                              {value, value + 1, value + 2, value + 3},
                                              {value, 0, 10, 10},
                                              {value, 0, value, 0}};
          for (std::uint32_t k = 0; k < 4; ++k) {
            ASSERT_EQ(out[cta * 128 + lane * 4 + k], wanted[i][k]) << stores[i] << " " << cta << " " << lane;
          }
        }
      }
    }
  }
}

// All lanes reduce into one word: reductions do not race with each other.
TEST(ReduceAsync, OneWord) {
  const std::string to_one = "sub.u32 %r4, %r4, %r7;\n";
  const auto one = [&](const std::string& reduction, std::uint64_t seed) {
    std::vector<std::uint32_t> out;
    EXPECT_CLEAN(RunSender(to_one + "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes." +
                               reduction + " [%r4], %r10, [%r5];",
                           128, seed, &out));
    return out;
  };
  for (const std::uint64_t seed : kSeeds) {
    EXPECT_EQ(one("add.u32", seed)[0], 10u + 32 * 1000 + 496);
    EXPECT_EQ(one("add.s32", seed)[128], 10u + 496);
    EXPECT_EQ(one("max.u32", seed)[0], 1031u);
    EXPECT_EQ(one("min.s32", seed)[0], 10u);
    EXPECT_EQ(one("or.b32", seed)[128], 31u);
    EXPECT_EQ(one("and.b32", seed)[128], 0u);
    EXPECT_EQ(one("xor.b32", seed)[128], 10u);
  }
}

TEST(StoreAsync, Findings) {
  for (const std::uint64_t seed : kSeeds) {
    std::vector<std::uint32_t> out;
    EXPECT_FINDING(RunSender("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r4], %r10, [%r2];",
                             128, seed, &out),
                   kBadOperand, "the barrier is in that with rank");
    EXPECT_FINDING(
        RunSender("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%r4+4], {%r10, %r11}, [%r5];",
                  256, seed, &out),
        kMisaligned, "no multiple of 8");
    EXPECT_FINDING(RunSender("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r4], %r10, [%r5];\n"
                             "ld.shared.u32 %r20, [%r8];",
                             128, seed, &out),
                   kUnwaitedCopy, "st.async");
    EXPECT_FINDING(RunSender("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r4], %r10, [%r5];",
                             256, seed, &out),
                   kDeadlock, "256 bytes expected, 128 arrived");
  }
}

// Lanes that store side by side are one operation, but each knows only what it did itself.
TEST(StoreAsync, OverAWordThatAnotherLaneWrote) {
  const std::string own =
      "mapa.shared::cluster.u32 %r4, %r8, %r3; mapa.shared::cluster.u32 %r5, %r2, %r3;\n"
      "xor.b32 %r20, %r7, 16; add.u32 %r20, %r1, %r20; st.shared.u32 [%r20], %r9;\n";
  const std::string store =
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.s32 [%r4], {%r10, %r11, %r12, %r13}, [%r5];";
  for (const std::uint64_t seed : kSeeds) {
    std::vector<std::uint32_t> out;
    EXPECT_FINDING(RunSender(own + store, 512, seed, &out), kUnwaitedCopy, "st.async");
    EXPECT_CLEAN(RunSender(own + "bar.warp.sync -1;\n" + store, 512, seed, &out));
  }
}

TEST(StoreAsync, Refusals) {
  std::vector<std::uint32_t> out;
  const auto refused = [&](const char* text) { return RunSender(text, 0, 0, &out); };
  EXPECT_FINDING(
      refused(
          "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.u64 [%r4], {%d3, %d3, %d3, %d3}, [%r5];"),
      kUnsupported, ".v4 of 64-bit");
  EXPECT_FINDING(refused("st.async.shared::cluster.mbarrier::complete_tx::bytes.u16 [%r4], %h1, [%r5];"),
                 kUnsupported, "");
  EXPECT_FINDING(
      refused(
          "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.s32 [%r4], %r10, [%r5];"),
      kUnsupported, "no reduction");
  EXPECT_FINDING(refused("st.async.mmio.release.sys.global.u32 [%d3], %r10;"), kUnsupported, "");
}

}  // namespace
}  // namespace emu::testing
