// cvta, isspacep, mapa, getctarank.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/emulator/support/run_ptx.h"

namespace emu::testing {
namespace {

// Runs a body whose lane 0 leaves eight words at [%out]; two CTAs in a cluster, the one with rank 1 writes.
std::vector<std::uint32_t> Execute(const std::string& body) {
  const std::string text = R"(
.version 9.0
.target sm_90a
.address_size 64
.const .u32 constant[2] = {1, 2};
.global .u32 variable;
.visible .entry kernel(.param .u64 out)
{
    .reg .b32 %w<16>; .reg .b64 %d<16>; .reg .b64 %out; .reg .pred %p, %q<8>;
    .shared .align 16 .b8 s[64];
    .local .align 8 .b8 l[16];
    ld.param.u64 %out, [out];
)" + body + R"(
    mov.u32 %w10, %cluster_ctarank;
    mov.u32 %w11, %tid.x;
    setp.eq.u32 %p, %w10, 1;
    @%p setp.eq.u32 %p, %w11, 0;
    @%p st.global.v4.u32 [%out], {%w0, %w1, %w2, %w3};
    @%p st.global.v4.u32 [%out+16], {%w4, %w5, %w6, %w7};
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    ret;
})";
  PtxLaunch launch;
  launch.blocks = {2, 1, 1};
  launch.cluster = {2, 1, 1};
  launch.arguments = {Buffer(std::vector<std::uint32_t>(8, 0xEEEEEEEE))};
  const PtxResult result = RunPtx(text, "", launch);
  EXPECT_TRUE(result.ok()) << result.message();
  return result.ok() ? result.Buffer<std::uint32_t>(0) : std::vector<std::uint32_t>(8);
}

// One word per space: .shared::cta, .shared::cluster, .local, .const, .global, .param.
std::vector<std::uint32_t> SpacesOf(const std::string& address) {
  std::string body = address;
  const char* spaces[] = {"shared", "shared::cluster", "local", "const", "global", "param"};
  for (int i = 0; i < 6; ++i) {
    body += fmt::format("isspacep.{} %q{}, %d1;\n selp.u32 %w{}, 1, 0, %q{};\n", spaces[i], i, i, i);
  }
  auto words = Execute(body + "mov.u32 %w6, 0;\n mov.u32 %w7, 0;\n");
  words.resize(6);
  return words;
}

TEST(Isspacep, TellsTheWindows) {
  using Words = std::vector<std::uint32_t>;
  EXPECT_EQ(SpacesOf("cvta.shared.u64 %d1, s;\n"), (Words{1, 1, 0, 0, 0, 0}));
  EXPECT_EQ(SpacesOf("cvta.shared.u64 %d1, s;\n mapa.u64 %d1, %d1, 0;\n"), (Words{0, 1, 0, 0, 0, 0}));
  EXPECT_EQ(SpacesOf("cvta.shared.u64 %d1, s;\n mapa.u64 %d1, %d1, 5;\n"), (Words{0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(SpacesOf("cvta.local.u64 %d1, l;\n"), (Words{0, 0, 1, 0, 0, 0}));
  EXPECT_EQ(SpacesOf("cvta.const.u64 %d1, constant;\n add.s64 %d1, %d1, 7;\n"), (Words{0, 0, 0, 1, 1, 0}));
  EXPECT_EQ(SpacesOf("cvta.const.u64 %d1, constant;\n add.s64 %d1, %d1, 8;\n"), (Words{0, 0, 0, 0, 1, 0}));
  EXPECT_EQ(SpacesOf("cvta.global.u64 %d1, variable;\n"), (Words{0, 0, 0, 0, 1, 0}));
  EXPECT_EQ(SpacesOf("cvta.param.u64 %d1, out;\n"), (Words{0, 0, 0, 0, 1, 1}));
  EXPECT_EQ(SpacesOf("mov.u64 %d1, 0;\n"), (Words{0, 0, 0, 0, 1, 0}));
}

TEST(Mapa, KeepsTheOffsetAndChangesTheCta) {
  const auto words = Execute(R"(
    mov.u32 %w8, s;
    add.s32 %w8, %w8, 20;
    mapa.shared::cluster.u32 %w0, %w8, 0;
    mapa.shared::cluster.u32 %w1, %w8, 1;
    mapa.shared::cluster.u32 %w2, s+20, 0;
    cvt.u64.u32 %d1, %w8;
    mapa.shared::cluster.u64 %d2, %d1, 0;
    cvt.u32.u64 %w3, %d2;
    cvta.shared.u64 %d3, %d1;
    mapa.u64 %d4, %d3, 0;
    cvta.to.shared::cluster.u64 %d5, %d4;
    cvt.u32.u64 %w4, %d5;
    mov.u32 %w5, %w8;
    getctarank.shared::cluster.u32 %w6, %w0;
    getctarank.u64 %w7, %d3;
)");
  // Of the same variable in CTA 0 by every way; the own CTA's address is what it was.
  EXPECT_EQ(words[1], words[5]);
  EXPECT_NE(words[0], words[1]);
  EXPECT_EQ(words[2], words[0]);
  EXPECT_EQ(words[3], words[0]);
  EXPECT_EQ(words[4], words[0]);
  EXPECT_EQ(words[6], 0u);
  EXPECT_EQ(words[7], 1u);
}

TEST(Cvta, ThereAndBack) {
  const auto words = Execute(R"(
    mov.u64 %d1, s;
    cvta.shared.u64 %d2, %d1;
    cvta.to.shared.u64 %d3, %d2;
    setp.eq.u64 %q0, %d1, %d3;
    selp.u32 %w0, 1, 0, %q0;
    setp.eq.u64 %q0, %d1, %d2;
    selp.u32 %w1, 1, 0, %q0;
    mov.u64 %d1, l;
    cvta.local.u64 %d2, %d1;
    cvta.to.local.u64 %d3, %d2;
    setp.eq.u64 %q0, %d1, %d3;
    selp.u32 %w2, 1, 0, %q0;
    cvta.to.global.u64 %d3, %out;
    setp.eq.u64 %q0, %out, %d3;
    selp.u32 %w3, 1, 0, %q0;
    cvta.shared.u64 %d2, s+12;
    cvta.to.shared.u64 %d3, %d2;
    cvt.u32.u64 %w4, %d3;
    mov.u32 %w5, s;
    sub.s32 %w4, %w4, %w5;
    mov.u32 %w6, 0;
    mov.u32 %w7, 0;
)");
  EXPECT_EQ(words[0], 1u);
  EXPECT_EQ(words[1], 0u);
  EXPECT_EQ(words[2], 1u);
  EXPECT_EQ(words[3], 1u);
  EXPECT_EQ(words[4], 12u);
}

// Converting a pointer that is not shared is no error; using the result is.
TEST(Cvta, AWrongAddressIsFoundWhenUsed) {
  const std::string params = ".param .u64 out";
  const std::string convert = R"(
    .reg .b64 %d<4>; .reg .b32 %w;
    .shared .u32 s[16];
    ld.param.u64 %d1, [out];
    cvta.to.shared.u64 %d2, %d1;
)";
  PtxLaunch launch;
  launch.arguments = {Buffer(std::vector<std::uint32_t>(8))};
  EXPECT_TRUE(RunPtx(PtxModule(params, convert + "ret;"), "", launch).ok());
  const PtxResult used = RunPtx(PtxModule(params, convert + "ld.shared.u32 %w, [%d2];\n ret;"), "", launch);
  ASSERT_FALSE(used.ok());
  EXPECT_EQ(used.finding->kind, FindingKind::kOutOfBounds);
}

}  // namespace
}  // namespace emu::testing
