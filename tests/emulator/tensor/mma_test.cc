// mma of every shape and type, as PTX: registers filled by the ISA's tables, results against sums in double.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/emulator/support/run_ptx.h"
#include "tests/emulator/tensor/isa_tables.h"
#include "tests/emulator/tensor/values.h"

namespace emu::testing {
namespace {

// "{%a0, %a1}"
std::string List(const std::string& prefix, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += fmt::format("{}%{}{}", i == 0 ? "" : ", ", prefix, i);
  return "{" + text + "}";
}

int Registers(int elements, int bits) { return bits == 64 ? elements : elements * bits / 32; }

// A kernel of one warp: registers of A, B and C from memory, one instruction, D to memory. A register's 32 lanes lie behind
// each other.
std::string Kernel(const std::string& instruction, int a, int b, int c, int d, bool wide_ab, bool wide_cd) {
  const auto type = [](bool wide) { return wide ? "b64" : "b32"; };
  std::string body = fmt::format(
      ".reg .{0} %a<{2}>; .reg .{0} %b<{3}>; .reg .{1} %c<{4}>; .reg .{1} %d<{5}>; .reg .b64 %p<4>, %o4, %o8;\n"
      ".reg .b32 %t; mov.u32 %t, %tid.x; mul.wide.u32 %o4, %t, 4; mul.wide.u32 %o8, %t, 8;\n",
      type(wide_ab), type(wide_cd), a, b, c, d);
  const char* names = "abcd";
  const int counts[] = {a, b, c, d};
  for (int i = 0; i < 4; ++i) {
    const bool wide = i < 2 ? wide_ab : wide_cd;
    body += fmt::format(
        "ld.param.u64 %p{0}, [p{0}]; cvta.to.global.u64 %p{0}, %p{0}; add.s64 %p{0}, %p{0}, %o{1};\n", i,
        wide ? 8 : 4);
    for (int r = 0; r < counts[i] && i < 3; ++r) {
      body +=
          fmt::format("ld.global.{} %{}{}, [%p{}+{}];\n", type(wide), names[i], r, i, r * (wide ? 256 : 128));
    }
  }
  body +=
      fmt::format("{} {}, {}, {}, {};\n", instruction, List("d", d), List("a", a), List("b", b), List("c", c));
  for (int r = 0; r < d; ++r)
    body += fmt::format("st.global.{} [%p3+{}], %d{};\n", type(wide_cd), r * (wide_cd ? 256 : 128), r);
  return PtxModule(".param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3", body + "ret;\n");
}

using Spread = std::function<At(int lane, int i)>;

std::vector<std::uint32_t> Pack(const Matrix& matrix, int elements, const Spread& at) {
  const int bits = BitsOfType(matrix.type);
  const int registers = Registers(elements, bits);
  std::vector<std::uint32_t> words(static_cast<std::size_t>(registers * 32 * (bits == 64 ? 2 : 1)));
  const int per_register = elements / registers;
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < elements; ++i) {
      const auto [row, column] = at(lane, i);
      PutElement(&words,
                 static_cast<std::size_t>((i / per_register * 32 + lane) * per_register + i % per_register),
                 bits, matrix(row, column));
    }
  }
  return words;
}

void Unpack(const std::vector<std::uint32_t>& words, int elements, const Spread& at, Matrix* matrix) {
  const int bits = BitsOfType(matrix->type);
  const int per_register = elements / Registers(elements, bits);
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < elements; ++i) {
      const auto [row, column] = at(lane, i);
      (*matrix)(row, column) = GetElement(
          words, static_cast<std::size_t>((i / per_register * 32 + lane) * per_register + i % per_register),
          bits);
    }
  }
}

struct Type {
  std::string d, a, b, c;
  std::string before, after;  // modifiers in front of and behind the types
};

void Check(const Matrix& a, const Matrix& b, const Matrix& c, const Matrix& d, const Type& type,
           const std::string& what) {
  for (int row = 0; row < d.rows; ++row) {
    for (int column = 0; column < d.columns; ++column) {
      double size = 0;
      double expected = Expected(a, b, c.Value(row, column), row, column, &size);
      if (type.after == ".xor.popc") {
        expected = c.Value(row, column);
        for (int k = 0; k < a.columns; ++k) expected += a(row, k) != b(k, column);
      }
      ASSERT_NEAR(d.Value(row, column), expected, Allowed(type.d, expected, size))
          << what << " " << row << "," << column;
    }
  }
}

