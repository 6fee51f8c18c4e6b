#include "tools/emulator/tensor/product.h"

#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <limits>
#include <vector>

#include "tools/emulator/base/random.h"

namespace emu {
namespace {

TEST(Product, AddsInTheOrderOfK) {
  Random random(7);
  for (const int m : {4, 8, 16, 64}) {
    for (const int k : {4, 8, 16, 32, 64}) {
      const auto mk = static_cast<std::size_t>(m * k), k8 = static_cast<std::size_t>(k * 8);
      std::vector<double> a(mk), b(k8), c(static_cast<std::size_t>(m * 8));
      // 11 bits each, of very different sizes: sums are rounded, products are not.
      const auto number = [&] {
        return std::ldexp(static_cast<double>(random.Below(4096)) - 2048,
                          static_cast<int>(random.Below(60)) - 30);
      };
      for (auto& x : a) x = number();
      for (auto& x : b) x = number();
      for (auto& x : c) x = number();
      std::vector<double> expected = c;
      for (std::size_t row = 0; row < static_cast<std::size_t>(m); ++row) {
        for (std::size_t column = 0; column < 8; ++column) {
          for (std::size_t kk = 0; kk < static_cast<std::size_t>(k); ++kk) {
            expected[row * 8 + column] += a[row * static_cast<std::size_t>(k) + kk] * b[kk * 8 + column];
          }
        }
      }
      AddProduct(a.data(), b.data(), c.data(), m, k);
      EXPECT_EQ(c, expected);
    }
  }
}

TEST(Product, NanAndInfinityPropagate) {
  std::vector<double> a(4 * 4, 1), b(4 * 8, 1), c(4 * 8, 0);
  a[0] = std::numeric_limits<double>::infinity();
  b[1] = 0;  // inf * 0 in column 1
  a[4] = std::nan("");
  AddProduct(a.data(), b.data(), c.data(), 4, 4);
  EXPECT_EQ(c[0], std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(c[1]));
  for (std::size_t i = 8; i < 16; ++i) EXPECT_TRUE(std::isnan(c[i]));
  EXPECT_EQ(c[16], 4);
}

TEST(Product, F64RoundsEachStepAsAsked) {
  const double a[] = {1, 1}, b[] = {0x1p-60, -0x1p-61};
  const auto sum = [&](int rounding) {
    double c = 1;
    AddProductF64(a, b, &c, 1, 1, 2, rounding);
    return c;
  };
  EXPECT_EQ(sum(FE_TONEAREST), 1);
  EXPECT_EQ(sum(FE_UPWARD), 1 + 0x1p-52);
  EXPECT_EQ(sum(FE_DOWNWARD), 1 - 0x1p-53);
  EXPECT_EQ(sum(FE_TOWARDZERO), 1 - 0x1p-53);
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  // Fused: the product is not rounded before it is added.
  const double x[] = {1 + 0x1p-30}, y[] = {1 - 0x1p-30};
  double c = -1;
  AddProductF64(x, y, &c, 1, 1, 1, FE_TONEAREST);
  EXPECT_EQ(c, -0x1p-60);
}

TEST(Product, Bits) {
  const std::uint32_t a[] = {0xffffffff, 0x0f0f0f0f}, b[] = {0xffff0000, 0xffffffff};
  std::int32_t c[] = {5};
  AddProductBits(a, b, c, 1, 1, 2, false);
  EXPECT_EQ(c[0], 5 + 16 + 16);
  AddProductBits(a, b, c, 1, 1, 2, true);
  EXPECT_EQ(c[0], 37 + 16 + 16);
}

TEST(Product, IntegersWrapOrClamp) {
  EXPECT_EQ(ToS32(2147483647.0, false), 2147483647);
  EXPECT_EQ(ToS32(2147483648.0, false), INT32_MIN);
  EXPECT_EQ(ToS32(2147483648.0, true), INT32_MAX);
  EXPECT_EQ(ToS32(-2147483650.0, false), 2147483646);
  EXPECT_EQ(ToS32(-2147483650.0, true), INT32_MIN);
}

}  // namespace
}  // namespace emu
