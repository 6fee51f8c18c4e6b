// Every type and vector width of ld and st on global memory, against values computed here.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "tests/emulator/support/run_ptx.h"

namespace emu::testing {
namespace {

struct TypeCase {
  const char* type;
  int bytes;
  bool is_signed;
};
constexpr TypeCase kTypes[] = {
    {"b8", 1, false},  {"u8", 1, false},  {"s8", 1, true},   {"b16", 2, false}, {"u16", 2, false},
    {"s16", 2, true},  {"b32", 4, false}, {"u32", 4, false}, {"s32", 4, true},  {"f32", 4, false},
    {"b64", 8, false}, {"u64", 8, false}, {"s64", 8, true},  {"f64", 8, false},
};
constexpr int kLanes = 32;

// Bytes whose high bits are set in every second lane.
std::vector<unsigned char> Pattern(std::size_t bytes) {
  std::vector<unsigned char> pattern(bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    pattern[i] = static_cast<unsigned char>(i * 151 + (i >> 3) * 29 + 0x83);
  return pattern;
}

const char* RegisterPrefix(int bytes) { return bytes == 2 ? "%h" : bytes == 4 ? "%w" : "%d"; }

// Declarations, and %in, %out: addresses of `in_bytes` and `out_bytes` per thread.
std::string Prologue(int in_bytes, int out_bytes) {
  return fmt::format(R"(
    .reg .b16 %h<16>; .reg .b32 %w<16>; .reg .b64 %d<16>; .reg .b64 %in, %out, %t; .reg .b32 %lane; .reg .pred %p;
    ld.param.u64 %in, [in];
    ld.param.u64 %out, [out];
    mov.u32 %lane, %tid.x;
    mul.wide.u32 %t, %lane, {};
    add.s64 %in, %in, %t;
    mul.wide.u32 %t, %lane, {};
    add.s64 %out, %out, %t;
)",
                     in_bytes, out_bytes);
}

const char kParams[] = ".param .u64 in, .param .u64 out";

PtxResult Execute(const std::string& body, const std::vector<unsigned char>& in, std::size_t out_bytes) {
  PtxLaunch launch;
  launch.arguments = {Buffer(in), Buffer(std::vector<unsigned char>(out_bytes, 0xEE))};
  return RunPtx(PtxModule(kParams, body), "", launch);
}

TEST(Load, ExtendsIntoWiderRegisters) {
  for (const TypeCase& type : kTypes) {
    for (int reg : {2, 4, 8}) {
      if (reg < type.bytes) continue;
      const std::string name = fmt::format("{}1", RegisterPrefix(reg));
      const std::string body =
          Prologue(type.bytes, reg) + fmt::format("ld.global.{} {}, [%in];\nst.global.b{} [%out], {};\nret;",
                                                  type.type, name, reg * 8, name);
      const auto in = Pattern(kLanes * type.bytes);
      const PtxResult result = Execute(body, in, kLanes * reg);
      ASSERT_TRUE(result.ok()) << result.message();
      std::vector<unsigned char> expected;
      for (int lane = 0; lane < kLanes; ++lane) {
        const unsigned char* value = &in[lane * type.bytes];
        const bool negative = type.is_signed && value[type.bytes - 1] >= 0x80;
        for (int i = 0; i < reg; ++i) {
          expected.push_back(i < type.bytes ? value[i] : negative ? 0xFF : 0);
        }
      }
      EXPECT_EQ(result.Buffer<unsigned char>(1), expected) << type.type << " into " << reg;
    }
  }
}

TEST(Store, TakesTheLowBitsOfWiderRegisters) {
  for (const TypeCase& type : kTypes) {
    for (int reg : {2, 4, 8}) {
      if (reg < type.bytes) continue;
      const std::string name = fmt::format("{}1", RegisterPrefix(reg));
      const std::string body =
          Prologue(reg, type.bytes) + fmt::format("ld.global.b{} {}, [%in];\nst.global.{} [%out], {};\nret;",
                                                  reg * 8, name, type.type, name);
      const auto in = Pattern(kLanes * reg);
      const PtxResult result = Execute(body, in, kLanes * type.bytes);
      ASSERT_TRUE(result.ok()) << result.message();
      std::vector<unsigned char> expected;
      for (int lane = 0; lane < kLanes; ++lane) {
        expected.insert(expected.end(), &in[lane * reg], &in[lane * reg] + type.bytes);
      }
      EXPECT_EQ(result.Buffer<unsigned char>(1), expected) << type.type << " from " << reg;
    }
  }
}

std::string Vector(int count, const char* prefix, int first) {
  std::string vector = "{";
  for (int i = 0; i < count; ++i) vector += fmt::format("{}{}{}", i == 0 ? "" : ", ", prefix, first + i);
  return vector + "}";
}

TEST(LoadStore, VectorsCopy) {
  for (const TypeCase& type : kTypes) {
    for (int count : {2, 4, 8}) {
      const int bytes = type.bytes * count;
      if (bytes > 32) continue;
      const std::string vector = Vector(count, RegisterPrefix(std::max(2, type.bytes)), 1);
      const std::string body =
          Prologue(bytes, bytes) +
          fmt::format("ld.global.v{0}.{1} {2}, [%in];\nst.global.v{0}.{1} [%out], {2};\nret;", count, type.type,
                      vector);
      const auto in = Pattern(kLanes * bytes);
      const PtxResult result = Execute(body, in, in.size());
      ASSERT_TRUE(result.ok()) << result.message();
      EXPECT_EQ(result.Buffer<unsigned char>(1), in) << "v" << count << "." << type.type;
    }
  }
}

TEST(LoadStore, VectorsTakeElementsInOrderAndConstantsAndSinks) {
  const std::string body = Prologue(16, 16) + R"(
    ld.global.v4.u32 {%w1, _, %w3, %w4}, [%in];
    st.global.v4.u32 [%out], {%w4, 77, %w1, %w3};
    ret;)";
  std::vector<std::uint32_t> in(4 * kLanes), expected;
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint32_t>(i * 1000);
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    const std::uint32_t* v = &in[4 * lane];
    expected.insert(expected.end(), {v[3], 77, v[0], v[2]});
  }
  PtxLaunch launch;
  launch.arguments = {Buffer(in), Buffer(std::vector<std::uint32_t>(4 * kLanes))};
  const PtxResult result = RunPtx(PtxModule(kParams, body), "", launch);
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_EQ(result.Buffer<std::uint32_t>(1), expected);
}

