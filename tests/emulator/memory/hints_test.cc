// Fences, prefetches and other instructions that change no value, and discard.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/emulator/support/run_ptx.h"

namespace emu::testing {
namespace {

PtxResult Execute(const std::string& body) {
  PtxLaunch launch;
  launch.threads = {1, 1, 1};
  launch.arguments = {Buffer(std::vector<std::uint32_t>(128, 5))};
  return RunPtx(PtxModule(".param .u64 out",
                          ".reg .b64 %d<8>; .reg .b32 %w<4>; .reg .f32 %f; .shared .u32 s; .local .u32 l;\n"
                          "ld.param.u64 %d1, [out];\n" +
                              body + "\nret;"),
                "", launch);
}

TEST(Fences, EveryFormOfTheIsa) {
  const char* fences[] = {
      "fence.sc.cta",
      "fence.sc.cluster",
      "fence.sc.gpu",
      "fence.sc.sys",
      "fence.acq_rel.cta",
      "fence.acq_rel.cluster",
      "fence.acq_rel.gpu",
      "fence.acq_rel.sys",
      "fence.acquire.gpu",
      "fence.release.cluster",
      "fence.cta",
      "fence.acquire.sync_restrict::shared::cluster.cluster",
      "fence.release.sync_restrict::shared::cta.cluster",
      "fence.mbarrier_init.release.cluster",
      "fence.proxy.alias",
      "fence.proxy.async",
      "fence.proxy.async.global",
      "fence.proxy.async.shared::cta",
      "fence.proxy.async.shared::cluster",
      "fence.proxy.tensormap::generic.release.cta",
      "fence.proxy.tensormap::generic.release.gpu",
      "fence.proxy.tensormap::generic.acquire.sys [%d1], 128",
      "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster",
      "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster",
      "membar.cta",
      "membar.gl",
      "membar.sys",
      "membar.proxy.alias",
      "membar.proxy.async",
  };
  for (const char* fence : fences) {
    const PtxResult result = Execute(std::string(fence) + ";");
    EXPECT_TRUE(result.ok()) << result.message();
  }
}

TEST(Hints, ChangeNothing) {
  const char* hints[] = {
      "prefetch.global.L1 [%d1];",
      "prefetch.global.L2 [%d1+64];",
      "prefetch.L1 [%d1];",
      "prefetch.L2 [%d1];",
      "prefetch.global.L2::evict_last [%d1];",
      "prefetch.global.L2::evict_normal [%d1];",
      "prefetch.local.L1 [l];",
      "prefetchu.L1 [%d1];",
      "prefetch.tensormap [%d1];",
      // A prefetch does not fault.
      "mov.u64 %d1, 0;\n prefetch.global.L2 [%d1];",
      "applypriority.global.L2::evict_normal [%d1], 128;",
      "applypriority.L2::evict_normal [%d1+128], 128;",
      "createpolicy.fractional.L2::evict_last.b64 %d2;",
      "createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %d2, 0.5;",
      "createpolicy.range.L2::evict_last.L2::evict_first.b64 %d2, [%d1], 0x1000, 0x2000;",
      "createpolicy.range.global.L2::evict_last.b64 %d2, [%d1], 0x1000, 0x2000;",
      "createpolicy.cvt.L2.b64 %d2, %d1;",
  };
  for (const char* hint : hints) {
    const PtxResult result = Execute(hint);
    ASSERT_TRUE(result.ok()) << result.message();
    EXPECT_EQ(result.Buffer<std::uint32_t>(0), std::vector<std::uint32_t>(128, 5)) << hint;
  }
}

TEST(Discard, LeavesNoValue) {
  for (const char* discard : {"discard.global.L2 [%d1+128], 128;", "discard.L2 [%d1+128], 128;"}) {
    const PtxResult result = Execute(discard);
    ASSERT_TRUE(result.ok()) << result.message();
    std::vector<std::uint32_t> expected(128, 5);
    std::fill(expected.begin() + 32, expected.begin() + 64, 0xFFFFFFFF);
    EXPECT_EQ(result.Buffer<std::uint32_t>(0), expected);
  }
}

TEST(Discard, WantsWholeLines) {
  const PtxResult misaligned = Execute("discard.global.L2 [%d1+64], 128;");
  ASSERT_FALSE(misaligned.ok());
  EXPECT_EQ(misaligned.finding->kind, FindingKind::kMisaligned);
  const PtxResult outside = Execute("discard.global.L2 [%d1+512], 128;");
  ASSERT_FALSE(outside.ok());
  EXPECT_EQ(outside.finding->kind, FindingKind::kOutOfBounds);
  const PtxResult priority = Execute("applypriority.global.L2::evict_normal [%d1+8], 128;");
  ASSERT_FALSE(priority.ok());
  EXPECT_EQ(priority.finding->kind, FindingKind::kMisaligned);
}

}  // namespace
}  // namespace emu::testing
