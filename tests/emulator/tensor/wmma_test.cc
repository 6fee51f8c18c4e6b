// wmma: matrices from memory through fragments to memory, against sums in double.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/emulator/support/run_ptx.h"
#include "tests/emulator/tensor/values.h"

namespace emu::testing {
namespace {

struct Case {
  int m, n, k;
  std::string ab, c, d;
  int a_registers, b_registers, c_registers, d_registers;
  std::string op;  // ".xor.popc"
};

std::string List(const std::string& prefix, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += fmt::format("{}%{}{}", i == 0 ? "" : ", ", prefix, i);
  return "{" + text + "}";
}

// A matrix in lines with `stride` elements between them.
std::vector<std::uint32_t> InMemory(const Matrix& matrix, bool row_major, int stride) {
  const int bits = BitsOfType(matrix.type);
  const int lines = row_major ? matrix.rows : matrix.columns, length = row_major ? matrix.columns : matrix.rows;
  std::vector<std::uint32_t> words(static_cast<std::size_t>(lines * stride * bits / 32 + 1));
  for (int line = 0; line < lines; ++line) {
    for (int i = 0; i < length; ++i) {
      PutElement(&words, static_cast<std::size_t>(line * stride + i), bits,
                 row_major ? matrix(line, i) : matrix(i, line));
    }
  }
  return words;
}

struct Layouts {
  bool a_row = true, b_row = false, c_row = true, d_row = false;
  int padding = 0;    // elements behind each line
  std::string space;  // ".shared", ".global", "" (generic global)
};

std::string Kernel(const Case& one, const Layouts& layouts, const int (&strides)[4]) {
  const bool wide = one.ab == "f64";
  const std::string shape = fmt::format("m{}n{}k{}", one.m, one.n, one.k);
  const auto type = wide ? "f64" : "b32";
  std::string body = fmt::format(
      ".shared .align 32 .b8 memory[16384]; .reg .{0} %a<8>, %b<8>, %c<8>, %d<8>; .reg .b64 %p<4>, %s, %q, "
      "%w;\n"
      ".reg .b32 %t, %x, %y; mov.u32 %t, %tid.x; mul.wide.u32 %w, %t, 4;\n",
      type);
  for (int i = 0; i < 4; ++i) {
    body += fmt::format("ld.param.u64 %p{0}, [p{0}];\n", i);
    if (layouts.space == ".global") body += fmt::format("cvta.to.global.u64 %p{0}, %p{0};\n", i);
    if (layouts.space != ".shared" || i == 3) continue;
    // 4096 bytes of each operand to shared memory.
    body +=
        fmt::format("mov.u32 %x, memory; add.u32 %x, %x, {}; mad.lo.u32 %y, %t, 4, %x; add.s64 %q, %p{}, %w;\n",
                    i * 4096, i);
    for (int r = 0; r < 32; ++r) {
      body += fmt::format(
          ".reg .b32 %v{0}_{1}; ld.global.b32 %v{0}_{1}, [%q+{2}]; st.shared.b32 [%y+{2}], %v{0}_{1};\n", i, r,
          r * 128);
    }
    body += fmt::format("cvt.u64.u32 %p{}, %x;\n", i);
  }
  body += "bar.warp.sync -1;\n";
  const auto layout = [](bool row) { return row ? "row" : "col"; };
  const auto load = [&](const char* name, int parameter, bool row, const std::string& of, int registers) {
    return fmt::format("wmma.load.{}.sync.aligned.{}.{}{}.{} {}, [%p{}], {};\n", name, layout(row), shape,
                       layouts.space, of, List(name, registers), parameter, strides[parameter]);
  };
  body += load("a", 0, layouts.a_row, one.ab, one.a_registers) +
          load("b", 1, layouts.b_row, one.ab, one.b_registers) +
          load("c", 2, layouts.c_row, one.c, one.c_registers);
  const std::string types = one.ab == "f16" ? fmt::format("{}.{}", one.d, one.c)
                                            : fmt::format("{}.{}.{}.{}", one.d, one.ab, one.ab, one.c);
  body += fmt::format("wmma.mma{}.sync.aligned.{}.{}.{}.{} {}, {}, {}, {};\n", one.op, layout(layouts.a_row),
                      layout(layouts.b_row), shape, types, List("d", one.d_registers),
                      List("a", one.a_registers), List("b", one.b_registers), List("c", one.c_registers));
  const char* out = layouts.space == ".shared" ? "" : layouts.space.c_str();
  body += fmt::format("wmma.store.d.sync.aligned.{}.{}{}.{} [%p3], {}, {};\nret;\n", layout(layouts.d_row),
                      shape, out, one.d, List("d", one.d_registers), strides[3]);
  return PtxModule(".param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3", body);
}

void RunCase(const Case& one, const Layouts& layouts, bool whole) {
  Random random(11);
  Matrix a(one.ab, one.m, one.k), b(one.ab, one.k, one.n), c(one.c, one.m, one.n), d(one.d, one.m, one.n);
  a.Fill(whole, random), b.Fill(whole, random), c.Fill(whole, random);
  const auto stride = [&](const Matrix& matrix, bool row) {
    return (row ? matrix.columns : matrix.rows) + layouts.padding;
  };
  const int strides[4] = {stride(a, layouts.a_row), stride(b, layouts.b_row), stride(c, layouts.c_row),
                          stride(d, layouts.d_row)};
  PtxLaunch launch;
  auto buffers = {InMemory(a, layouts.a_row, strides[0]), InMemory(b, layouts.b_row, strides[1]),
                  InMemory(c, layouts.c_row, strides[2]), InMemory(d, layouts.d_row, strides[3])};
  for (std::vector<std::uint32_t> words : buffers) {
    words.resize(1024);
    launch.arguments.push_back(Buffer(words));
  }
  const PtxResult result = RunPtx(Kernel(one, layouts, strides), "", launch);
  const std::string what = fmt::format("m{}n{}k{} {} {} {} a {} b {} c {} d {} padding {} {}", one.m, one.n,
                                       one.k, one.ab, one.c, one.d, layouts.a_row, layouts.b_row, layouts.c_row,
                                       layouts.d_row, layouts.padding, layouts.space);
  ASSERT_TRUE(result.ok()) << what << "\n" << result.message();
  const auto words = result.Buffer<std::uint32_t>(3);
  for (int row = 0; row < one.m; ++row) {
    for (int column = 0; column < one.n; ++column) {
      double size = 0;
      double expected = Expected(a, b, c.Value(row, column), row, column, &size);
      if (one.op == ".xor.popc") {
        expected = c.Value(row, column);
        for (int k = 0; k < one.k; ++k) expected += a(row, k) != b(k, column);
      }
      const int at = layouts.d_row ? row * strides[3] + column : column * strides[3] + row;
      const double got = DecodeType(one.d, GetElement(words, static_cast<std::size_t>(at), BitsOfType(one.d)));
      ASSERT_NEAR(got, expected, Allowed(one.d, expected, size)) << what << ": " << row << ", " << column;
    }
  }
}

std::vector<Case> Cases() {
  std::vector<Case> cases;
  struct Size {
    int m, n, a, b;  // registers of A and B, of 8-bit elements
  };
  for (const Size& s : {Size{16, 16, 2, 2}, {32, 8, 4, 1}, {8, 32, 1, 4}}) {
    for (const auto& [d, c] : {std::pair{"f32", "f32"}, {"f16", "f16"}, {"f32", "f16"}, {"f16", "f32"}}) {
      cases.push_back({s.m, s.n, 16, "f16", c, d, 8, 8, c == std::string("f32") ? 8 : 4,
                       d == std::string("f32") ? 8 : 4, ""});
    }
    cases.push_back({s.m, s.n, 16, "bf16", "f32", "f32", s.a * 2, s.b * 2, 8, 8, ""});
    for (const char* type : {"s8", "u8"})
      cases.push_back({s.m, s.n, 16, type, "s32", "s32", s.a, s.b, 8, 8, ""});
  }
  cases.push_back({16, 16, 8, "tf32", "f32", "f32", 4, 4, 8, 8, ""});
  cases.push_back({8, 8, 4, "f64", "f64", "f64", 1, 1, 2, 2, ""});
  return cases;
}

TEST(Wmma, EveryShapeAndType) {
  for (const Case& one : Cases()) {
    for (const char* space : {".global", ".shared", ""}) {
      RunCase(one, {true, false, true, false, 0, space}, true);
      RunCase(one, {false, true, false, true, 16, space}, false);
    }
    RunCase(one, {true, true, true, true, 16, ".global"}, false);
    RunCase(one, {false, false, false, false, 0, ".shared"}, false);
  }
}

TEST(Wmma, LessThanABytePerElement) {
  for (const char* space : {".global", ".shared"}) {
    for (const char* type : {"s4", "u4"}) {
      RunCase({8, 8, 32, type, "s32", "s32", 1, 1, 2, 2, ""}, {true, false, true, false, 0, space}, true);
      RunCase({8, 8, 32, type, "s32", "s32", 1, 1, 2, 2, ""}, {true, false, false, true, 32, space}, true);
    }
    for (const char* op : {".xor.popc", ".and.popc"}) {
      RunCase({8, 8, 128, "b1", "s32", "s32", 1, 1, 2, 2, op}, {true, false, true, false, 128, space}, true);
    }
  }
}

PtxResult RunBody(const std::string& body, std::size_t words) {
  PtxLaunch launch;
  launch.arguments = {Buffer(std::vector<std::uint32_t>(words))};
  return RunPtx(PtxModule(".param .u64 p0",
                          ".reg .b64 %p; .reg .b32 %r<8>; .reg .b32 %t; mov.u32 %t, %tid.x;\n"
                          "ld.param.u64 %p, [p0];\n" +
                              body + "\nret;\n"),
                "", launch);
}

TEST(Wmma, Findings) {
  const std::string load =
      "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, ";
  EXPECT_TRUE(RunBody(load + "[%p], 16;", 128).ok());
  const auto expect = [](const PtxResult& result, FindingKind kind) {
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.finding->kind, kind) << result.message();
  };
  expect(RunBody(load + "[%p], 24;", 128), FindingKind::kOutOfBounds);
  expect(RunBody(load + "[%p+8], 16;", 256), FindingKind::kMisaligned);
  expect(RunBody(load + "[%p], 8;", 128), FindingKind::kBadOperand);
  expect(RunBody(load + "[%p], %t;", 128), FindingKind::kBadOperand);
  expect(RunBody(".reg .b64 %o; mul.wide.u32 %o, %t, 32; add.s64 %p, %p, %o;" + load + "[%p];", 1024),
         FindingKind::kBadOperand);
  expect(
      RunBody("wmma.load.a.sync.aligned.row.m16n16k8.global.f16 {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [%p];", 128),
      FindingKind::kUnsupported);
  expect(RunBody("wmma.load.b.sync.aligned.row.m8n8k32.global.s4 {%r0}, [%p];", 128),
         FindingKind::kUnsupported);
  expect(RunBody("wmma.store.a.sync.aligned.row.m8n8k32.global.s32 [%p], {%r0, %r1};", 128),
         FindingKind::kUnsupported);
}

// Without a stride lines follow each other.
TEST(Wmma, DefaultStride) {
  PtxLaunch launch;
  std::vector<std::uint32_t> in(256), out(256);
  for (std::uint32_t i = 0; i < 256; ++i) in[i] = i;
  launch.arguments = {Buffer(in), Buffer(out)};
  const PtxResult result = RunPtx(
      PtxModule(".param .u64 p0, .param .u64 p1",
                ".reg .b64 %p, %q; .reg .b32 %r<8>; ld.param.u64 %p, [p0]; ld.param.u64 %q, [p1];\n"
                "wmma.load.c.sync.aligned.row.m32n8k16.f32 {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [%p];\n"
                "wmma.store.d.sync.aligned.col.m32n8k16.f32 [%q], {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7};\nret;\n"),
      "", launch);
  ASSERT_TRUE(result.ok()) << result.message();
  const auto got = result.Buffer<std::uint32_t>(1);
  for (std::uint32_t row = 0; row < 32; ++row) {
    for (std::uint32_t column = 0; column < 8; ++column) EXPECT_EQ(got[column * 32 + row], row * 8 + column);
  }
}

}  // namespace
}  // namespace emu::testing
