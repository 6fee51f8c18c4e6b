// What gemm bench makes of times, by made-up ones: only a GPU has ours and cuBLASLt's beside each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tools/gemm/bench/case.h"
#include "tools/gemm/bench/report.h"

namespace gemm::tool::bench {
namespace {

using testing::HasSubstr;
using testing::Not;

EntrantResult Timed(Side side, std::vector<double> round_us) {
  EntrantResult result;
  result.side = side;
  result.round_us = std::move(round_us);
  return result;
}

CaseResult Made(std::vector<double> ours, const std::vector<std::vector<double>>& rivals) {
  CaseResult result;
  result.entrants.push_back(Timed(Side::kOurs, std::move(ours)));
  for (const std::vector<double>& rival : rivals) result.entrants.push_back(Timed(Side::kRival, rival));
  return result;
}

TEST(RatioByOtherRounds, IsThatOfTheMediansWhereTimesDoNotScatter) {
  EXPECT_DOUBLE_EQ(Made({10, 10, 10}, {{12, 12, 12}, {11, 11, 11}}).RatioByOtherRounds().value(), 1.1);
}

// A round in which one was fast is not one in which it counts for that.
TEST(RatioByOtherRounds, ALuckyRoundDoesNotChooseItself) {
  const CaseResult result = Made({10, 10}, {{8, 12}, {12, 8}});
  EXPECT_DOUBLE_EQ(result.BestRival()->MedianUs(), 10);
  EXPECT_DOUBLE_EQ(result.RatioByOtherRounds().value(), 1.2);
  const CaseResult three = Made({10, 10, 10}, {{8, 8, 14}, {10, 10, 10}});
  EXPECT_DOUBLE_EQ(three.BestRival()->MedianUs(), 8);
  // In the first two rounds 8 and 14 have the median 11, so 10 is chosen; in the third 8 is, and 14 counts.
  EXPECT_DOUBLE_EQ(three.RatioByOtherRounds().value(), std::cbrt(1.0 * 1.0 * 1.4));
}

TEST(RatioByOtherRounds, NeedsOursARivalAndTwoRounds) {
  EXPECT_FALSE(Made({10}, {{12}}).RatioByOtherRounds().has_value());
  EXPECT_FALSE(Made({10, 10}, {}).RatioByOtherRounds().has_value());
  EXPECT_FALSE(Made({}, {{12, 12}}).RatioByOtherRounds().has_value());
}

TEST(Summary, TellsBothRatios) {
  EXPECT_THAT(Summary({Made({10, 10, 10}, {{8, 8, 14}, {10, 10, 10}})}),
              HasSubstr("over 1 products 0.800x cuBLASLt's best (1.119x where the other rounds choose it), "));
  EXPECT_THAT(Summary({Made({10}, {{12}})}), Not(HasSubstr("other rounds")));
}

}  // namespace
}  // namespace gemm::tool::bench
