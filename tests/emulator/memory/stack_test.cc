// alloca on the thread's stack, and st.bulk.
#include <gtest/gtest.h>

#include "tests/emulator/memory/spaces.h"

namespace emu::testing {
namespace {

TEST(Stack, AllocaGivesEachThreadItsOwn) {
  const std::string body = R"(
    .local .align 8 .b8 fixed[24];
    .reg .u64 %stack;
    st.local.u32 [fixed+20], %lane;
    stacksave.u64 %stack;
    add.s32 %w1, %lane, 1;
    mul.wide.u32 %d2, %w1, 16;
    alloca.u64 %d3, %d2, 16;
    alloca.u64 %d4, 64;
    st.local.u32 [%d3+12], %w1;
    st.local.u32 [%d4+60], 500;
    cvta.local.u64 %d5, %d3;
    ld.u32 %w2, [%d5+12];
    ld.local.u32 %w3, [%d4+60];
    ld.local.u32 %w4, [fixed+20];
    stackrestore.u64 %stack;
    alloca.u64 %d6, 16, 16;
    sub.s64 %d6, %d6, %d3;
    cvt.u32.u64 %w5, %d6;
    add.s32 %w2, %w2, %w3;
    add.s32 %w2, %w2, %w4;
    add.s32 %w2, %w2, %w5;
    st.global.u32 [%out], %w2;
    ret;)";
  std::vector<std::uint32_t> expected;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) expected.push_back(lane + 1 + 500 + lane);
  EXPECT_EQ(Execute(Module(body)), expected);
}

TEST(BulkStore, FillsWithZeros) {
  const std::string body = R"(
    .shared .align 16 .b8 buffer[128];
    shl.b32 %w1, %lane, 2;
    mov.u32 %w2, buffer;
    add.s32 %w1, %w1, %w2;
    st.shared.u32 [%w1], 7;
    bar.warp.sync -1;
    setp.eq.u32 %p, %lane, 0;
    mov.u64 %d3, 40;
    @%p st.bulk.weak.shared::cta [buffer+8], %d3, 0;
    bar.warp.sync -1;
    ld.shared.u32 %w3, [%w1];
    st.global.u32 [%out], %w3;
    ret;)";
  std::vector<std::uint32_t> expected(kLanes, 7);
  std::fill(expected.begin() + 2, expected.begin() + 12, 0);
  EXPECT_EQ(Execute(Module(body)), expected);
}

}  // namespace
}  // namespace emu::testing
