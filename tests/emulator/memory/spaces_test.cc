// Loads and stores in every state space, by name and through generic addresses.
#include "tests/emulator/memory/spaces.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

namespace emu::testing {
namespace {

// Each lane writes 100 + lane and reads its neighbour's value.
TEST(Spaces, SharedByNameByRegisterAndGeneric) {
  const char* addresses[] = {
      // As a 32-bit and as a 64-bit register, as a symbol plus an offset in the register, and generic.
      "mov.u32 %w5, buffer;\n shl.b32 %w6, %lane, 2;\n add.s32 %w5, %w5, %w6;\n"
      "st.shared.u32 [%w5], %w1;\n bar.warp.sync -1;\n xor.b32 %w5, %w5, 4;\n ld.shared.u32 %w2, [%w5];\n",
      "mov.u64 %d5, buffer;\n add.s64 %d5, %d5, %d1;\n"
      "st.shared::cta.u32 [%d5], %w1;\n bar.warp.sync -1;\n xor.b64 %d5, %d5, 4;\n ld.shared::cta.u32 %w2, "
      "[%d5];\n",
      "mov.u64 %d5, buffer;\n cvta.shared.u64 %d5, %d5;\n add.s64 %d5, %d5, %d1;\n"
      "st.u32 [%d5], %w1;\n bar.warp.sync -1;\n xor.b64 %d5, %d5, 4;\n ld.u32 %w2, [%d5];\n",
      "cvta.shared.u64 %d5, buffer;\n add.s64 %d5, %d5, %d1;\n"
      "st.u32 [%d5], %w1;\n bar.warp.sync -1;\n xor.b64 %d5, %d5, 4;\n cvta.to.shared.u64 %d6, %d5;\n"
      "ld.shared::cluster.u32 %w2, [%d6];\n",
  };
  std::vector<std::uint32_t> expected;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) expected.push_back(100 + (lane ^ 1));
  for (const char* address : addresses) {
    const std::string body = std::string(".shared .align 16 .b8 buffer[128];\n add.s32 %w1, %lane, 100;\n") +
                             address + "st.global.u32 [%out], %w2;\n ret;";
    EXPECT_EQ(Execute(Module(body)), expected) << address;
  }
}

TEST(Spaces, SharedSymbolsWithOffsets) {
  const std::string body = R"(
    .shared .align 4 .u32 first[2];
    .shared .align 16 .b8 second[64];
    setp.eq.u32 %p, %lane, 0;
    @%p st.shared.u32 [first+4], 41;
    @%p st.shared.v4.u32 [second+16], {1, 2, 3, 4};
    bar.warp.sync -1;
    ld.shared.u32 %w1, [first+4];
    ld.shared.v2.u32 {%w2, %w3}, [second+24];
    add.s32 %w1, %w1, %w2;
    mad.lo.s32 %w1, %w3, 1000, %w1;
    st.global.u32 [%out], %w1;
    ret;)";
  EXPECT_EQ(Execute(Module(body)), std::vector<std::uint32_t>(kLanes, 4044));
}

