// atom and red on global and shared memory, by name and generic.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>
#include <vector>

#include "tests/emulator/support/run_ptx.h"

namespace emu::testing {
namespace {

constexpr std::uint32_t kLanes = 32;

// `cell` is a global buffer, `out` gets what a lane puts into %r (32 bits) or %l (64 bits).
struct Kernel {
  const char* params = ".param .u64 cell, .param .u64 out";
  std::string body;
};

const char kPrologue[] = R"(
    .reg .b16 %h<16>; .reg .b32 %w<16>; .reg .b64 %d<16>; .reg .f32 %f<8>; .reg .f64 %e<4>;
    .reg .b64 %cell, %out; .reg .b32 %lane, %r; .reg .b64 %l; .reg .pred %p;
    ld.param.u64 %cell, [cell];
    ld.param.u64 %out, [out];
    mov.u32 %lane, %tid.x;
)";
const char kStore32[] = R"(
    mul.wide.u32 %d15, %lane, 4;
    add.s64 %out, %out, %d15;
    st.global.u32 [%out], %r;
    ret;)";
const char kStore64[] = R"(
    mul.wide.u32 %d15, %lane, 8;
    add.s64 %out, %out, %d15;
    st.global.u64 [%out], %l;
    ret;)";

template <class Cell>
PtxResult Execute(const std::string& body, const std::vector<Cell>& cell, std::uint64_t seed = 0) {
  PtxLaunch launch;
  launch.seed = seed;
  launch.arguments = {Buffer(cell), Buffer(std::vector<std::uint64_t>(kLanes))};
  const PtxResult result = RunPtx(PtxModule(".param .u64 cell, .param .u64 out", kPrologue + body), "", launch);
  EXPECT_TRUE(result.ok()) << body << result.message();
  return result;
}

TEST(Atomic, LanesHaveTheirTurnsInSomeOrder) {
  bool other_order = false;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const PtxResult result =
        Execute<std::uint32_t>(std::string("atom.global.add.u32 %r, [%cell], 3;\n") + kStore32, {100}, seed);
    if (!result.ok()) return;
    EXPECT_EQ(result.Buffer<std::uint32_t>(0)[0], 100 + 3 * kLanes);
    auto old = result.Buffer<std::uint32_t>(1);
    old.resize(kLanes);
    const bool sorted = std::is_sorted(old.begin(), old.end());
    if (seed == 0) {
      EXPECT_TRUE(sorted);
    }
    other_order = other_order || !sorted;
    std::sort(old.begin(), old.end());
    for (std::uint32_t i = 0; i < kLanes; ++i) EXPECT_EQ(old[i], 100 + 3 * i);
  }
  EXPECT_TRUE(other_order);
}

struct Case {
  const char* instruction;  // with %lane as the value of a lane
  std::uint64_t before, after;
};

// What all 32 lanes together make of one cell does not depend on their order.
TEST(Atomic, EveryOperationOnGlobalSharedAndGenericAddresses) {
  const Case cases[] = {
      {"add.u32", 5, 5 + 496},    {"add.s32", 0xffffffff, 495},
      {"min.u32", 0xffffffff, 0}, {"max.u32", 3, 31},
      {"min.s32", 7, 0},          {"max.s32", 0xfffffff0, 31},
      {"and.b32", 0xffff, 0},     {"or.b32", 0x100, 0x11f},
      {"xor.b32", 0xf0, 0xf0},
  };
  for (const Case& test : cases) {
    for (const char* form :
         {"{0}.global.{1} {2}[%cell], %lane;\n", "{0}.{1} {2}[%cell], %lane;\n",
          "{0}.relaxed.gpu.global.{1} {2}[%cell], %lane;\n",
          "cvta.shared.u64 %d1, s;\n{0}.{1} {2}[%d1], %lane;\n", "{0}.acq_rel.cta.shared.{1} {2}[s], %lane;\n",
          "{0}.shared::cta.{1} {2}[s], %lane;\n", "{0}.cluster.shared::cluster.{1} {2}[s], %lane;\n"}) {
      for (const bool returns : {true, false}) {
        std::string text = form;
        if (!returns && text.find("acq_rel") != std::string::npos)
          text.replace(text.find("acq_rel"), 7, "release");
        const std::string operation =
            fmt::format(fmt::runtime(text), returns ? "atom" : "red", test.instruction, returns ? "%r, " : "");
        const bool shared = text.find("s]") != std::string::npos || text.find("d1") != std::string::npos;
        const std::string body =
            ".shared .align 8 .u32 s;\n setp.eq.u32 %p, %lane, 0;\n ld.global.u32 %w1, [%cell];\n"
            "@%p st.shared.u32 [s], %w1;\n bar.sync 0;\n" +
            operation + "bar.sync 0;\n" +
            (shared ? "ld.shared.u32 %w1, [s];\n @%p st.global.u32 [%cell], %w1;\n ret;" : "ret;");
        const PtxResult result = Execute<std::uint32_t>(body, {static_cast<std::uint32_t>(test.before)}, 3);
        if (!result.ok()) return;
        EXPECT_EQ(result.Buffer<std::uint32_t>(0)[0], static_cast<std::uint32_t>(test.after)) << operation;
      }
    }
  }
}

