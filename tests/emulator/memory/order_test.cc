// Order between threads through memory, and polls that never end.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/emulator/support/run_ptx.h"

namespace emu::testing {
namespace {

// Warp 0 writes `data` and sets a flag with `release`; warp 1 waits for the flag with `acquire` (into %w1), then reads.
PtxResult HandOver(const std::string& release, const std::string& acquire, std::uint64_t seed) {
  const std::string body = R"(
    .shared .align 8 .b8 data[128];
    .shared .align 8 .u32 flag;
    .reg .b32 %w<8>; .reg .b64 %out, %d<4>; .reg .b32 %lane, %t; .reg .pred %p, %leader, %again;
    ld.param.u64 %out, [out];
    mov.u32 %t, %tid.x;
    and.b32 %lane, %t, 31;
    setp.eq.u32 %leader, %t, 0;
    @%leader st.shared.u32 [flag], 0;
    bar.sync 0;
    shl.b32 %w2, %lane, 2;
    mov.u32 %w3, data;
    add.s32 %w2, %w2, %w3;
    setp.lt.u32 %p, %t, 32;
    @!%p bra CONSUMER;
    st.shared.u32 [%w2], %t;
    bar.warp.sync -1;
    @!%leader bra END;
)" + release + R"(
    bra END;
CONSUMER:
)" + acquire + R"(
    setp.eq.u32 %again, %w1, 0;
    @%again bra CONSUMER;
    ld.shared.u32 %w4, [%w2];
    mul.wide.u32 %d1, %lane, 4;
    add.s64 %out, %out, %d1;
    st.global.u32 [%out], %w4;
END:
    ret;)";
  PtxLaunch launch;
  launch.threads = {64, 1, 1};
  launch.seed = seed;
  launch.arguments = {Buffer(std::vector<std::uint32_t>(32, 99)), Buffer(std::vector<std::uint32_t>(1, 0))};
  return RunPtx(PtxModule(".param .u64 out, .param .u64 global_flag", body), "", launch);
}

struct Pattern {
  const char* release;
  const char* acquire;
};

TEST(Order, PatternsThatHandOver) {
  const Pattern patterns[] = {
      {"st.release.cta.shared.u32 [flag], 1;", "ld.acquire.cta.shared.u32 %w1, [flag];"},
      {"fence.acq_rel.cta;\n st.relaxed.cta.shared.u32 [flag], 1;",
       "ld.relaxed.cta.shared.u32 %w1, [flag];\n fence.acq_rel.cta;"},
      {"membar.cta;\n st.volatile.shared.u32 [flag], 1;", "ld.volatile.shared.u32 %w1, [flag];\n membar.cta;"},
      {"membar.cta;\n atom.shared.exch.b32 %w5, [flag], 1;",
       "atom.shared.add.u32 %w1, [flag], 0;\n membar.cta;"},
      {"red.release.cta.shared.add.u32 [flag], 1;", "atom.acquire.cta.shared.or.b32 %w1, [flag], 0;"},
      {"atom.acq_rel.cta.shared.cas.b32 %w5, [flag], 0, 1;", "ld.acquire.cta.shared.u32 %w1, [flag];"},
      {"st.release.cta.shared.u32 [flag], 1;", "ld.relaxed.cta.shared.u32 %w1, [flag];\n fence.sc.cta;"},
      // Without the fences that the ISA asks for, as much code in use.
      {"st.volatile.shared.u32 [flag], 1;", "ld.volatile.shared.u32 %w1, [flag];"},
      {"atom.shared.add.u32 %w5, [flag], 1;", "atom.shared.or.b32 %w1, [flag], 0;"},
      // A flag in global memory.
      {"ld.param.u64 %d2, [global_flag];\n st.release.gpu.global.u32 [%d2], 1;",
       "ld.param.u64 %d2, [global_flag];\n ld.acquire.gpu.global.u32 %w1, [%d2];"},
      {"ld.param.u64 %d2, [global_flag];\n membar.gl;\n red.global.add.u32 [%d2], 1;",
       "ld.param.u64 %d2, [global_flag];\n ld.volatile.global.u32 %w1, [%d2];\n membar.gl;"},
      {"cvta.shared.u64 %d2, flag;\n st.release.cta.u32 [%d2], 1;", "ld.acquire.cta.shared.u32 %w1, [flag];"},
  };
  for (const Pattern& pattern : patterns) {
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      const PtxResult result = HandOver(pattern.release, pattern.acquire, seed);
      ASSERT_TRUE(result.ok()) << pattern.release << "\n" << pattern.acquire << "\n" << result.message();
      for (std::uint32_t lane = 0; lane < 32; ++lane) EXPECT_EQ(result.Buffer<std::uint32_t>(0)[lane], lane);
    }
  }
}

