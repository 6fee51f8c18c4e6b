#include "tools/emulator/async/tensor_box.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace emu {
namespace {

// PTX ISA, "Swizzling modes": the 16-byte chunk that stands at each place of eight lines of 128 bytes. Written out by hand.
constexpr int k32B[8][8] = {
    {0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6}, {0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6},
    {0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6}, {0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6},
};
constexpr int k64B[8][8] = {
    {0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6}, {2, 3, 0, 1, 6, 7, 4, 5}, {3, 2, 1, 0, 7, 6, 5, 4},
    {0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6}, {2, 3, 0, 1, 6, 7, 4, 5}, {3, 2, 1, 0, 7, 6, 5, 4},
};
constexpr int k128B[8][8] = {
    {0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6}, {2, 3, 0, 1, 6, 7, 4, 5}, {3, 2, 1, 0, 7, 6, 5, 4},
    {4, 5, 6, 7, 0, 1, 2, 3}, {5, 4, 7, 6, 1, 0, 3, 2}, {6, 7, 4, 5, 2, 3, 0, 1}, {7, 6, 5, 4, 3, 2, 1, 0},
};

void CheckTable(TensorSwizzle mode, const int (&table)[8][8]) {
  for (std::uint32_t line = 0; line < 16; ++line) {
    for (std::uint32_t place = 0; place < 8; ++place) {
      const auto chunk = static_cast<std::uint32_t>(table[line % 8][place]);
      EXPECT_EQ(Swizzled(mode, line * 128 + chunk * 16 + 5), line * 128 + place * 16 + 5)
          << line << " " << place;
    }
  }
}

TEST(Swizzle, Tables) {
  CheckTable(TensorSwizzle::k32B, k32B);
  CheckTable(TensorSwizzle::k64B, k64B);
  CheckTable(TensorSwizzle::k128B, k128B);
  for (std::uint32_t offset = 0; offset < 2048; ++offset) {
    EXPECT_EQ(Swizzled(TensorSwizzle::kNone, offset), offset);
  }
}

template <class T>
TensorMap MapOf(TensorType type, std::vector<T>& memory, std::vector<std::uint64_t> dims,
                std::vector<std::uint64_t> strides, std::vector<std::uint32_t> box) {
  TensorMap map;
  map.type = type;
  map.rank = static_cast<std::uint32_t>(dims.size());
  map.address = reinterpret_cast<std::uint64_t>(memory.data());
  for (std::size_t i = 0; i < dims.size(); ++i) map.dims[i] = dims[i], map.box[i] = box[i];
  for (std::size_t i = 0; i < strides.size(); ++i) map.strides[i] = strides[i];
  map.element_strides = {1, 1, 1, 1, 1};
  return map;
}

template <class T>
std::vector<T> Loaded(const TensorMap& map, std::array<std::int32_t, 5> start, std::uint32_t offset = 0) {
  const TensorBox box(map, start, Reduction::kNone);
  EXPECT_EQ(box.bytes(), map.BoxBytes());
  std::vector<T> shared(box.bytes() / sizeof(T), static_cast<T>(77));
  // In two parts: a copy may land in pieces.
  const std::uint32_t half = box.units / 2;
  auto* bytes = reinterpret_cast<std::byte*>(shared.data());
  box.Load(0, half, bytes, offset);
  box.Load(half, box.units, bytes + half * box.unit_bytes, offset + half * box.unit_bytes);
  return shared;
}

std::vector<std::uint16_t> Count16(std::size_t count) {
  std::vector<std::uint16_t> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<std::uint16_t>(i + 1);
  return values;
}

TEST(TensorBox, TwoDimensions) {
  auto memory = Count16(32 * 10);
  const TensorMap map = MapOf(TensorType::kU16, memory, {24, 10}, {64}, {8, 4});
  const auto got = Loaded<std::uint16_t>(map, {8, 3});
  for (int r = 0; r < 4; ++r) {
    for (int c = 0; c < 8; ++c) EXPECT_EQ(got[r * 8 + c], (3 + r) * 32 + 8 + c + 1);
  }
}

TEST(TensorBox, OutOfBoundsIsZeroElementByElement) {
  auto memory = Count16(32 * 10);
  const TensorMap map = MapOf(TensorType::kF16, memory, {21, 10}, {64}, {16, 8});
  const auto expect = [&](std::int32_t x, std::int32_t y) {
    const auto got = Loaded<std::uint16_t>(map, {x, y});
    for (int r = 0; r < 8; ++r) {
      for (int c = 0; c < 16; ++c) {
        const bool inside = x + c >= 0 && x + c < 21 && y + r >= 0 && y + r < 10;
        EXPECT_EQ(got[r * 16 + c], inside ? (y + r) * 32 + x + c + 1 : 0)
            << x << " " << y << " " << r << " " << c;
      }
    }
  };
  for (const std::int32_t x : {-1000000, -17, -16, -15, -3, 0, 5, 16, 20, 21, 2000000}) {
    for (const std::int32_t y : {-9, -8, -7, 0, 5, 9, 10}) expect(x, y);
  }
}

TEST(TensorBox, NaNFill) {
  std::vector<float> memory(64, 1.0f);
  TensorMap map = MapOf(TensorType::kF32, memory, {6}, {}, {8});
  map.fill_nan = true;
  const auto got = Loaded<std::uint32_t>(map, {0});
  EXPECT_EQ(got[5], 0x3f800000u);
  EXPECT_EQ(got[6], 0x7ff77ff7u);
  map.type = TensorType::kBF16;
  const auto narrow = Loaded<std::uint16_t>(map, {-2});
  EXPECT_EQ(narrow[1], 0x7ff7);
  EXPECT_EQ(narrow[3], 0x3f80);
}

TEST(TensorBox, FiveDimensionsWithStrides) {
  std::vector<std::uint8_t> memory(16 * 3 * 5 * 4 * 7);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::uint8_t>(i * 37 + i / 16);
  TensorMap map = MapOf(TensorType::kU8, memory, {16, 3, 5, 4, 7}, {16, 48, 240, 960}, {16, 3, 5, 4, 7});
  map.element_strides = {7, 2, 3, 1, 4};
  const auto got = Loaded<std::uint8_t>(map, {0, 1, -1, 2, 1});
  std::size_t at = 0;
  for (int e = 1; e < 1 + 7; e += 4) {
    for (int d = 2; d < 2 + 4; d += 1) {
      for (int c = -1; c < -1 + 5; c += 3) {
        for (int b = 1; b < 1 + 3; b += 2) {
          for (int a = 0; a < 16; ++a, ++at) {
            const bool inside = b < 3 && c >= 0 && c < 5 && d < 4 && e < 7;
            const int want =
                inside ? memory[static_cast<std::size_t>(a + 16 * b + 48 * c + 240 * d + 960 * e)] : 0;
            ASSERT_EQ(got[at], want) << a << b << c << d << e;
          }
        }
      }
    }
  }
  EXPECT_EQ(at, got.size());
}

// The pattern follows the address in shared memory: a box that begins at the third line begins with the third line's.
TEST(TensorBox, SwizzleHangsOnTheAddress) {
  auto memory = Count16(64 * 16);
  TensorMap map = MapOf(TensorType::kU16, memory, {64, 16}, {128}, {64, 16});
  map.swizzle = TensorSwizzle::k128B;
  for (const std::uint32_t first_line : {0u, 3u, 8u}) {
    const auto got = Loaded<std::uint16_t>(map, {0, 0}, first_line * 128);
    for (std::uint32_t line = 0; line < 16; ++line) {
      for (std::uint32_t place = 0; place < 8; ++place) {
        const int chunk = k128B[(first_line + line) % 8][place];
        EXPECT_EQ(got[line * 64 + place * 8], line * 64 + static_cast<std::uint32_t>(chunk) * 8 + 1);
      }
    }
  }
}

TEST(TensorBox, NarrowSwizzles) {
  auto memory = Count16(32 * 16);
  TensorMap map = MapOf(TensorType::kU16, memory, {16, 16}, {64}, {16, 16});
  map.swizzle = TensorSwizzle::k32B;
  const auto got = Loaded<std::uint16_t>(map, {0, 0});
  // Four rows of 32 bytes are a line of 128 bytes.
  for (std::uint32_t line = 0; line < 4; ++line) {
    for (std::uint32_t place = 0; place < 8; ++place) {
      const auto chunk = static_cast<std::uint32_t>(k32B[line][place]);
      EXPECT_EQ(got[line * 64 + place * 8], (line * 4 + chunk / 2) * 32 + chunk % 2 * 8 + 1);
    }
  }
}

// Rows of fewer bytes than the swizzle permutes lie as far apart as that.
TEST(TensorBox, NarrowRows) {
  struct Mode {
    TensorSwizzle swizzle;
    std::uint32_t span;
    const int (&table)[8][8];
  };
  for (const Mode& mode : {Mode{TensorSwizzle::k32B, 32, k32B},
                           {TensorSwizzle::k64B, 64, k64B},
                           {TensorSwizzle::k128B, 128, k128B}}) {
    for (std::uint32_t bytes = 16; bytes < mode.span; bytes += 16) {
      auto memory = Count16(64 * 16);
      TensorMap map = MapOf(TensorType::kU16, memory, {64, 16}, {128}, {bytes / 2, 16});
      map.swizzle = mode.swizzle;
      const TensorBox box(map, {0, 0}, Reduction::kNone);
      EXPECT_EQ(box.bytes(), 16 * bytes);
      ASSERT_EQ(box.span(), 16 * mode.span);
      std::vector<std::uint16_t> shared(box.span() / 2, 7777);
      auto* to = reinterpret_cast<std::byte*>(shared.data());
      box.Load(0, 5, to, 1024);
      box.Load(5, 16, to + 5 * mode.span, 1024 + 5 * mode.span);
      for (std::uint32_t place = 0; place < shared.size() / 8; ++place) {
        const std::uint32_t line = place / 8,
                            in_line = static_cast<std::uint32_t>(mode.table[line % 8][place % 8]);
        const std::uint32_t from = line * 128 + in_line * 16, row = from / mode.span, column = from % mode.span;
        EXPECT_EQ(shared[place * 8], column < bytes ? row * 64 + column / 2 + 1 : 7777)
            << bytes << " " << place;
      }
      const auto before = memory;
      for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = i % 64 < bytes / 2 ? 0 : memory[i];
      box.Store(to, 1024);
      EXPECT_EQ(memory, before);
      std::uint32_t visited = 0;
      const auto count = [&](std::uint32_t at, std::uint32_t size) {
        EXPECT_NE(shared[at / 2], 7777);
        visited += size;
      };
      box.VisitLoaded(0, 16, 1024, count);
      box.VisitStored(1024, count);
      EXPECT_EQ(visited, 2 * box.bytes());
    }
  }
}

TEST(TensorBox, StoresAreClippedInUnitsOf16Bytes) {
  std::vector<std::uint16_t> memory(3 * 40, 0xffff);
  const TensorMap map = MapOf(TensorType::kBF16, memory, {21, 2}, {80}, {16, 4});
  const TensorBox box(map, {16, -1}, Reduction::kNone);
  const auto shared = Count16(64);
  box.Store(reinterpret_cast<const std::byte*>(shared.data()), 0);
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 40; ++column) {
      // Columns 16 to 20 exist; they end inside the unit of columns 16 to 23.
      const bool written = row < 2 && column >= 16 && column < 24;
      EXPECT_EQ(memory[static_cast<std::size_t>(row * 40 + column)],
                written ? (row + 1) * 16 + column - 16 + 1 : 0xffff)
          << row << " " << column;
    }
  }
}