TEST(Spaces, SharedMemoryOfAnotherCta) {
  const char* loads[] = {
      "mapa.shared::cluster.u32 %w6, %w5, %w3;\n ld.shared::cluster.u32 %w2, [%w6];\n",
      "mapa.shared::cluster.u32 %w6, buffer, %w3;\n shl.b32 %w7, %lane, 2;\n add.s32 %w6, %w6, %w7;\n"
      "ld.shared::cluster.u32 %w2, [%w6];\n",
      "mov.u64 %d5, buffer;\n add.s64 %d5, %d5, %d1;\n cvta.shared::cta.u64 %d5, %d5;\n mapa.u64 %d6, %d5, "
      "%w3;\n"
      "ld.u32 %w2, [%d6];\n",
      "mov.u64 %d5, buffer;\n add.s64 %d5, %d5, %d1;\n mapa.shared::cluster.u64 %d6, %d5, %w3;\n"
      "cvta.shared::cluster.u64 %d6, %d6;\n ld.volatile.u32 %w2, [%d6];\n",
  };
  for (const char* load : loads) {
    const std::string body = std::string(R"(
      .shared .align 16 .b8 buffer[128];
      mov.u32 %w4, %cluster_ctarank;
      mul.lo.s32 %w1, %w4, 1000;
      add.s32 %w1, %w1, %lane;
      mul.wide.u32 %d2, %w4, 128;
      add.s64 %out, %out, %d2;
      mov.u32 %w5, buffer;
      shl.b32 %w6, %lane, 2;
      add.s32 %w5, %w5, %w6;
      st.shared.u32 [%w5], %w1;
      barrier.cluster.arrive.aligned;
      barrier.cluster.wait.aligned;
      xor.b32 %w3, %w4, 1;
    )") + load + R"(
      st.global.u32 [%out], %w2;
      barrier.cluster.arrive.aligned;
      barrier.cluster.wait.aligned;
      ret;)";
    PtxLaunch launch;
    launch.blocks = {2, 1, 1};
    launch.cluster = {2, 1, 1};
    std::vector<std::uint32_t> expected = Iota(kLanes, 1000);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) expected.push_back(lane);
    EXPECT_EQ(Execute(Module(body), launch, 2 * kLanes), expected) << load;
  }
}

TEST(Spaces, LocalMemoryIsTheThreads) {
  const char* accesses[] = {
      "st.local.u32 [cell+8], %w1;\n ld.local.u32 %w2, [cell+8];\n",
      "mov.u64 %d5, cell;\n st.local.u32 [%d5+8], %w1;\n cvta.local.u64 %d6, %d5;\n ld.u32 %w2, [%d6+8];\n",
      "cvta.local.u64 %d5, cell;\n st.u32 [%d5+8], %w1;\n cvta.to.local.u64 %d6, %d5;\n ld.local.u32 %w2, "
      "[%d6+8];\n",
  };
  for (const char* access : accesses) {
    const std::string body = std::string(".local .align 16 .b8 cell[32];\n add.s32 %w1, %lane, 7;\n") + access +
                             "st.global.u32 [%out], %w2;\n ret;";
    EXPECT_EQ(Execute(Module(body)), Iota(kLanes, 7)) << access;
  }
}

TEST(Spaces, ConstantsByNameAndGeneric) {
  const std::string text = R"(
.version 9.0
.target sm_90a
.address_size 64
.const .align 4 .u32 table[4] = {10, 20, 30, 40};
.global .align 4 .u32 variable[2] = {5, 6};
.visible .entry kernel(.param .u64 out)
{
)" + std::string(kPrologue) +
                           R"(
    ld.const.u32 %w1, [table+4];
    cvta.const.u64 %d5, table;
    ld.u32 %w2, [%d5+12];
    add.s32 %w1, %w1, %w2;
    ld.global.u32 %w3, [variable+4];
    add.s32 %w1, %w1, %w3;
    mov.u64 %d6, variable;
    cvta.global.u64 %d6, %d6;
    ld.u32 %w3, [%d6];
    add.s32 %w1, %w1, %w3;
    st.global.u32 [%out], %w1;
    ret;
})";
  EXPECT_EQ(Execute(text), std::vector<std::uint32_t>(kLanes, 20 + 40 + 6 + 5));
}

