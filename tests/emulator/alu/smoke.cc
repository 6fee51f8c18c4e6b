#include <gtest/gtest.h>
#include "tests/emulator/alu/evaluate.h"
namespace emu::testing {
TEST(Smoke, Add) {
  auto v = Cross(Integers<std::uint32_t>(20), 2);
  auto r = Evaluate("add.u32 %d, %a, %b;", 4, {ColumnOf(v[0]), ColumnOf(v[1])});
  for (std::size_t i=0;i<r.size();++i) ASSERT_EQ(r[i], std::uint32_t(v[0][i]+v[1][i]));
}
}
