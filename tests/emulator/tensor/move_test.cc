// ldmatrix, stmatrix and movmatrix.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/emulator/support/run_ptx.h"

namespace emu::testing {
namespace {

constexpr int kMatrices = 4, kStride = 48;  // rows lie 48 bytes apart, matrices 8 rows

std::uint16_t At(int matrix, int row, int column) {
  return static_cast<std::uint16_t>(matrix * 64 + row * 8 + column + 1);
}

std::string Registers(int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i) text += fmt::format("{}%d{}", i == 0 ? "" : ", ", i);
  return text + "}";
}

// Shared memory from `in`, the lanes' row addresses, `middle`, registers to `out`, shared memory to `in`.
std::string Kernel(const std::string& middle, const std::string& target = "sm_90a") {
  std::string body =
      ".shared .align 16 .b8 memory[1536]; .reg .b32 %t, %base, %row, %v, %d<4>; .reg .b64 %in, %out, %g, %o, "
      "%generic;\n"
      "ld.param.u64 %in, [p0]; ld.param.u64 %out, [p1]; mov.u32 %t, %tid.x; mov.u32 %base, memory;\n"
      "mul.wide.u32 %o, %t, 4; add.s64 %in, %in, %o; add.s64 %out, %out, %o;\n"
      "mad.lo.u32 %row, %t, 48, %base; mad.lo.u32 %v, %t, 4, %base; .reg .b32 %x;\n";
  for (int i = 0; i < 12; ++i)
    body += fmt::format("ld.global.b32 %x, [%in+{0}]; st.shared.b32 [%v+{0}], %x;\n", i * 128);
  for (int i = 0; i < 4; ++i) body += fmt::format("ld.global.b32 %d{}, [%out+{}];\n", i, i * 128);
  body += "bar.warp.sync -1; cvt.u64.u32 %generic, %row; cvta.shared.u64 %generic, %generic;\n" + middle +
          "\nbar.warp.sync -1;\n";
  for (int i = 0; i < 12; ++i)
    body += fmt::format("ld.shared.b32 %x, [%v+{0}]; st.global.b32 [%in+{0}], %x;\n", i * 128);
  for (int i = 0; i < 4; ++i) body += fmt::format("st.global.b32 [%out+{}], %d{};\n", i * 128, i);
  return PtxModule(".param .u64 p0, .param .u64 p1", body + "ret;\n", target);
}

PtxResult RunMove(const std::string& middle, std::vector<std::uint16_t> memory,
                  std::vector<std::uint16_t> registers) {
  memory.resize(768), registers.resize(256);
  PtxLaunch launch;
  launch.arguments = {Buffer(memory), Buffer(registers)};
  return RunPtx(Kernel(middle), "", launch);
}

std::vector<std::uint16_t> Memory() {
  std::vector<std::uint16_t> memory(768, 0xeeee);
  for (int i = 0; i < kMatrices * 64; ++i) {
    memory[static_cast<std::size_t>(i / 8 * kStride / 2 + i % 8)] = At(i / 64, i / 8 % 8, i % 8);
  }
  return memory;
}

// What lane `lane` holds of each matrix: elements 2 (lane % 4) and the next of row lane / 4.
std::uint16_t Held(int matrix, int lane, int half, bool transposed) {
  const int row = lane / 4, column = lane % 4 * 2 + half;
  return transposed ? At(matrix, column, row) : At(matrix, row, column);
}

TEST(Ldmatrix, Loads) {
  for (const int count : {1, 2, 4}) {
    for (const bool transposed : {false, true}) {
      for (const auto& [space, address] :
           {std::pair{".shared", "%row"}, {".shared::cta", "%row"}, {"", "%generic"}}) {
        const std::string name =
            fmt::format("ldmatrix.sync.aligned.m8n8.x{}{}{}.b16", count, transposed ? ".trans" : "", space);
        const PtxResult result = RunMove(fmt::format("{} {}, [{}];", name, Registers(count), address), Memory(),
                                         std::vector<std::uint16_t>(256, 0xdddd));
        ASSERT_TRUE(result.ok()) << result.message();
        const auto got = result.Buffer<std::uint16_t>(1);
        for (int matrix = 0; matrix < kMatrices; ++matrix) {
          for (int i = 0; i < 64; ++i) {
            EXPECT_EQ(got[static_cast<std::size_t>(matrix * 64 + i)],
                      matrix < count ? Held(matrix, i / 2, i % 2, transposed) : 0xdddd);
          }
        }
      }
    }
  }
}

TEST(Ldmatrix, WordsInAnotherOrder) {
  const PtxResult result =
      RunMove("ldmatrix.sync.aligned.x2.trans.m8n8.shared.b16 {%d0, %d1}, [%row];", Memory(), {});
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_EQ(result.Buffer<std::uint16_t>(1)[64 + 9], Held(1, 4, 1, true));
}

TEST(Stmatrix, Stores) {
  std::vector<std::uint16_t> registers(256);
  for (std::size_t i = 0; i < 256; ++i) registers[i] = static_cast<std::uint16_t>(i + 1000);
  for (const int count : {1, 2, 4}) {
    for (const bool transposed : {false, true}) {
      const PtxResult result = RunMove(fmt::format("stmatrix.sync.aligned.m8n8.x{}{}.shared.b16 [%row], {};",
                                                   count, transposed ? ".trans" : "", Registers(count)),
                                       Memory(), registers);
      ASSERT_TRUE(result.ok()) << result.message();
      std::vector<std::uint16_t> expected = Memory();
      for (int matrix = 0; matrix < count; ++matrix) {
        for (int i = 0; i < 64; ++i) {
          const int row = i / 8, column = i % 8;
          const int r = transposed ? column : row, c = transposed ? row : column;
          expected[static_cast<std::size_t>((matrix * 8 + r) * kStride / 2 + c)] =
              registers[static_cast<std::size_t>(matrix * 64 + i)];
        }
      }
      EXPECT_EQ(result.Buffer<std::uint16_t>(0), expected) << count << transposed;
    }
  }
}

TEST(Movmatrix, Transposes) {
  std::vector<std::uint16_t> registers(256);
  for (std::size_t i = 0; i < 256; ++i) registers[i] = static_cast<std::uint16_t>(i);
  const PtxResult result = RunMove("movmatrix.sync.aligned.m8n8.trans.b16 %d1, %d0;", Memory(), registers);
  ASSERT_TRUE(result.ok()) << result.message();
  const auto got = result.Buffer<std::uint16_t>(1);
  for (std::size_t i = 0; i < 64; ++i) {
    EXPECT_EQ(got[i], i);
    EXPECT_EQ(got[64 + i], i % 8 * 8 + i / 8);
  }
}

void ExpectFinding(const std::string& middle, FindingKind kind, const std::string& text) {
  const PtxResult result = RunMove(middle, Memory(), {});
  ASSERT_FALSE(result.ok()) << middle;
  EXPECT_EQ(result.finding->kind, kind) << result.message();
  EXPECT_NE(result.message().find(text), std::string::npos) << result.message();
}

TEST(MatrixMove, Findings) {
  ExpectFinding("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%d0}, [%row+8];", FindingKind::kMisaligned,
                "lane 0");
  ExpectFinding("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%d0,%d1,%d2,%d3}, [%row+48];",
                FindingKind::kOutOfBounds, "lane 31");
  ExpectFinding("ld.param.u64 %generic, [p0]; ldmatrix.sync.aligned.m8n8.x1.b16 {%d0}, [%generic];",
                FindingKind::kOutOfBounds, "shared");
  ExpectFinding("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%row+1600], {%d0};", FindingKind::kOutOfBounds,
                "writes");
  ExpectFinding(
      ".reg .pred %q; setp.lt.u32 %q, %t, 8; @%q ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%d0}, [%row];",
      FindingKind::kDivergence, "");
  ExpectFinding("ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%d0, %d1}, [%row];",
                FindingKind::kUnsupported, "m8n8");
  ExpectFinding("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%d0}, [%row];", FindingKind::kUnsupported,
                "1 registers");
}

// The addresses of lanes that give no row are not looked at.
TEST(MatrixMove, OtherLanesAddresses) {
  const PtxResult result = RunMove(
      ".reg .pred %q; setp.gt.u32 %q, %t, 7; @%q mov.u32 %row, 0xffffff;\n"
      "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%d0}, [%row];",
      Memory(), {});
  EXPECT_TRUE(result.ok()) << result.message();
}

// What lanes have written must be ordered before other lanes' rows are read.
TEST(MatrixMove, RacesAreFound) {
  ExpectFinding("st.shared.b32 [%v], %t;\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {%d0}, [%row];",
                FindingKind::kRace, "");
  ExpectFinding("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%row], {%d0}; ld.shared.b32 %x, [%v];",
                FindingKind::kRace, "");
}

}  // namespace
}  // namespace emu::testing