TEST(LoadStore, Bits128) {
  const std::string body = Prologue(16, 16) + R"(
    .reg .b128 %q;
    ld.global.b128 %q, [%in];
    st.global.b128 [%out], %q;
    ret;)";
  const auto in = Pattern(kLanes * 16);
  const PtxResult result = Execute(body, in, in.size());
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_EQ(result.Buffer<unsigned char>(1), in);
}

TEST(LoadStore, OffsetsAndLanesThatStandAside) {
  const std::string body = Prologue(4, 4) + R"(
    and.b32 %w1, %lane, 5;
    setp.eq.u32 %p, %w1, 1;
    mov.u32 %w2, 9;
    @%p ld.global.u32 %w2, [%in+4];
    @!%p ld.global.u32 %w2, [%in+-4];
    setp.lt.u32 %p, %lane, 20;
    @%p st.global.u32 [%out], %w2;
    ret;)";
  // One word before and one behind, through a buffer that begins a word later.
  std::vector<std::uint32_t> in(kLanes + 2), expected(kLanes, 0xEEEEEEEE);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint32_t>(100 + i);
  for (std::uint32_t lane = 0; lane < 20; ++lane) expected[lane] = in[1 + lane + ((lane & 5) == 1 ? 1 : -1)];
  std::string shifted = body;
  shifted.insert(shifted.find("and.b32"), "add.s64 %in, %in, 4;\n    ");
  std::vector<unsigned char> bytes(in.size() * 4);
  std::memcpy(bytes.data(), in.data(), bytes.size());
  const PtxResult result = Execute(shifted, bytes, kLanes * 4);
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_EQ(result.Buffer<std::uint32_t>(1), expected);
}