TEST(Atomic, SixtyFourBits) {
  const Case cases[] = {
      {"add.u64", 0xffffffff, std::uint64_t{0xffffffff} + 496},
      {"min.u64", ~std::uint64_t{0}, 0},
      {"max.s64", ~std::uint64_t{0}, 31},
      {"min.s64", ~std::uint64_t{0}, ~std::uint64_t{0}},
      {"max.u64", ~std::uint64_t{0}, ~std::uint64_t{0}},
      {"or.b64", std::uint64_t{1} << 40, (std::uint64_t{1} << 40) + 31},
      {"and.b64", ~std::uint64_t{0}, 0},
      {"xor.b64", 9, 9},
  };
  for (const Case& test : cases) {
    const std::string body =
        fmt::format("cvt.u64.u32 %d1, %lane;\n atom.global.{} %l, [%cell], %d1;\n", test.instruction);
    const PtxResult result = Execute<std::uint64_t>(body + kStore64, {test.before}, 5);
    if (!result.ok()) return;
    EXPECT_EQ(result.Buffer<std::uint64_t>(0)[0], test.after) << test.instruction;
  }
}

TEST(Atomic, IncAndDecCountInCircles) {
  const PtxResult up =
      Execute<std::uint32_t>(std::string("atom.global.inc.u32 %r, [%cell], 4;\n") + kStore32, {0});
  const PtxResult down =
      Execute<std::uint32_t>(std::string("atom.global.dec.u32 %r, [%cell], 4;\n") + kStore32, {0});
  if (!up.ok() || !down.ok()) return;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    EXPECT_EQ(up.Buffer<std::uint32_t>(1)[lane], lane % 5);
    EXPECT_EQ(down.Buffer<std::uint32_t>(1)[lane], (5 - lane % 5) % 5);
  }
  EXPECT_EQ(up.Buffer<std::uint32_t>(0)[0], kLanes % 5);
  EXPECT_EQ(down.Buffer<std::uint32_t>(0)[0], (5 - kLanes % 5) % 5);
}

TEST(Atomic, ExchangeHandsValuesOn) {
  const PtxResult result =
      Execute<std::uint32_t>(std::string("atom.global.exch.b32 %r, [%cell], %lane;\n") + kStore32, {99}, 7);
  if (!result.ok()) return;
  auto values = result.Buffer<std::uint32_t>(1);
  values.resize(kLanes);
  values.push_back(result.Buffer<std::uint32_t>(0)[0]);
  std::sort(values.begin(), values.end());
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) EXPECT_EQ(values[lane], lane);
  EXPECT_EQ(values.back(), 99u);
}

