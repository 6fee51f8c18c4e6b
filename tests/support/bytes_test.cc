#include "tests/support/bytes.h"

#include <gtest/gtest.h>

#include <vector>

namespace gemm::tests {
namespace {

TEST(FirstDifference, IsTheFirstOfAll) {
  // Within one thread's share, across several, and with a last one that is not whole.
  for (const std::size_t count : {std::size_t{1}, std::size_t{1000}, (std::size_t{7} << 20) + 13}) {
    const std::vector<unsigned char> x(count, 5);
    std::vector<unsigned char> y = x;
    EXPECT_EQ(FirstDifference(x.data(), y.data(), count), count);
    EXPECT_TRUE(SameBytes(x.data(), y.data(), count));
    for (const std::size_t at : {count - 1, count / 2, count / 3, std::size_t{0}}) {
      y[at] = 6;  // the later ones stay
      EXPECT_EQ(FirstDifference(x.data(), y.data(), count), at);
      EXPECT_FALSE(SameBytes(x.data(), y.data(), count));
    }
  }
}

TEST(FirstDifference, NothingDiffersInNothing) { EXPECT_EQ(FirstDifference(nullptr, nullptr, 0), 0u); }

}  // namespace
}  // namespace gemm::tests
