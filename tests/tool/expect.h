// What a run of the gemm command must have come to.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/tool/gemm_process.h"

namespace gemm::tool {

// One line on stderr, this exit code, and these words in the line.
inline void ExpectFailure(const Outcome& outcome, int code, const std::string& words) {
  EXPECT_EQ(outcome.code, code) << outcome.err;
  EXPECT_THAT(outcome.err, testing::StartsWith("gemm: "));
  EXPECT_THAT(outcome.err, testing::HasSubstr(words));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
}

inline Outcome ExpectSuccess(const Outcome& outcome) {
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  return outcome;
}

}  // namespace gemm::tool
