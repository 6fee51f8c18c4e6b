// Where the threads of a cooperative launch meet: what cooperative_groups finds through %envreg1 and %envreg2.
#include <gtest/gtest.h>

#include "tests/emulator/exec/kernel.h"

namespace emu::testing {
namespace {

// As grid.sync() does it: a thread of each CTA adds to the second word of the workspace, the first CTA so much that the
// upper bit flips when all have come, and waits for the flip. Without a workspace it traps.
constexpr const char* kMeet = R"(
    mov.u32 %r4, %envreg1;
    mov.u32 %r5, %envreg2;
    mov.b64 %rd3, {%r5, %r4};
    setp.eq.u64 %p1, %rd3, 0;
    @%p1 trap;
    mov.u32 %r6, %ctaid.x;
    setp.eq.u32 %p2, %r6, 0;
    mov.u32 %r7, %nctaid.x;
    sub.u32 %r7, 0x80000001, %r7;
    selp.u32 %r7, %r7, 1, %p2;
    fence.acq_rel.gpu;
    atom.global.add.u32 %r3, [%rd3+4], %r7;
  WAIT:
    ld.acquire.gpu.global.u32 %r4, [%rd3+4];
    xor.b32 %r4, %r4, %r3;
    setp.ge.s32 %p2, %r4, 0;
    @%p2 bra WAIT;
    STORE %r6;
    ret;)";

PtxResult Launch(bool cooperative, std::uint64_t seed) {
  PtxLaunch launch;
  launch.blocks.x = 5;
  launch.threads.x = 1;
  launch.seed = seed;
  launch.cooperative = cooperative;
  launch.arguments = {Buffer(std::vector<std::uint32_t>(5, 77))};
  return RunPtx(Kernel(kMeet), "kernel", launch);
}

TEST(Cooperative, TheGridMeets) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const PtxResult result = Launch(true, seed);
    ASSERT_TRUE(result.ok()) << result.message();
    EXPECT_EQ(result.Buffer<std::uint32_t>(0), (std::vector<std::uint32_t>{0, 1, 2, 3, 4}));
  }
}

TEST(Cooperative, OthersHaveNowhereToMeet) {
  const PtxResult result = Launch(false, 0);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.finding->kind, FindingKind::kTrap) << result.message();
}

}  // namespace
}  // namespace emu::testing
