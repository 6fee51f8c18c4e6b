#include "tools/emulator/tensor/descriptor.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace emu {
namespace {

std::uint64_t Encode(std::uint32_t start, std::uint32_t leading, std::uint32_t stride, int mode,
                     int base_offset = 0) {
  const auto field = [](std::uint32_t x) { return std::uint64_t{(x & 0x3ffff) >> 4}; };
  return field(start) | field(leading) << 16 | field(stride) << 32 |
         static_cast<std::uint64_t>(base_offset) << 49 | static_cast<std::uint64_t>(mode) << 62;
}

TEST(Descriptor, Fields) {
  const MatrixDescriptor matrix = DecodeDescriptor(Encode(0x2fff0, 0x10010, 0x3fff0, 1, 5));
  EXPECT_EQ(matrix.start, 0x2fff0u);
  EXPECT_EQ(matrix.leading, 0x10010u);
  EXPECT_EQ(matrix.stride, 0x3fff0u);
  EXPECT_EQ(matrix.base_offset, 5u);
  EXPECT_EQ(matrix.swizzle, 128u);
  EXPECT_EQ(DecodeDescriptor(Encode(0, 0, 0, 0)).swizzle, 0u);
  EXPECT_EQ(DecodeDescriptor(Encode(0, 0, 0, 2)).swizzle, 64u);
  EXPECT_EQ(DecodeDescriptor(Encode(0, 0, 0, 3)).swizzle, 32u);
}

// A layout as the ISA writes it: ((s0, s1, ..), ..) : ((d0, d1, ..), ..), applied to a coordinate, first mode fastest.
struct Mode {
  int size, stride;
};
int Apply(const std::vector<Mode>& modes, int coordinate) {
  int offset = 0;
  for (const Mode& mode : modes) {
    offset += coordinate % mode.size * mode.stride;
    coordinate /= mode.size;
  }
  EXPECT_EQ(coordinate, 0);
  return offset;
}
// Swizzle<B, 4, 3> of bytes: bits 4 .. 4 + B - 1 are exclusive-ored with bits 7 .. 7 + B - 1.
int Swizzle(int b, int offset) {
  for (int bit = 0; bit < b; ++bit) offset ^= (offset >> (7 + bit) & 1) << (4 + bit);
  return offset;
}

// The canonical layouts for every mode, both kinds, 8-, 16- and 32-bit elements: element by element.
TEST(Descriptor, CanonicalLayouts) {
  constexpr int kModeOfB[] = {0, 3, 2, 1};
  constexpr int kStart = 0x4000;
  for (int b = 0; b <= 3; ++b) {
    for (int bytes : {1, 2, 4}) {
      const int t = 16 / bytes, w = 1 << b;
      const int lbo = 0x2000, sbo = 0x800;  // bytes; far apart, so that they cannot be taken for each other
      const MatrixDescriptor matrix = DecodeDescriptor(Encode(kStart, lbo, sbo, kModeOfB[b]));
      const int l = lbo / bytes, s = sbo / bytes;
      // K-major: ((8, m), (T, 2k)).
      const std::vector<Mode> rows = {{8, w * t}, {4, s}};
      const std::vector<Mode> columns = {{t, 1}, {2, b == 0 ? l : t}};
      for (int row = 0; row < 32; ++row) {
        for (int k = 0; k < 2 * t; ++k) {
          const int expected = kStart + Swizzle(b, (Apply(rows, row) + Apply(columns, k)) * bytes);
          const std::uint32_t granule =
              KMajorGranule(matrix, static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(k / t));
          EXPECT_EQ(granule + static_cast<std::uint32_t>(k % t * bytes), static_cast<std::uint32_t>(expected));
        }
      }
      if (bytes != 2) continue;
      // MN-major: ((T, W, m), (8, k)).
      const std::vector<Mode> along = {{t, 1}, {w, t}, {4, b == 0 ? s : l}};
      const std::vector<Mode> across = {{8, w * t}, {2, b == 0 ? l : s}};
      for (int mn = 0; mn < t * w * 4; ++mn) {
        for (int k = 0; k < 16; ++k) {
          const int expected = kStart + Swizzle(b, (Apply(along, mn) + Apply(across, k)) * bytes);
          const std::uint32_t granule =
              MnMajorGranule(matrix, static_cast<std::uint32_t>(mn / t), static_cast<std::uint32_t>(k));
          EXPECT_EQ(granule + static_cast<std::uint32_t>(mn % t * bytes), static_cast<std::uint32_t>(expected));
        }
      }
    }
  }
}

// The figures' examples: K-major tf32 without swizzle has LBO 64 and SBO 32 elements; MN-major bf16 with 64 bytes has LBO 256
// and SBO 512 elements.
TEST(Descriptor, ExamplesOfTheIsa) {
  const MatrixDescriptor tf32 = DecodeDescriptor(Encode(0, 64 * 4, 32 * 4, 0));
  EXPECT_EQ(KMajorGranule(tf32, 9, 1), (64u + 32 + 4) * 4);
  const MatrixDescriptor bf16 = DecodeDescriptor(Encode(0, 256 * 2, 512 * 2, 2));
  EXPECT_EQ(MnMajorGranule(bf16, 4, 8), (256u + 512) * 2);
}

// Inside a swizzled line the start address moves along k by 32 bytes: the exclusive-or is with the address's own bits.
TEST(Descriptor, StartInsideALine) {
  const MatrixDescriptor matrix = DecodeDescriptor(Encode(0x8000 + 64, 16, 1024, 1));
  EXPECT_EQ(KMajorGranule(matrix, 0, 0), 0x8040u);
  EXPECT_EQ(KMajorGranule(matrix, 3, 0), 0x8180u + (0x40 ^ 0x30));
  EXPECT_EQ(KMajorGranule(matrix, 3, 1), 0x8180u + (0x50 ^ 0x30));
}

// A pattern that starts at line 3 of 1024 bytes: base offset 3, and its first line is not swizzled.
TEST(Descriptor, BaseOffset) {
  const MatrixDescriptor matrix = DecodeDescriptor(Encode(0x8180, 16, 1024, 1, 3));
  EXPECT_EQ(KMajorGranule(matrix, 0, 0), 0x8180u);
  EXPECT_EQ(KMajorGranule(matrix, 1, 0), 0x8200u + 0x10);
  EXPECT_EQ(KMajorGranule(matrix, 7, 1), 0x8500u + (0x10 ^ 0x70));
}

}  // namespace
}  // namespace emu