TEST(LoadStore, QualifiersChangeNoValue) {
  const char* loads[] = {"ld.global",
                         "ld.weak.global",
                         "ld.global.ca",
                         "ld.global.cg",
                         "ld.global.cs",
                         "ld.global.lu",
                         "ld.global.cv",
                         "ld.global.nc",
                         "ld.global.ca.nc",
                         "ld.global.nc.L1::no_allocate.L2::256B",
                         "ld.global.L1::evict_last",
                         "ld.global.L1::evict_first.L2::128B",
                         "ld.global.L1::evict_unchanged.L2::64B",
                         "ld.volatile.global",
                         "ld.relaxed.cta.global",
                         "ld.relaxed.sys.global",
                         "ld.acquire.gpu.global",
                         "ld.acquire.cluster.global.L1::evict_normal",
                         "ld.mmio.relaxed.sys.global",
                         "ldu.global",
                         "ld",
                         "ld.volatile",
                         "ld.acquire.sys"};
  for (const char* load : loads) {
    const std::string body =
        Prologue(4, 4) + fmt::format("{}.u32 %w1, [%in];\nst.global.u32 [%out], %w1;\nret;", load);
    const auto in = Pattern(kLanes * 4);
    const PtxResult result = Execute(body, in, in.size());
    ASSERT_TRUE(result.ok()) << load << result.message();
    EXPECT_EQ(result.Buffer<unsigned char>(1), in) << load;
  }
  const char* stores[] = {"st.global",
                          "st.weak.global",
                          "st.global.wb",
                          "st.global.cg",
                          "st.global.cs",
                          "st.global.wt",
                          "st.global.L1::no_allocate",
                          "st.volatile.global",
                          "st.relaxed.gpu.global",
                          "st.release.cluster.global",
                          "st.release.sys.global.L1::evict_last",
                          "st.mmio.relaxed.sys.global",
                          "st",
                          "st.release.cta"};
  for (const char* store : stores) {
    const std::string body =
        Prologue(4, 4) + fmt::format("ld.global.u32 %w1, [%in];\n{}.u32 [%out], %w1;\nret;", store);
    const auto in = Pattern(kLanes * 4);
    const PtxResult result = Execute(body, in, in.size());
    ASSERT_TRUE(result.ok()) << store << result.message();
    EXPECT_EQ(result.Buffer<unsigned char>(1), in) << store;
  }
}

TEST(LoadStore, CacheHintsHaveAPolicy) {
  const std::string body = Prologue(16, 16) + R"(
    createpolicy.fractional.L2::evict_first.b64 %d9, 1.0;
    ld.global.nc.L1::no_allocate.L2::cache_hint.v4.f32 {%w1, %w2, %w3, %w4}, [%in], %d9;
    st.global.L2::cache_hint.v4.f32 [%out], {%w1, %w2, %w3, %w4}, %d9;
    ret;)";
  const auto in = Pattern(kLanes * 16);
  const PtxResult result = Execute(body, in, in.size());
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_EQ(result.Buffer<unsigned char>(1), in);
}

TEST(LoadStore, LanesMayUseDifferentAllocations) {
  const std::string body = R"(
    .reg .b64 %a, %b, %t; .reg .b32 %lane, %w; .reg .pred %p;
    ld.param.u64 %a, [in];
    ld.param.u64 %b, [out];
    mov.u32 %lane, %tid.x;
    mul.wide.u32 %t, %lane, 4;
    add.s64 %a, %a, %t;
    add.s64 %b, %b, %t;
    setp.ge.u32 %p, %lane, 16;
    selp.b64 %a, %b, %a, %p;
    ld.global.u32 %w, [%a];
    st.global.u32 [%b], %w;
    ret;)";
  std::vector<std::uint32_t> in(kLanes, 1), out(kLanes, 2);
  PtxLaunch launch;
  launch.arguments = {Buffer(in), Buffer(out)};
  const PtxResult result = RunPtx(PtxModule(kParams, body), "", launch);
  ASSERT_TRUE(result.ok()) << result.message();
  std::vector<std::uint32_t> expected(kLanes, 1);
  std::fill(expected.begin() + 16, expected.end(), 2);
  EXPECT_EQ(result.Buffer<std::uint32_t>(1), expected);
}

}  // namespace
}  // namespace emu::testing