TEST(Order, PatternsThatDoNot) {
  const Pattern patterns[] = {
      {"st.relaxed.cta.shared.u32 [flag], 1;", "ld.relaxed.cta.shared.u32 %w1, [flag];"},
      {"st.release.cta.shared.u32 [flag], 1;", "ld.relaxed.cta.shared.u32 %w1, [flag];"},
      {"st.relaxed.cta.shared.u32 [flag], 1;", "ld.acquire.cta.shared.u32 %w1, [flag];"},
      {"atom.relaxed.cta.shared.exch.b32 %w5, [flag], 1;", "ld.acquire.cta.shared.u32 %w1, [flag];"},
      // The fence comes too late.
      {"st.relaxed.cta.shared.u32 [flag], 1;\n fence.acq_rel.cta;", "ld.acquire.cta.shared.u32 %w1, [flag];"},
      // The flag itself is weak.
      {"st.shared.u32 [flag], 1;", "ld.acquire.cta.shared.u32 %w1, [flag];"},
      // Another address.
      {"st.release.cta.shared.u32 [flag], 1;", "mov.u32 %w1, 1;"},
  };
  for (const Pattern& pattern : patterns) {
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      const PtxResult result = HandOver(pattern.release, pattern.acquire, seed);
      ASSERT_FALSE(result.ok()) << pattern.release << "\n" << pattern.acquire;
      const bool race =
          result.finding->kind == FindingKind::kRace || result.finding->kind == FindingKind::kUnwrittenShared;
      EXPECT_TRUE(race) << result.message();
    }
  }
}

// A lock of each kind around a counter in shared memory that is not atomic.
TEST(Order, LocksExclude) {
  const char* locks[][2] = {
      {"atom.acquire.cta.shared.cas.b32 %w1, [lock], 0, 1;", "st.release.cta.shared.u32 [lock], 0;"},
      {"atom.shared.cas.b32 %w1, [lock], 0, 1;\n membar.cta;",
       "membar.cta;\n atom.shared.exch.b32 %w5, [lock], 0;"},
      {"atom.shared.exch.b32 %w1, [lock], 1;", "st.volatile.shared.u32 [lock], 0;"},
  };
  for (const auto& lock : locks) {
    const std::string body = std::string(R"(
    .shared .align 8 .u32 lock;
    .shared .align 8 .u32 counter;
    .reg .b32 %w<8>; .reg .b64 %out; .reg .b32 %t; .reg .pred %p, %leader;
    ld.param.u64 %out, [out];
    mov.u32 %t, %tid.x;
    setp.eq.u32 %leader, %t, 0;
    @%leader st.shared.u32 [lock], 0;
    @%leader st.shared.u32 [counter], 0;
    bar.sync 0;
    and.b32 %w2, %t, 31;
    setp.ne.u32 %p, %w2, 0;
    @%p bra DONE;
AGAIN:
)") + lock[0] + R"(
    setp.ne.u32 %p, %w1, 0;
    @%p bra AGAIN;
    ld.shared.u32 %w3, [counter];
    add.s32 %w3, %w3, 1;
    st.shared.u32 [counter], %w3;
)" + lock[1] + R"(
DONE:
    bar.sync 0;
    ld.shared.u32 %w3, [counter];
    @%leader st.global.u32 [%out], %w3;
    ret;)";
    PtxLaunch launch;
    launch.threads = {256, 1, 1};
    launch.arguments = {Buffer(std::vector<std::uint32_t>(1))};
    for (launch.seed = 0; launch.seed < 6; ++launch.seed) {
      const PtxResult result = RunPtx(PtxModule(".param .u64 out", body), "", launch);
      ASSERT_TRUE(result.ok()) << lock[0] << result.message();
      EXPECT_EQ(result.Buffer<std::uint32_t>(0)[0], 8u);
    }
  }
}