void RunCase(int m, int k, const Type& type, bool whole, std::uint64_t seed) {
  const std::string name = fmt::format("mma.sync.aligned.m{}n8k{}.row.col{}.{}.{}.{}.{}{}", m, k, type.before,
                                       type.d, type.a, type.b, type.c, type.after);
  const IsaTables& tables = TablesOf(m, k, BitsOfType(type.a));
  Random random(seed);
  Matrix a(type.a, m, k), b(type.b, k, 8), c(type.c, m, 8), d(type.d, m, 8);
  a.Fill(whole, random), b.Fill(whole, random), c.Fill(whole, random);
  PtxLaunch launch;
  launch.arguments = {
      Buffer(Pack(a, tables.a_elements, tables.a)), Buffer(Pack(b, tables.b_elements, tables.b)),
      Buffer(Pack(c, tables.c_elements, tables.c)), Buffer(Pack(d, tables.c_elements, tables.c))};
  const bool wide = type.a == "f64";
  const int ab = BitsOfType(type.a);
  const std::string text = Kernel(name, Registers(tables.a_elements, ab), Registers(tables.b_elements, ab),
                                  Registers(tables.c_elements, BitsOfType(type.c)),
                                  Registers(tables.c_elements, BitsOfType(type.d)), wide, wide);
  const PtxResult result = RunPtx(text, "", launch);
  ASSERT_TRUE(result.ok()) << name << "\n" << result.message();
  Unpack(result.Buffer<std::uint32_t>(3), tables.c_elements, tables.c, &d);
  Check(a, b, c, d, type, name);
}

TEST(Mma, EveryShapeAndType) {
  const auto all = [](int m, int k, const std::vector<Type>& types) {
    for (const Type& type : types) {
      for (const bool whole : {true, false}) RunCase(m, k, type, whole, static_cast<std::uint64_t>(m * k));
    }
  };
  const std::vector<Type> half = {{"f32", "f16", "f16", "f32", "", ""},
                                  {"f16", "f16", "f16", "f16", "", ""},
                                  {"f32", "bf16", "bf16", "f32", "", ""}};
  all(16, 8, half);
  all(16, 16, half);
  const Type tf32{"f32", "tf32", "tf32", "f32", "", ""};
  all(16, 4, {tf32});
  all(16, 8, {tf32});
  std::vector<Type> fp8;
  for (const char* a : {"e4m3", "e5m2"}) {
    for (const char* b : {"e4m3", "e5m2"}) {
      for (const char* c : {"f32", "f16"}) fp8.push_back({c, a, b, c, "", ""});
    }
  }
  all(16, 16, fp8);
  all(16, 32, fp8);
  const Type f64{"f64", "f64", "f64", "f64", "", ""};
  for (const int k : {4, 8, 16}) all(16, k, {f64});
  all(8, 4, {f64, {"f64", "f64", "f64", "f64", ".rz", ""}});
  std::vector<Type> bytes, nibbles;
  for (const char* saturate : {"", ".satfinite"}) {
    for (const char* a : {"s", "u"}) {
      for (const char* b : {"s", "u"}) {
        bytes.push_back({"s32", fmt::format("{}8", a), fmt::format("{}8", b), "s32", saturate, ""});
        nibbles.push_back({"s32", fmt::format("{}4", a), fmt::format("{}4", b), "s32", saturate, ""});
      }
    }
  }
  all(8, 16, bytes), all(16, 16, bytes), all(16, 32, bytes);
  all(8, 32, nibbles), all(16, 32, nibbles), all(16, 64, nibbles);
  const std::vector<Type> bits = {{"s32", "b1", "b1", "s32", "", ".and.popc"},
                                  {"s32", "b1", "b1", "s32", "", ".xor.popc"}};
  all(8, 128, bits), all(16, 128, bits), all(16, 256, bits);
}

// Four products, each by eight lanes.
TEST(Mma, M8N8K4OfF16) {
  for (const bool a_row : {true, false}) {
    for (const bool b_row : {true, false}) {
      for (const auto& [d_type, c_type] : {std::pair{"f32", "f32"}, {"f16", "f16"}, {"f32", "f16"}}) {
        Random random(3);
        const Type type{d_type, "f16", "f16", c_type, "", ""};
        const std::string name = fmt::format("mma.sync.aligned.m8n8k4.{}.{}.{}.f16.f16.{}",
                                             a_row ? "row" : "col", b_row ? "row" : "col", d_type, c_type);
        // The matrices of product q are the rows 8 q and on of these.
        Matrix a("f16", 32, 4), b("f16", 16, 8), c(c_type, 32, 8), d(d_type, 32, 8);
        a.Fill(false, random), b.Fill(false, random), c.Fill(false, random);
        const auto quad = [](int lane) { return lane % 16 / 4; };
        const auto high = [](int lane) { return lane < 16 ? 0 : 4; };
        const Spread at_a = [&](int lane, int i) {
          return a_row ? At{8 * quad(lane) + lane % 4 + high(lane), i}
                       : At{8 * quad(lane) + i + high(lane), lane % 4};
        };
        const Spread at_b = [&](int lane, int i) {
          return b_row ? At{4 * quad(lane) + lane % 4, i + high(lane)}
                       : At{4 * quad(lane) + i, lane % 4 + high(lane)};
        };
        const auto at_c = [&](const std::string& of) -> Spread {
          if (of == "f16")
            return [&](int lane, int i) { return At{8 * quad(lane) + lane % 4 + high(lane), i}; };
          return [&](int lane, int i) {
            return At{8 * quad(lane) + (lane & 1) + (i & 2) + high(lane), (i & 4) + (lane & 2) + (i & 1)};
          };
        };
        PtxLaunch launch;
        launch.arguments = {Buffer(Pack(a, 4, at_a)), Buffer(Pack(b, 4, at_b)),
                            Buffer(Pack(c, 8, at_c(c_type))), Buffer(Pack(d, 8, at_c(d_type)))};
        const PtxResult result = RunPtx(Kernel(name, 2, 2, Registers(8, BitsOfType(c_type)),
                                               Registers(8, BitsOfType(d_type)), false, false),
                                        "", launch);
        ASSERT_TRUE(result.ok()) << name << "\n" << result.message();
        Unpack(result.Buffer<std::uint32_t>(3), 8, at_c(d_type), &d);
        for (int q = 0; q < 4; ++q) {
          Matrix qa("f16", 8, 4), qb("f16", 4, 8), qc(c_type, 8, 8), qd(d_type, 8, 8);
          for (int r = 0; r < 8; ++r) {
            for (int x = 0; x < 8; ++x) {
              if (x < 4) qa(r, x) = a(8 * q + r, x);
              if (r < 4) qb(r, x) = b(4 * q + r, x);
              qc(r, x) = c(8 * q + r, x), qd(r, x) = d(8 * q + r, x);
            }
          }
          Check(qa, qb, qc, qd, type, name);
        }
      }
    }
  }
}