TEST(Atomic, OneLaneWinsACompareAndSwap) {
  const char* bodies[] = {
      "add.s32 %w1, %lane, 10;\n atom.global.cas.b32 %r, [%cell], 5, %w1;\n",
      "cvt.u16.u32 %h1, %lane;\n add.u16 %h1, %h1, 10;\n atom.global.cas.b16 %h2, [%cell], 5, %h1;\n "
      "cvt.u32.u16 %r, %h2;\n",
      "cvt.u64.u32 %d1, %lane;\n add.s64 %d1, %d1, 10;\n atom.global.cas.b64 %l, [%cell], 5, %d1;\n "
      "cvt.u32.u64 %r, %l;\n",
  };
  for (const char* body : bodies) {
    const PtxResult result = Execute<std::uint64_t>(std::string(body) + kStore32, {5}, 11);
    if (!result.ok()) return;
    auto old = result.Buffer<std::uint32_t>(1);
    old.resize(kLanes);
    const auto winner = static_cast<std::uint64_t>(std::find(old.begin(), old.end(), 5u) - old.begin());
    ASSERT_LT(winner, kLanes);
    EXPECT_EQ(result.Buffer<std::uint64_t>(0)[0], 10 + winner);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) EXPECT_EQ(old[lane], lane == winner ? 5 : 10 + winner);
  }
}

TEST(Atomic, Bits128) {
  const std::string body = std::string(R"(
    .reg .b128 %q<4>;
    .reg .b64 %zero;
    mov.u64 %zero, 0;
    setp.eq.u32 %p, %lane, 0;
    mov.b128 %q1, {%zero, %zero};
    mov.u64 %d1, 17;
    mov.u64 %d2, 18;
    mov.b128 %q2, {%d1, %d2};
    @%p atom.global.cas.b128 %q3, [%cell], %q1, %q2;
    @%p mov.b128 {%d5, %d6}, %q3;
    @%p atom.global.exch.b128 %q3, [%cell+16], %q2;
    @%p mov.b128 {%d7, %d8}, %q3;
    add.s64 %l, %d7, %d8;
    @%p atom.global.cas.b128 _, [%cell+32], %q1, %q2;
)") + kStore64;
  const PtxResult result = Execute<std::uint64_t>(body, {0, 0, 3, 4, 0, 1});
  if (!result.ok()) return;
  EXPECT_EQ(result.Buffer<std::uint64_t>(0), (std::vector<std::uint64_t>{17, 18, 17, 18, 0, 1}));
  EXPECT_EQ(result.Buffer<std::uint64_t>(1)[0], 7u);
}

