// What gemm bench makes of times, by made-up ones: only a GPU has ours and cuBLASLt's beside each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tools/gemm/bench/case.h"
#include "tools/gemm/bench/report.h"
#include "tools/gemm/bench/session.h"
#include "tools/gemm/exit_code.h"

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

CaseResult Beside(double ours, const std::string& our_kernel, double other, const std::string& other_kernel) {
  CaseResult result = Made({ours}, {});
  result.entrants.front().name = our_kernel;
  result.entrants.push_back(Timed(Side::kOtherBuild, {other}));
  result.entrants.back().name = other_kernel;
  return result;
}

TEST(Summary, TellsOursOfTheOtherBuildsTime) {
  EXPECT_EQ(Summary({Beside(8, "a", 10, "b")}),
            "of the other build's time 0.800 over 1 products, 0.800 over the 1 with another kernel\n");
  // Logarithms of 0.8 and of 1: their standard deviation, as of two values, over the root of two is half of their distance.
  EXPECT_EQ(Summary({Beside(8, "a", 10, "b"), Beside(10, "a", 10, "a")}),
            "of the other build's time 0.894 (deviation of the mean 0.1116) over 2 products, 0.800 over the 1 "
            "with another "
            "kernel\n");
  EXPECT_EQ(Summary({Beside(10, "a", 10, "a")}), "of the other build's time 1.000 over 1 products\n");
  CaseResult failed = Beside(10, "a", 10, "a");
  failed.entrants.back().failure = "misses the error bound";
  EXPECT_EQ(Summary({failed}), "");
}

CaseResult WithFailure(Side side, const std::string& name, const std::string& failure) {
  CaseResult result = Made({10}, {{12}, {}});
  result.entrants.push_back(Timed(side, {}));
  result.entrants.back().name = name;
  result.entrants.back().failure = failure;
  return result;
}

TEST(Summary, CountsWhoWasTimedAndWhoDroppedOut) {
  EXPECT_THAT(Summary({Made({10}, {{12}, {}})}),
              HasSubstr("cuBLASLt's algorithms and default: 1 timed of 2 asked\n"));
  EXPECT_THAT(Summary({Made({10}, {})}), Not(HasSubstr("cuBLASLt")));
  const CaseResult rival = WithFailure(Side::kRivalDefault, "default", "fails\nbadly");
  EXPECT_THAT(Summary({rival, rival}),
              HasSubstr("default: 2 timed of 6 asked; 2 failed or missed the error bound, first "));
  EXPECT_THAT(ToMarkdown({{}, {rival}}), HasSubstr(": default: fails; badly\n"));
  EXPECT_THAT(Summary({WithFailure(Side::kOtherRow, "a_row", "fails")}),
              HasSubstr("our other kernels: 0 timed of 1 asked; 1 failed or missed the error bound, first "));
}

// The exit code, and what stands on stderr.
int Judged(const CaseResult& result, std::string* said) {
  FirstFailure failures;
  testing::internal::CaptureStderr();
  AddFailures(result, &failures);
  *said = testing::internal::GetCapturedStderr();
  return failures.code();
}

TEST(Verdict, AKernelOfOursThatFailsCounts) {
  std::string said;
  CaseResult result = WithFailure(Side::kOtherRow, "a_row", "cannot be launched");
  EXPECT_EQ(Judged(result, &said), kInternal);
  EXPECT_THAT(said, HasSubstr(": a_row: cannot be launched\n"));
  result.entrants.push_back(result.entrants.back());
  result.entrants.back().worst_error = 2;
  EXPECT_EQ(Judged(result, &said), kVerificationFailed);
  EXPECT_THAT(said, HasSubstr(": a_row: cannot be launched; 1 more kernels failed\n"));
  for (const Side side : {Side::kRung, Side::kShape}) {
    result = WithFailure(side, "another", "takes no such product");
    EXPECT_EQ(Judged(result, &said), kOk);
    EXPECT_EQ(said, "");
    result.entrants.back().failure = "misses the error bound";
    result.entrants.back().worst_error = 2;
    EXPECT_EQ(Judged(result, &said), kVerificationFailed);
    EXPECT_THAT(said, HasSubstr(": another: misses the error bound\n"));
  }
  result = WithFailure(Side::kRival, "heuristic 3", "misses the error bound");
  result.entrants.back().worst_error = 2;
  EXPECT_EQ(Judged(result, &said), kOk);
  EXPECT_EQ(Judged(WithFailure(Side::kRival, "heuristic 3", "fails"), &said), kOk);
  EXPECT_EQ(said, "");
  result = Made({10}, {});
  result.failure = "no room";
  result.failure_code = StatusCode::kOutOfMemory;
  EXPECT_EQ(Judged(result, &said), kOutOfMemory);
}

// As where the pass for the energy fails, behind all rounds.
TEST(Reports, TellAFailureBesideTimes) {
  CaseResult result = Made({10}, {});
  result.entrants.front().name = "a_row";
  result.failure = "the device\nfailed";
  EXPECT_THAT(ToMarkdown({{}, {result}}), HasSubstr("| a_row; the device; failed | 10.00 |"));
  result.entrants.front().round_us.clear();
  EXPECT_THAT(ToMarkdown({{}, {result}}), HasSubstr("| the device; failed |  |"));
}

TEST(Reports, NameTheOtherBuildWhereThereIsOne) {
  Report report;
  report.cases = {Beside(8, "a", 10, "b"), Made({10}, {})};
  report.circumstances.beside = "old.so";
  EXPECT_THAT(ConsoleRow(report.cases[0]), HasSubstr("  beside: b 10.00 us"));
  EXPECT_THAT(ConsoleRow(report.cases[1]), Not(HasSubstr("beside")));
  const std::string markdown = ToMarkdown(report);
  EXPECT_THAT(markdown, HasSubstr(" Beside: old.so."));
  EXPECT_THAT(markdown, HasSubstr("| rival mJ | beside |\n"));
  EXPECT_THAT(markdown, HasSubstr("| b 10.00 us |\n"));
  EXPECT_THAT(ToCsv(report), HasSubstr(",b,10,"));
  EXPECT_THAT(ToJson(report), HasSubstr("\"of_the_other_builds_time\": 0.8"));
  report.circumstances.beside = "";
  EXPECT_THAT(ToMarkdown({report.circumstances, {Made({10}, {})}}), Not(HasSubstr("beside")));
}

}  // namespace
}  // namespace gemm::tool::bench
