#include "tools/emulator/memory/lanes.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace emu {
namespace {

using ptx::Type;

// Loads `bytes` of memory as `type` into registers of `size` bytes, and returns lane 7's.
std::vector<unsigned char> Load(Type type, std::uint32_t size, std::vector<unsigned char> bytes,
                                LaneMask mask) {
  std::vector<unsigned char> memory(16 * kWarpSize + 4, 0x55);
  std::uint64_t host[kWarpSize];
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    host[lane] = reinterpret_cast<std::uint64_t>(&memory[16 * lane]);
  }
  std::memcpy(&memory[16 * 7 + 4], bytes.data(), bytes.size());
  std::vector<unsigned char> registers(size * kWarpSize, 0xCC);
  const MoveLanes move = LoadMove(type, size);
  if (move == nullptr) return {};
  move(host, 4, registers.data(), mask);
  return {registers.begin() + 7 * size, registers.begin() + 8 * size};
}

using Value = std::vector<unsigned char>;

TEST(LoadMove, ExtendsTheSignOfSignedTypesOnly) {
  for (LaneMask mask : {kAllLanes, LaneMask{0x80}}) {
    EXPECT_EQ(Load(Type::kU8, 2, {0x80}, mask), (Value{0x80, 0}));
    EXPECT_EQ(Load(Type::kB8, 4, {0x80}, mask), (Value{0x80, 0, 0, 0}));
    EXPECT_EQ(Load(Type::kS8, 2, {0x80}, mask), (Value{0x80, 0xFF}));
    EXPECT_EQ(Load(Type::kS8, 4, {0x80}, mask), (Value{0x80, 0xFF, 0xFF, 0xFF}));
    EXPECT_EQ(Load(Type::kS8, 8, {0x7F}, mask), (Value{0x7F, 0, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(Load(Type::kS16, 8, {0, 0x80}, mask), (Value{0, 0x80, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}));
    EXPECT_EQ(Load(Type::kU16, 4, {0, 0x80}, mask), (Value{0, 0x80, 0, 0}));
    EXPECT_EQ(Load(Type::kS32, 8, {0, 0, 0, 0x80}, mask), (Value{0, 0, 0, 0x80, 0xFF, 0xFF, 0xFF, 0xFF}));
    EXPECT_EQ(Load(Type::kF32, 8, {0, 0, 0, 0x80}, mask), (Value{0, 0, 0, 0x80, 0, 0, 0, 0}));
    const Value eight{1, 2, 3, 4, 5, 6, 7, 0x88};
    EXPECT_EQ(Load(Type::kF64, 8, eight, mask), eight);
    EXPECT_EQ(Load(Type::kS64, 16, eight, mask),
              (Value{1, 2, 3, 4, 5, 6, 7, 0x88, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}));
    const Value sixteen{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    EXPECT_EQ(Load(Type::kB128, 16, sixteen, mask), sixteen);
  }
}

TEST(LoadMove, LeavesOtherLanesAlone) {
  EXPECT_EQ(Load(Type::kU32, 4, {1, 2, 3, 4}, ~0x80u), (Value{0xCC, 0xCC, 0xCC, 0xCC}));
}

TEST(LoadMove, RegistersMustNotBeSmaller) {
  EXPECT_EQ(LoadMove(Type::kU32, 2), nullptr);
  EXPECT_EQ(LoadMove(Type::kB128, 8), nullptr);
  EXPECT_EQ(StoreMove(Type::kU64, 4), nullptr);
  EXPECT_EQ(LoadMove(Type::kPred, 4), nullptr);
  EXPECT_EQ(StoreMove(Type::kPred, 4), nullptr);
}

TEST(StoreMove, TakesTheLowBits) {
  for (std::uint32_t size : {2u, 4u, 8u, 16u}) {
    for (Type type : {Type::kU8, Type::kS16, Type::kF32, Type::kB64, Type::kB128}) {
      const MoveLanes move = StoreMove(type, size);
      if (ptx::SizeOf(type) > size) {
        EXPECT_EQ(move, nullptr);
        continue;
      }
      std::vector<unsigned char> registers(size * kWarpSize);
      for (std::size_t i = 0; i < registers.size(); ++i) registers[i] = static_cast<unsigned char>(i * 37 + 11);
      std::vector<unsigned char> memory(16 * kWarpSize + 1, 0x55), expected = memory;
      std::uint64_t host[kWarpSize];
      const LaneMask mask = 0xF0F0F0F1;
      for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
        host[lane] = reinterpret_cast<std::uint64_t>(&memory[16 * lane]);
        if ((mask >> lane & 1) == 0) continue;
        std::memcpy(&expected[16 * lane + 1], &registers[size * lane], ptx::SizeOf(type));
      }
      move(host, 1, registers.data(), mask);
      EXPECT_EQ(memory, expected) << ptx::ToString(type) << " from " << size;
    }
  }
}

}  // namespace
}  // namespace emu