TEST(Atomic, Floats) {
  const PtxResult f32 =
      Execute<float>("cvt.rn.f32.u32 %f1, %lane;\n red.global.add.f32 [%cell], %f1;\n ret;", {0.5f}, 2);
  if (!f32.ok()) return;
  EXPECT_EQ(f32.Buffer<float>(0)[0], 496.5f);
  const PtxResult f64 =
      Execute<double>("cvt.rn.f64.u32 %e1, %lane;\n red.global.add.f64 [%cell], %e1;\n ret;", {0.25}, 2);
  if (!f64.ok()) return;
  EXPECT_EQ(f64.Buffer<double>(0)[0], 496.25);
  // One in every half.
  const PtxResult f16 = Execute<std::uint32_t>(
      "mov.u32 %w1, 0x3c003c00;\n atom.global.add.noftz.f16x2 %r, [%cell], %w1;\n red.add.noftz.f16x2 "
      "[%cell+4], %w1;\n"
      "mov.u32 %w2, 0x3f803f80;\n red.relaxed.gpu.global.add.noftz.bf16x2 [%cell+8], %w2;\n mov.b16 %h1, "
      "0x3c00;\n"
      "red.global.add.noftz.f16 [%cell+14], %h1;\n mov.b16 %h2, 0x3f80;\n atom.add.noftz.bf16 %h3, [%cell+16], "
      "%h2;\n ret;",
      {0, 0x0000'3c00, 0x3f80'0000, 0, 0}, 4);
  if (!f16.ok()) return;
  // 32 is 0x5000, 33 is 0x5020 in f16; 32 is 0x4200, 33 is 0x4204 in bf16.
  EXPECT_EQ(f16.Buffer<std::uint32_t>(0),
            (std::vector<std::uint32_t>{0x5000'5000, 0x5000'5020, 0x4204'4200, 0x5000'0000, 0x0000'4200}));
}

TEST(Atomic, FloatsInSharedMemoryKeepSubnormals) {
  const PtxResult result = Execute<std::uint32_t>(R"(
    .shared .u32 s;
    setp.eq.u32 %p, %lane, 0;
    @%p st.shared.u32 [s], 1;
    bar.sync 0;
    mov.b32 %f1, 2;
    red.shared.add.f32 [s], %f1;
    red.global.add.f32 [%cell], %f1;
    bar.sync 0;
    ld.shared.u32 %w1, [s];
    @%p st.global.u32 [%cell+4], %w1;
    ret;)",
                                                  {1, 0});
  if (!result.ok()) return;
  EXPECT_EQ(result.Buffer<std::uint32_t>(0), (std::vector<std::uint32_t>{0, 65}));
}

TEST(Atomic, Vectors) {
  const PtxResult result = Execute<std::uint32_t>(R"(
    mov.f32 %f1, 0f3F800000;
    mov.f32 %f2, 0f40000000;
    atom.global.add.v2.f32 {%f3, %f4}, [%cell], {%f1, %f2};
    red.global.add.v4.f32 [%cell+16], {%f1, %f2, %f1, %f2};
    mov.u32 %w1, 0x3c003c00;
    red.global.add.noftz.v4.f16x2 [%cell+32], {%w1, %w1, %w1, %w1};
    mov.b16 %h1, 0x4000;
    mov.b16 %h2, 0x3c00;
    red.global.max.noftz.v8.f16 [%cell+48], {%h1, %h2, %h1, %h2, %h1, %h1, %h2, %h2};
    atom.relaxed.gpu.global.min.noftz.v2.bf16 {%h3, %h4}, [%cell+64], {%h1, %h2};
    ret;)",
                                                  {0, 0x3f800000, 0, 0,             // sums: 32, 65
                                                   0, 0, 0, 0,                      // 32, 64, 32, 64
                                                   0, 0, 0, 0,                      // 32 in every half
                                                   0x4200'0000, 0, 0x7e00'0000, 0,  // maxima; NaN loses
                                                   0x3f80'4040, 0},
                                                  6);
  if (!result.ok()) return;
  EXPECT_EQ(result.Buffer<std::uint32_t>(0),
            (std::vector<std::uint32_t>{0x42000000, 0x42820000, 0, 0,                        //
                                        0x42000000, 0x42800000, 0x42000000, 0x42800000,      //
                                        0x50005000, 0x50005000, 0x50005000, 0x50005000,      //
                                        0x4200'4000, 0x3c00'4000, 0x4000'4000, 0x3c00'3c00,  //
                                        0x3c00'4000, 0}));
}

TEST(Atomic, AcrossTheCtasOfACluster) {
  const std::string body = std::string(kPrologue) + R"(
    .shared .u32 s;
    mov.u32 %w1, %cluster_ctarank;
    setp.eq.u32 %p, %lane, 0;
    @%p st.shared.u32 [s], 0;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    mapa.shared::cluster.u32 %w2, s, 0;
    red.relaxed.cluster.shared::cluster.add.u32 [%w2], %w1;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    ld.shared.u32 %w3, [s];
    @%p red.global.add.u32 [%cell], %w3;
    ret;)";
  PtxLaunch launch;
  launch.blocks = {4, 1, 1};
  launch.cluster = {4, 1, 1};
  launch.arguments = {Buffer(std::vector<std::uint32_t>{0}), Buffer(std::vector<std::uint32_t>(kLanes))};
  for (launch.seed = 0; launch.seed < 4; ++launch.seed) {
    const PtxResult result = RunPtx(PtxModule(".param .u64 cell, .param .u64 out", body), "", launch);
    ASSERT_TRUE(result.ok()) << result.message();
    EXPECT_EQ(result.Buffer<std::uint32_t>(0)[0], kLanes * (1 + 2 + 3));
  }
}

}  // namespace
}  // namespace emu::testing
