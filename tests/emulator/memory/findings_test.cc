// Accesses that are wrong: what is said of them.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/emulator/support/run_ptx.h"

namespace emu::testing {
namespace {

const char kDeclarations[] = R"(
    .reg .b32 %w<8>; .reg .b64 %d<8>; .reg .f32 %f<8>; .reg .b32 %lane; .reg .pred %p;
    .shared .align 16 .b8 s[64];
    .local .align 8 .b8 l[16];
    ld.param.u64 %d1, [out];
    mov.u32 %lane, %tid.x;
    setp.eq.u32 %p, %lane, 5;
)";

struct Case {
  const char* what;
  const char* body;  // the last line but one is the one that is wrong
  FindingKind kind;
  std::vector<const char*> says;
};

// The buffer has 256 bytes; 32 threads in each of 2 CTAs of a cluster.
PtxResult Execute(const std::string& text) {
  PtxLaunch launch;
  launch.blocks = {2, 1, 1};
  launch.cluster = {2, 1, 1};
  launch.arguments = {Buffer(std::vector<std::uint32_t>(64))};
  return RunPtx(text, "", launch);
}

void Check(const Case& test) {
  const std::string text =
      PtxModule(".param .u64 out", std::string(kDeclarations) + test.body + "\n// end\nret;");
  const PtxResult result = Execute(text);
  ASSERT_FALSE(result.ok()) << test.what;
  const std::string message = result.message();
  EXPECT_EQ(result.finding->kind, test.kind) << test.what << "\n" << message;
  const auto end = text.begin() + static_cast<long>(text.find("\n// end"));
  EXPECT_EQ(result.finding->line, 1 + std::count(text.begin(), end, '\n')) << message;
  for (const char* part : test.says)
    EXPECT_NE(message.find(part), std::string::npos) << test.what << "\n" << message;
}

TEST(Findings, OutOfBounds) {
  constexpr FindingKind kOut = FindingKind::kOutOfBounds;
  const Case cases[] = {
      {"behind the end, one lane",
       "mul.wide.u32 %d2, %lane, 52;\n add.s64 %d2, %d1, %d2;\n ld.global.u32 %w1, [%d2];",
       kOut,
       {"ld.global.u32 by thread (5, 0, 0) of CTA", "reads 4 bytes at 0x",
        "4 bytes past the end of the allocation of 256 bytes"}},
      {"across the end",
       "@%p ld.global.v4.u32 {%w1, %w2, %w3, %w4}, [%d1+240];\n @%p ld.global.v2.u32 {%w1, %w2}, [%d1+256];",
       kOut,
       {"reads 8 bytes", "0 bytes past the end"}},
      {"before the start",
       "@%p st.global.u32 [%d1+-4], %w1;",
       kOut,
       {"writes 4 bytes", "4 bytes before the allocation"}},
      {"null", "mov.u64 %d2, 0;\n @%p ld.global.u32 %w1, [%d2];", kOut, {"thread (5, 0, 0)", "a null pointer"}},
      {"near null",
       "mov.u64 %d2, 0;\n @%p atom.global.add.u32 %w1, [%d2+16], 1;",
       kOut,
       {"updates 4 bytes at 0x10", "16 bytes from a null pointer"}},
      {"a wild pointer",
       "mov.u64 %d2, 0x123456789000;\n ld.global.u32 %w1, [%d2];",
       kOut,
       {"far from every allocation"}},
      {"a generic shared address as global",
       "cvta.shared.u64 %d2, s;\n @%p ld.global.u32 %w1, [%d2+8];",
       kOut,
       {"a generic address of shared memory (offset 8 in the 64 bytes", "used as an address of global memory"}},
      {"a generic local address as global",
       "cvta.local.u64 %d2, l;\n ld.global.u32 %w1, [%d2];",
       kOut,
       {"a generic address of local memory (offset"}},
      {"a generic parameter address as global",
       "cvta.param.u64 %d2, out;\n st.global.u32 [%d2], %w1;",
       kOut,
       {"a generic address of a kernel parameter (offset 0)"}},
      {"behind shared memory",
       "mov.u32 %w1, s;\n @%p ld.shared.u32 %w2, [%w1+64];",
       kOut,
       {"thread (5, 0, 0)", "offset 64 in the 64 bytes of shared memory of this CTA"}},
      {"across the end of shared memory",
       "st.shared.v4.u32 [s+64], {%w1, %w1, %w1, %w1};",
       kOut,
       {"writes 16 bytes", "offset 64"}},
      {"generic, behind shared memory",
       "cvta.shared.u64 %d2, s;\n ld.u32 %w1, [%d2+128];",
       kOut,
       {"offset 128 in the 64 bytes"}},
      {"a generic address as shared",
       "cvta.shared.u64 %d2, s;\n ld.shared.u32 %w1, [%d2];",
       kOut,
       {"a generic address of shared memory", "used as an address of shared memory"}},
      {"a global address as shared",
       "ld.shared.u32 %w1, [%d1];",
       kOut,
       {"an address of global memory", "used as an address of shared memory"}},
      {"no such CTA",
       "mapa.shared::cluster.u32 %w1, s, 2;\n ld.shared::cluster.u32 %w2, [%w1];",
       kOut,
       {"its CTA has rank 2, but the cluster has 2"}},
      {"behind the shared memory of the peer",
       "mov.u32 %w3, %cluster_ctarank;\n xor.b32 %w3, %w3, 1;\n mapa.shared::cluster.u32 %w1, s, %w3;\n"
       "st.shared::cluster.u32 [%w1+64], %w2;",
       kOut,
       {"offset 64 in the 64 bytes of shared memory of the CTA of rank"}},
      {"the peer's memory as .shared::cta",
       "mov.u32 %w3, %cluster_ctarank;\n xor.b32 %w3, %w3, 1;\n mapa.shared::cluster.u32 %w1, s, %w3;\n "
       "ld.shared.u32 %w2, [%w1];",
       kOut,
       {"used without .shared::cluster"}},
      {"local memory",
       "mov.u64 %d2, l;\n ld.local.u32 %w1, [%d2+4096];",
       kOut,
       {"bytes of local memory of the thread"}},
      {"parameters",
       "mov.b64 %d2, out;\n ld.param.u32 %w1, [%d2+8];",
       kOut,
       {"offset 8 in the 8 bytes of the kernel's parameters"}},
      {"an atomic on local memory",
       "cvta.local.u64 %d2, l;\n atom.add.u32 %w1, [%d2], 1;",
       kOut,
       {"a generic address of local memory"}},
      {"the end of global memory",
       "mov.u64 %d2, -4;\n ld.global.u32 %w1, [%d2];",
       kOut,
       {"reads 4 bytes at 0xfffffffffffffffc"}},
  };
  for (const Case& test : cases) Check(test);
}

TEST(Findings, Misaligned) {
  constexpr FindingKind kMisaligned = FindingKind::kMisaligned;
  const Case cases[] = {
      {"a word",
       "@%p ld.global.u32 %w1, [%d1+2];",
       kMisaligned,
       {"thread (5, 0, 0)", "reads 4 bytes", "no multiple of 4", "2 bytes into the allocation of 256 bytes"}},
      {"a vector",
       "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%d1+8];",
       kMisaligned,
       {"reads 16 bytes", "no multiple of 16"}},
      {"shared",
       "st.shared.v2.f32 [s+4], {%f1, %f2};",
       kMisaligned,
       {"writes 8 bytes", "no multiple of 8", "offset 4"}},
      {"generic shared",
       "cvta.shared.u64 %d2, s;\n st.u32 [%d2+1], %w1;",
       kMisaligned,
       {"no multiple of 4", "offset 1"}},
      {"local", "ld.local.u32 %w1, [l+2];", kMisaligned, {"no multiple of 4"}},
      {"parameter", "ld.param.u32 %w1, [out+2];", kMisaligned, {"no multiple of 4"}},
      {"atomic", "atom.global.add.u64 %d2, [%d1+4], 1;", kMisaligned, {"updates 8 bytes", "no multiple of 8"}},
  };
  for (const Case& test : cases) Check(test);
}

TEST(Findings, BadValues) {
  const Case cases[] = {
      {"a vector of atomics in shared memory",
       "cvta.shared.u64 %d2, s;\n red.add.v2.f32 [%d2], {%f1, %f2};",
       FindingKind::kBadOperand,
       {"vectors are for global memory"}},
      {"a rank of no shared address",
       "getctarank.u64 %w1, %d1;",
       FindingKind::kBadOperand,
       {"is no address of shared memory"}},
      {"too much local memory",
       "mov.u64 %d2, 1000000;\n alloca.u64 %d3, %d2;",
       FindingKind::kOutOfBounds,
       {"524288 bytes of local memory"}},
      {"a stack that grows by restoring",
       "mov.u64 %d2, 1000;\n stackrestore.u64 %d2;",
       FindingKind::kBadOperand,
       {"above the top of the stack"}},
      {"a bulk store of 4 bytes",
       "mov.u64 %d2, 4;\n st.bulk.weak.shared::cta [s], %d2, 0;",
       FindingKind::kBadOperand,
       {"no multiple of 8"}},
  };
  for (const Case& test : cases) Check(test);
}

}  // namespace
}  // namespace emu::testing