PtxResult RunConstant(const std::string& name, std::uint32_t ab, std::uint32_t c,
                      const std::string& body = "") {
  PtxLaunch launch;
  launch.arguments = {Buffer(std::vector<std::uint32_t>(128, ab)), Buffer(std::vector<std::uint32_t>(64, ab)),
                      Buffer(std::vector<std::uint32_t>(128, c)), Buffer(std::vector<std::uint32_t>(128, 0))};
  std::string text = Kernel(name, 4, 2, 4, 4, false, false);
  if (!body.empty()) text.replace(text.find("mma.sync"), 0, body);
  return RunPtx(text, "", launch);
}

TEST(Mma, SaturatesOrWraps) {
  const std::uint32_t big = 0x7f7f7f7f;  // 127 * 127 * 32 = 516128
  const auto wrapped = RunConstant("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", big, 2147483000u);
  ASSERT_TRUE(wrapped.ok()) << wrapped.message();
  EXPECT_EQ(wrapped.Buffer<std::uint32_t>(3)[0], 2147483000u + 516128u);
  const auto clamped =
      RunConstant("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32", big, 2147483000u);
  ASSERT_TRUE(clamped.ok()) << clamped.message();
  EXPECT_EQ(clamped.Buffer<std::uint32_t>(3)[0], 2147483647u);
}

TEST(Mma, NanAndInfinity) {
  const std::string name = "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32";
  EXPECT_EQ(RunConstant(name, 0x7f807f80, 0).Buffer<std::uint32_t>(3)[5], 0x7f800000u);
  EXPECT_EQ(RunConstant(name, 0x7fc07fc0, 0).Buffer<std::uint32_t>(3)[5], 0x7fffffffu);
  EXPECT_EQ(RunConstant(name, 0x7f807f80, 0xff800000).Buffer<std::uint32_t>(3)[5], 0x7fffffffu);
  EXPECT_EQ(RunConstant(name, 0, 0xff800000).Buffer<std::uint32_t>(3)[5], 0xff800000u);
}

TEST(Mma, NeedsTheWholeWarp) {
  const std::string name = "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32";
  const auto guarded = RunConstant(name, 0, 0, ".reg .pred %q; setp.lt.u32 %q, %t, 7; @%q ");
  ASSERT_FALSE(guarded.ok());
  EXPECT_EQ(guarded.finding->kind, FindingKind::kDivergence);
  const auto exited = RunConstant(name, 0, 0, ".reg .pred %q; setp.eq.u32 %q, %t, 7; @%q exit;\n");
  ASSERT_FALSE(exited.ok());
  EXPECT_EQ(exited.finding->kind, FindingKind::kDivergence);
  EXPECT_NE(exited.finding->message.find("lane 7 has exited"), std::string::npos) << exited.message();
}

TEST(Mma, RefusesWhatIsNoInstruction) {
  for (const char* name : {
           "mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32",
           "mma.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32",
           "mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32",
           "mma.sync.aligned.m16n8k16.row.col.f16.bf16.bf16.f16",
           "mma.sync.aligned.m16n8k16.row.col.satfinite.f32.f16.f16.f32",
           "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
           "mma.aligned.m16n8k16.row.col.f32.f16.f16.f32",
           "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32",
           "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f16",
       }) {
    const auto result = RunConstant(name, 0, 0);
    ASSERT_FALSE(result.ok()) << name;
    EXPECT_EQ(result.finding->kind, FindingKind::kUnsupported) << name << "\n" << result.message();
  }
}

}  // namespace
}  // namespace emu::testing