TEST(Spaces, KernelParameters) {
  struct Struct {
    std::uint32_t word[12];
  };
  Struct value;
  for (std::uint32_t i = 0; i < 12; ++i) value.word[i] = 100 + i;
  const std::string params = ".param .u64 out, .param .align 16 .b8 block[48], .param .u16 small";
  const std::string body = std::string(kPrologue) + R"(
    .reg .b16 %h;
    ld.param.u16 %h, [small];
    ld.param.v4.u32 {%w1, %w2, %w3, %w4}, [block+16];
    ld.param.v2.u64 {%d2, %d3}, [block+32];
    mov.b64 %d4, block;
    and.b32 %w5, %lane, 7;
    mul.wide.u32 %d5, %w5, 4;
    add.s64 %d5, %d4, %d5;
    ld.param.u32 %w6, [%d5+4];
    cvta.param.u64 %d6, %d5;
    ld.u32 %w7, [%d6];
    cvta.param.u64 %d7, block;
    cvta.to.param.u64 %d8, %d7;
    ld.param::entry.u32 %w8, [%d8];
    cvt.u32.u64 %w9, %d3;
    mad.lo.u32 %w6, %w6, 1000, %w7;
    add.s32 %w6, %w6, %w1;
    add.s32 %w6, %w6, %w4;
    add.s32 %w6, %w6, %w8;
    add.s32 %w6, %w6, %w9;
    cvt.u32.u16 %w10, %h;
    add.s32 %w6, %w6, %w10;
    st.global.u32 [%out], %w6;
    ret;)";
  PtxLaunch launch;
  launch.arguments = {Value(value), Value(std::uint16_t{9})};
  std::vector<std::uint32_t> expected;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    const std::uint32_t i = lane % 8;
    expected.push_back((101 + i) * 1000 + (100 + i) + 104 + 107 + 100 + 110 + 9);
  }
  EXPECT_EQ(Execute(PtxModule(params, body), launch), expected);
}

TEST(Spaces, ParametersOfCalls) {
  const std::string text = R"(
.version 9.0
.target sm_90a
.address_size 64
.func (.param .b32 result) sum(.param .align 8 .b8 pair[16], .param .b32 factor)
{
    .reg .b32 %a<5>;
    ld.param.v2.u32 {%a0, %a1}, [pair+8];
    ld.param.u32 %a2, [pair];
    ld.param.u32 %a3, [factor];
    add.s32 %a0, %a0, %a1;
    mad.lo.s32 %a0, %a2, %a3, %a0;
    st.param.b32 [result+0], %a0;
    ret;
}
.visible .entry kernel(.param .u64 out)
{
)" + std::string(kPrologue) +
                           R"(
    {
    .param .align 8 .b8 param0[16];
    .param .b32 param1;
    .param .b32 retval;
    st.param.u32 [param0], %lane;
    st.param.v2.u32 [param0+8], {5, 6};
    st.param.b32 [param1], 3;
    call.uni (retval), sum, (param0, param1);
    ld.param.b32 %w1, [retval];
    }
    st.global.u32 [%out], %w1;
    ret;
})";
  std::vector<std::uint32_t> expected;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) expected.push_back(lane * 3 + 11);
  EXPECT_EQ(Execute(text), expected);
}

// Every lane another space, in one instruction.
TEST(Spaces, GenericAddressesMayDifferInSpace) {
  const std::string params = ".param .u64 out, .param .u32 value";
  const std::string body = std::string(kPrologue) + R"(
    .shared .u32 s;
    .local .u32 l;
    st.global.u32 [%out], 400;
    setp.eq.u32 %p, %lane, 0;
    @%p st.shared.u32 [s], 100;
    st.local.u32 [l], 200;
    bar.warp.sync -1;
    and.b32 %w1, %lane, 3;
    mov.u64 %d5, %out;
    cvta.shared.u64 %d6, s;
    setp.eq.u32 %p, %w1, 1;
    selp.b64 %d5, %d6, %d5, %p;
    cvta.local.u64 %d6, l;
    setp.eq.u32 %p, %w1, 2;
    selp.b64 %d5, %d6, %d5, %p;
    cvta.param.u64 %d6, value;
    setp.eq.u32 %p, %w1, 3;
    selp.b64 %d5, %d6, %d5, %p;
    ld.u32 %w2, [%d5];
    st.global.u32 [%out], %w2;
    ret;)";
  PtxLaunch launch;
  launch.arguments = {Value(std::uint32_t{300})};
  std::vector<std::uint32_t> expected;
  constexpr std::uint32_t kBySpace[] = {400, 100, 200, 300};
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) expected.push_back(kBySpace[lane % 4]);
  EXPECT_EQ(Execute(PtxModule(params, body), launch), expected);
}

}  // namespace
}  // namespace emu::testing