TEST(TensorBox, StoresUndoTheSwizzle) {
  auto memory = Count16(64 * 8);
  TensorMap map = MapOf(TensorType::kU16, memory, {64, 8}, {128}, {64, 8});
  map.swizzle = TensorSwizzle::k128B;
  const auto shared = Loaded<std::uint16_t>(map, {0, 0}, 1024);
  const auto before = memory;
  std::fill(memory.begin(), memory.end(), std::uint16_t{0});
  TensorBox(map, {0, 0}, Reduction::kNone).Store(reinterpret_cast<const std::byte*>(shared.data()), 1024);
  EXPECT_EQ(memory, before);
}

TEST(TensorBox, Reductions) {
  std::vector<std::int32_t> memory{5, -5, 100, -100};
  const TensorMap map = MapOf(TensorType::kS32, memory, {4}, {}, {4});
  const std::vector<std::int32_t> operand{7, -7, 1, 1};
  const auto* shared = reinterpret_cast<const std::byte*>(operand.data());
  TensorBox(map, {0}, Reduction::kMin).Store(shared, 0);
  EXPECT_EQ(memory, (std::vector<std::int32_t>{5, -7, 1, -100}));
  TensorBox(map, {0}, Reduction::kAdd).Store(shared, 0);
  EXPECT_EQ(memory, (std::vector<std::int32_t>{12, -14, 2, -99}));
}

TEST(TensorBox, ConversionsOfLoads) {
  std::vector<std::uint32_t> memory{0x00000001, 0x80000001, 0x3f800fff, 0x3f801000,
                                    0x3f803000, 0x7f800001, 0xff800000, 0};
  TensorMap map = MapOf(TensorType::kF32, memory, {8}, {}, {8});
  EXPECT_EQ(Loaded<std::uint32_t>(map, {0}), memory);
  map.type = TensorType::kF32Ftz;
  auto flushed = memory;
  flushed[0] = 0, flushed[1] = 0x80000000;
  EXPECT_EQ(Loaded<std::uint32_t>(map, {0}), flushed);
  map.type = TensorType::kTF32;
  EXPECT_EQ(Loaded<std::uint32_t>(map, {0}),
            (std::vector<std::uint32_t>{0, 0x80000000, 0x3f800000, 0x3f802000, 0x3f804000, 0x7f800001,
                                        0xff800000, 0}));
}

}  // namespace
}  // namespace emu
