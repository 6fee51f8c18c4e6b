// Special registers.
#include <gtest/gtest.h>

#include "tests/emulator/exec/kernel.h"

namespace emu::testing {
namespace {

// The values of 32-bit special registers in every thread of a launch of (3, 2, 2) CTAs of (5, 7, 2) threads.
std::vector<std::vector<std::uint32_t>> Values(const std::vector<std::string>& names) {
  const std::uint32_t threads = 70 * 12;
  std::string body = R"(
    .reg .b32 %r<20>; .reg .b64 %rd<9>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %ctaid.z;
    mov.u32 %r2, %nctaid.y;
    mov.u32 %r3, %ctaid.y;
    mad.lo.u32 %r1, %r1, %r2, %r3;
    mov.u32 %r2, %nctaid.x;
    mov.u32 %r3, %ctaid.x;
    mad.lo.u32 %r1, %r1, %r2, %r3;
    mov.u32 %r2, %ntid.z;
    mov.u32 %r3, %tid.z;
    mad.lo.u32 %r1, %r1, %r2, %r3;
    mov.u32 %r2, %ntid.y;
    mov.u32 %r3, %tid.y;
    mad.lo.u32 %r1, %r1, %r2, %r3;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.u32 %r1, %r1, %r2, %r3;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd1, %rd1, %rd2;
)";
  for (std::size_t i = 0; i < names.size(); ++i) {
    body +=
        "mov.u32 %r9, " + names[i] + ";\n st.global.u32 [%rd1+" + std::to_string(i * threads * 4) + "], %r9;\n";
  }
  PtxLaunch launch;
  launch.blocks = {3, 2, 2};
  launch.threads = {5, 7, 2};
  launch.dynamic_shared = 96;
  launch.arguments = {Buffer(std::vector<std::uint32_t>(names.size() * threads))};
  const PtxResult result = RunPtx(PtxModule(".param .u64 out", body + "ret;"), "kernel", launch);
  EXPECT_TRUE(result.ok()) << result.message();
  const auto flat = result.Buffer<std::uint32_t>(0);
  std::vector<std::vector<std::uint32_t>> values;
  for (std::size_t i = 0; i < names.size(); ++i) {
    values.emplace_back(flat.begin() + static_cast<std::ptrdiff_t>(i * threads),
                        flat.begin() + static_cast<std::ptrdiff_t>((i + 1) * threads));
  }
  return values;
}

TEST(Special, PositionsInTheGrid) {
  const auto values = Values({"%tid.x", "%tid.y", "%tid.z", "%ctaid.x", "%ctaid.y", "%ctaid.z", "%ntid.y",
                              "%nctaid.z", "%laneid", "%warpid", "%nsmid"});
  for (std::uint32_t i = 0; i < 840; ++i) {
    const std::uint32_t thread = i % 70, cta = i / 70;
    const std::uint32_t expected[] = {thread % 5, thread / 5 % 7, thread / 35, cta % 3, cta / 3 % 2, cta / 6, 7,
                                      2,          thread % 32,    thread / 32, 132};
    for (std::size_t v = 0; v < values.size(); ++v)
      ASSERT_EQ(values[v][i], expected[v]) << v << " of thread " << i;
  }
}

TEST(Special, LaneMasks) {
  const auto values = Values({"%lanemask_eq", "%lanemask_lt", "%lanemask_le", "%lanemask_gt", "%lanemask_ge"});
  for (std::uint32_t i = 0; i < 840; ++i) {
    const std::uint32_t lane = i % 70 % 32;
    std::uint32_t lower = 0, upper = 0;
    for (std::uint32_t bit = 0; bit < 32; ++bit) (bit < lane ? lower : upper) |= 1u << bit;
    const std::uint32_t self = 1u << lane;
    const std::uint32_t expected[] = {self, lower, lower | self, upper & ~self, upper};
    for (std::size_t v = 0; v < values.size(); ++v)
      ASSERT_EQ(values[v][i], expected[v]) << v << " of thread " << i;
  }
}

TEST(Special, MemoryAndTheRest) {
  const auto values = Values({"%dynamic_smem_size", "%total_smem_size", "%envreg3", "%cluster_ctarank",
                              "%cluster_nctaid.x", "%nclusterid.x", "%pm0"});
  for (std::uint32_t i = 0; i < 840; ++i) {
    const std::uint32_t expected[] = {96, 96, 0, 0, 1, 3, 0};
    for (std::size_t v = 0; v < values.size(); ++v)
      ASSERT_EQ(values[v][i], expected[v]) << v << " of thread " << i;
  }
}

TEST(Special, ClocksGoOn) {
  const PtxResult result = RunKernel(Kernel(R"(
    mov.u64 %rd5, %clock64;
    mov.u32 %r3, %clock;
    mov.u64 %rd6, %globaltimer;
    mov.u64 %rd7, %clock64;
    setp.gt.u64 %p1, %rd7, %rd5;
    setp.ge.u64 %p2, %rd7, %rd6;
    cvt.u32.u64 %r4, %rd5;
    setp.ge.u32 %p3, %r3, %r4;
    selp.u32 %r5, 1, 0, %p1;
    @%p2 add.u32 %r5, %r5, 2;
    @%p3 add.u32 %r5, %r5, 4;
    STORE %r5;
    ret;)"));
  ASSERT_TRUE(result.ok()) << result.message();
  for (std::uint32_t lane = 0; lane < 32; ++lane) EXPECT_EQ(result.Buffer<std::uint32_t>(0)[lane], 7u);
}

TEST(Special, OtherWidths) {
  const PtxResult result = RunKernel(Kernel(R"(
    mov.u16 %h1, %tid.x;
    cvt.u32.u16 %r3, %h1;
    mov.u64 %rd5, %ntid.x;
    cvt.u32.u64 %r4, %rd5;
    mad.lo.u32 %r3, %r3, 100, %r4;
    STORE %r3;
    ret;)"),
                                     {.threads = 64});
  ASSERT_TRUE(result.ok()) << result.message();
  for (std::uint32_t t = 0; t < 64; ++t) EXPECT_EQ(result.Buffer<std::uint32_t>(0)[t], t * 100 + 64);
}

TEST(Special, UnknownOnesAreRefused) {
  const PtxResult result = RunKernel(Kernel("mov.u32 %r3, %fancy;\n ret;"));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.finding->kind, FindingKind::kUnsupported) << result.message();
}

}  // namespace
}  // namespace emu::testing
