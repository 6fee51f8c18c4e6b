#include "tools/emulator/tensor/layouts.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/emulator/tensor/isa_tables.h"
#include "tools/emulator/tensor/wmma.h"

namespace emu {
namespace {

using testing::At;
using testing::IsaTables;

Element TypeOfBits(int bits) {
  switch (bits) {
    case 64:
      return Element::kF64;
    case 32:
      return Element::kTF32;
    case 16:
      return Element::kBF16;
    case 8:
      return Element::kU8;
    case 4:
      return Element::kS4;
    default:
      return Element::kB1;
  }
}

TEST(Layouts, AreTheTablesOfTheIsa) {
  for (const IsaTables& tables : testing::AllIsaTables()) {
    SCOPED_TRACE(::testing::Message() << "m" << tables.m << "k" << tables.k << " of " << tables.bits
                                      << " bits");
    const Shape shape{tables.m, tables.n, tables.k};
    const Element type = TypeOfBits(tables.bits);
    const auto compare = [&](Role role, Element of, int elements, const testing::Table& table) {
      EXPECT_EQ(LaneElements(role, shape), elements);
      std::set<At> all;
      for (int lane = 0; lane < 32; ++lane) {
        for (int i = 0; i < elements; ++i) {
          const Position got = ElementAt(role, shape, of, lane, i);
          EXPECT_EQ(At(got.row, got.column), table(lane, i)) << "lane " << lane << " element " << i;
          all.insert({got.row, got.column});
        }
      }
      EXPECT_EQ(all.size(), static_cast<std::size_t>(32 * elements));
    };
    compare(Role::kA, type, tables.a_elements, tables.a);
    compare(Role::kB, type, tables.b_elements, tables.b);
    compare(Role::kC, Element::kF32, tables.c_elements, tables.c);
    compare(Role::kC, Element::kF16, tables.c_elements, tables.c);
  }
}

TEST(Layouts, FourProductsOfM8N8K4) {
  for (int lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(QuadOf(lane), lane % 16 / 4);
    const int high = lane < 16 ? 0 : 4;
    for (int i = 0; i < 4; ++i) {
      const auto at = [&](Role role, bool row) {
        const Position got = ElementAtM8N8K4(role, row, Element::kF16, lane, i);
        return At(got.row, got.column);
      };
      EXPECT_EQ(at(Role::kA, true), At(lane % 4 + high, i));
      EXPECT_EQ(at(Role::kA, false), At(i % 4 + high, lane % 4));
      EXPECT_EQ(at(Role::kB, true), At(lane % 4, i + high));
      EXPECT_EQ(at(Role::kB, false), At(i, lane % 4 + high));
    }
    for (int i = 0; i < 8; ++i) {
      const Position half = ElementAtM8N8K4(Role::kC, true, Element::kF16, lane, i);
      EXPECT_EQ(At(half.row, half.column), At(lane % 4 + high, i));
      const Position single = ElementAtM8N8K4(Role::kC, true, Element::kF32, lane, i);
      EXPECT_EQ(At(single.row, single.column), At((lane & 1) + (i & 2) + high, (i & 4) + (lane & 2) + (i & 1)));
    }
  }
}

// wmma's layout is free, but it must hold the whole matrix, each element equally often.
TEST(Layouts, WmmaHoldsEveryElement) {
  struct Case {
    Shape shape;
    Element type;
    Role role;
    int registers;
  };
  const Case cases[] = {
      {{16, 16, 16}, Element::kF16, Role::kA, 8},  {{32, 8, 16}, Element::kF16, Role::kA, 8},
      {{8, 32, 16}, Element::kF16, Role::kA, 8},   {{8, 32, 16}, Element::kF16, Role::kB, 8},
      {{16, 16, 16}, Element::kBF16, Role::kA, 4}, {{8, 32, 16}, Element::kBF16, Role::kA, 2},
      {{8, 32, 16}, Element::kBF16, Role::kB, 8},  {{32, 8, 16}, Element::kBF16, Role::kA, 8},
      {{32, 8, 16}, Element::kBF16, Role::kB, 2},  {{16, 16, 8}, Element::kTF32, Role::kA, 4},
      {{16, 16, 8}, Element::kTF32, Role::kB, 4},  {{16, 16, 16}, Element::kS8, Role::kA, 2},
      {{8, 32, 16}, Element::kS8, Role::kA, 1},    {{8, 32, 16}, Element::kU8, Role::kB, 4},
      {{32, 8, 16}, Element::kU8, Role::kB, 1},    {{8, 8, 4}, Element::kF64, Role::kA, 1},
      {{8, 8, 32}, Element::kS4, Role::kB, 1},     {{8, 8, 128}, Element::kB1, Role::kA, 1},
      {{16, 16, 16}, Element::kF16, Role::kC, 4},  {{16, 16, 16}, Element::kF32, Role::kC, 8},
      {{8, 32, 16}, Element::kS32, Role::kC, 8},   {{32, 8, 16}, Element::kF32, Role::kC, 8},
      {{8, 8, 4}, Element::kF64, Role::kC, 2},     {{8, 8, 128}, Element::kS32, Role::kC, 2},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(WmmaRegisters(one.role, one.shape, one.type), one.registers);
    const int bits = BitsOf(one.type);
    const int elements = bits == 64 ? one.registers : one.registers * 32 / bits;
    std::multiset<At> all;
    for (int lane = 0; lane < 32; ++lane) {
      for (int i = 0; i < elements; ++i) {
        const Position at = WmmaElementAt(one.role, one.shape, one.type, lane, i);
        all.insert({at.row, at.column});
      }
    }
    const int rows = one.role == Role::kB ? one.shape.k : one.shape.m;
    const int columns = one.role == Role::kA ? one.shape.k : one.shape.n;
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < columns; ++column) {
        EXPECT_EQ(all.count({row, column}), static_cast<std::size_t>(32 * elements / (rows * columns)));
      }
    }
  }
  EXPECT_EQ(WmmaRegisters(Role::kA, {16, 16, 16}, Element::kTF32), 0);
  EXPECT_EQ(WmmaRegisters(Role::kC, {16, 16, 8}, Element::kF16), 0);
}

}  // namespace
}  // namespace emu
