// cp.async.bulk out of shared memory, cp.reduce.async.bulk and their groups.
#include <gtest/gtest.h>

#include "tests/emulator/async/bulk.h"

namespace emu::testing {
namespace {

TEST(BulkStore, Stores) {
  for (const std::uint64_t seed : kSeeds) {
    for (const char* wait : {"@%p0 cp.async.bulk.wait_group 0;\n", "@%p0 cp.async.bulk.wait_group.read 0;\n"}) {
      const Result result = RunKernel(Fill() + kStore + kCommit + wait, seed);
      EXPECT_FALSE(result.finding) << Text(result.finding);
      EXPECT_EQ(result.out, Words(1024));
    }
  }
}

TEST(BulkStore, WhoWaitsForReadsOnlyDoesNotSeeTheWrites) {
  const auto seen = [](const char* wait, std::uint64_t seed) {
    Gpu gpu;
    const std::uint64_t in = gpu.Put(Words(1024)), out = gpu.Put(std::vector<std::uint32_t>(1024));
    const std::uint64_t see = gpu.Put(std::vector<std::uint32_t>(1));
    EXPECT_CLEAN(gpu.Seed(seed).Run(kParams + Fill() + kStore + kCommit + wait +
                                        "ld.param.u64 %d1, [p2];\n@%p0 ld.global.u32 %r3, [%d15];\n"
                                        "@%p0 st.global.u32 [%d1], %r3;\n",
                                    {in, out, see}));
    return gpu.Get<std::uint32_t>(see, 1)[0];
  };
  EXPECT_EQ(seen("@%p0 cp.async.bulk.wait_group.read 0;\n", 1), 0u);
  for (const std::uint64_t seed : kSeeds) EXPECT_EQ(seen("@%p0 cp.async.bulk.wait_group 0;\n", seed), 1u);
}

TEST(BulkStore, StoresMasked) {
  const Result result =
      RunKernel(Fill() +
                    "mov.u16 %h1, 0x00f1;\n@%p0 cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%d15], "
                    "[%r1], 4096, %h1;\n" +
                    kCommit + "@%p0 cp.async.bulk.wait_group 0;\n",
                1);
  EXPECT_FALSE(result.finding) << Text(result.finding);
  for (std::uint32_t i = 0; i < 1024; ++i) {
    const std::uint32_t wanted = i % 4 == 0   ? (0xabcdef & ~0xffu) | ((i + 1) & 0xff)
                                 : i % 4 == 1 ? i + 1
                                              : 0xabcdef;
    ASSERT_EQ(result.out[i], wanted) << i;
  }
}

TEST(BulkStore, StoreFindings) {
  for (const std::uint64_t seed : kSeeds) {
    // The buffer is written again before the store has read it.
    EXPECT_FINDING(RunKernel(Fill() + kStore + kCommit + "@%p0 st.shared.u32 [%r1+128], 7;\n", seed).finding,
                   kOverwrittenInFlight, "cp.async.bulk");
    EXPECT_FINDING(RunKernel(Fill() + kStore + kCommit +
                                 "@%p0 cp.async.bulk.wait_group.read 1;\n@%p0 st.shared.u32 [%r1], 7;\n",
                             seed)
                       .finding,
                   kOverwrittenInFlight, "cp.async.bulk");
    // Another thread waits than the one that stored.
    EXPECT_FINDING(RunKernel(Fill() + kStore + kCommit +
                                 "setp.eq.u32 %p1, %r0, 1;\n@%p1 cp.async.bulk.wait_group 0;\nbar.sync 0;\n"
                                 "@%p1 st.shared.u32 [%r1], 7;\n",
                             seed)
                       .finding,
                   kOverwrittenInFlight, "cp.async.bulk");
  }
}

TEST(BulkStore, AStoreThatNobodyWaitedForIsFoundAtTheExit) {
  for (const std::uint64_t seed : kSeeds) {
    const Result result = RunKernel(Fill() + kStore + kCommit, seed);
    ASSERT_TRUE(result.finding) << seed;
    EXPECT_NE(result.finding->message.find("cp.async.bulk"), std::string::npos) << Text(result.finding);
  }
}

TEST(BulkStore, AMissingProxyFence) {
  for (const std::uint64_t seed : kSeeds) {
    const Result result = RunKernel(
        "@%p0 st.shared.u32 [%r1], 5;\n@%p0 cp.async.bulk.global.shared::cta.bulk_group [%d15], [%r1], "
        "16;\n@%p0 cp.async.bulk.commit_group;\n@%p0 cp.async.bulk.wait_group 0;\n",
        seed);
    ASSERT_TRUE(result.finding);
    EXPECT_EQ(result.finding->kind, FindingKind::kMissingProxyFence) << Text(result.finding);
  }
}

TEST(BulkStore, Reductions) {
  const auto reduced = [](const std::string& reduction, std::uint64_t seed) {
    const Result result =
        RunKernel(Fill() + "@%p0 cp.reduce.async.bulk.global.shared::cta.bulk_group." + reduction +
                      " [%d15], [%r1], 4096;\n" + kCommit + "@%p0 cp.async.bulk.wait_group 0;\n",
                  seed);
    EXPECT_FALSE(result.finding) << Text(result.finding);
    return result.out;
  };
  for (const std::uint64_t seed : {0, 1, 2}) {
    const auto add = reduced("add.u32", seed), most = reduced("max.s32", seed), both = reduced("and.b32", seed),
               up = reduced("inc.u32", seed), down = reduced("dec.u32", seed), bits = reduced("xor.b64", seed);
    for (std::uint32_t i = 0; i < 1024; ++i) {
      ASSERT_EQ(add[i], 0xabcdef + i + 1);
      ASSERT_EQ(most[i], 0xabcdefu);
      ASSERT_EQ(both[i], 0xabcdef & (i + 1));
      ASSERT_EQ(up[i], 0u);
      ASSERT_EQ(down[i], i + 1);
      ASSERT_EQ(bits[i], 0xabcdef ^ (i + 1));
    }
  }
}

TEST(BulkStore, ReductionsOfFloats) {
  Gpu gpu;
  const std::uint64_t in = gpu.Put(std::vector<std::uint16_t>(8, 0x3c01)),
                      out = gpu.Put(std::vector<std::uint16_t>(8, 0x1000));
  const std::string body =
      std::string(kParams) + "mov.u64 %d13, %d15; mov.u64 %d15, %d0;\n" + CopyIn(16) +
      "mov.u64 %d15, %d13;\n@%p0 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 "
      "[%d15], [%r1], 16;\n" +
      kCommit + "@%p0 cp.async.bulk.wait_group 0;\n";
  EXPECT_CLEAN(gpu.Run(body, {in, out}));
  // 1 + 2^-10 and 2^-11: halfway to 1 + 2^-9, which is even.
  EXPECT_EQ(gpu.Get<std::uint16_t>(out, 8), std::vector<std::uint16_t>(8, 0x3c02));
}

}  // namespace
}  // namespace emu::testing