// More flags than are told apart: what is forgotten may only be a finding, never the order of a correct program.
TEST(Order, ManyAddresses) {
  const std::string body = R"(
    .shared .align 8 .b8 data[128];
    .reg .b32 %w<8>; .reg .b64 %flags, %d<4>; .reg .b32 %lane, %t; .reg .pred %p;
    ld.param.u64 %flags, [flags];
    mov.u32 %t, %tid.x;
    and.b32 %lane, %t, 31;
    shl.b32 %w2, %lane, 2;
    mov.u32 %w3, data;
    add.s32 %w2, %w2, %w3;
    mul.wide.u32 %d1, %lane, 4;
    add.s64 %d1, %flags, %d1;
    mov.u32 %w4, 0;
    setp.lt.u32 %p, %t, 32;
    @!%p bra CONSUMER;
PRODUCER:
    red.global.add.u32 [%d1], 1;
    add.s64 %d1, %d1, 128;
    add.s32 %w4, %w4, 1;
    setp.lt.u32 %p, %w4, 159;
    @%p bra PRODUCER;
    st.shared.u32 [%w2], %t;
    red.release.gpu.global.add.u32 [%d1], 1;
    bra END;
CONSUMER:
    ld.acquire.gpu.global.u32 %w1, [%d1+20352];
    setp.eq.u32 %p, %w1, 0;
    @%p bra CONSUMER;
    ld.shared.u32 %w5, [%w2];
    st.global.u32 [%d1], %w5;
END:
    ret;)";
  PtxLaunch launch;
  launch.threads = {64, 1, 1};
  launch.arguments = {Buffer(std::vector<std::uint32_t>(160 * 32))};
  for (launch.seed = 0; launch.seed < 3; ++launch.seed) {
    const PtxResult result = RunPtx(PtxModule(".param .u64 flags", body), "", launch);
    ASSERT_TRUE(result.ok()) << result.message();
    for (std::uint32_t lane = 0; lane < 32; ++lane) EXPECT_EQ(result.Buffer<std::uint32_t>(0)[lane], lane);
  }
}

TEST(Order, PollsThatNeverEndAreDeadlocks) {
  const char* polls[] = {"ld.volatile.global.u32 %w1, [%d1];",    "ld.acquire.gpu.global.u32 %w1, [%d1];",
                         "ld.relaxed.gpu.global.u32 %w1, [%d1];", "atom.global.cas.b32 %w1, [%d1], 1, 0;",
                         "atom.global.add.u32 %w1, [%d1], 0;",    "ld.volatile.shared.u32 %w1, [flag];"};
  for (const char* poll : polls) {
    const std::string body = std::string(R"(
    .shared .u32 flag;
    .reg .b32 %w<4>; .reg .b64 %d1; .reg .pred %p;
    ld.param.u64 %d1, [out];
    st.volatile.shared.u32 [flag], 0;
AGAIN:
)") + poll + R"(
    setp.eq.u32 %p, %w1, 0;
    @%p bra AGAIN;
    ret;)";
    PtxLaunch launch;
    launch.arguments = {Buffer(std::vector<std::uint32_t>(1))};
    const PtxResult result = RunPtx(PtxModule(".param .u64 out", body), "", launch);
    ASSERT_FALSE(result.ok()) << poll;
    EXPECT_EQ(result.finding->kind, FindingKind::kDeadlock) << result.message();
  }
}

}  // namespace
}  // namespace emu::testing
