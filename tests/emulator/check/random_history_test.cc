// The checker against a detector that keeps everything, on random histories, each run in several legal orders.
#include <gtest/gtest.h>

#include "tests/emulator/check/history.h"

namespace emu::testing {
namespace {

TEST(RandomHistoryTest, TheSameIsFoundInEveryOrder) {
  int clean = 0, dirty = 0;
  for (std::uint64_t seed = 1; seed <= 6000; ++seed) {
    const History history(seed, seed % 2 == 0 ? 0.8 : 0.995);
    history.expected().empty() ? ++clean : ++dirty;
    Random orders(seed);
    for (int order = 0; order < 5; ++order) {
      const std::optional<Finding> finding = history.Replay(orders);
      ASSERT_EQ(finding.has_value(), !history.expected().empty())
          << "history " << seed << ", order " << order << "\n"
          << (finding ? ToString(*finding) : "nothing found");
      if (!finding) continue;
      ASSERT_TRUE(history.expected().contains(finding->kind))
          << "history " << seed << ", order " << order << "\n"
          << ToString(*finding);
    }
  }
  // Both must be common for the comparison to mean something.
  EXPECT_GT(clean, 1500);
  EXPECT_GT(dirty, 1500);
}

}  // namespace
}  // namespace emu::testing
