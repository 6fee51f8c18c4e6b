// The table of rungs and the published figures: complete, consistent, and what each rung must refuse.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "ladder/published.h"
#include "ladder/rung.h"

namespace gemm::ladder {
namespace {

// A size that the rung takes.
Problem Fitting(const Rung& rung) {
  return ProblemOf(rung, rung.multiple_m, rung.multiple_n, std::max(rung.multiple_k, rung.least_k));
}

TEST(Rungs, NamesAreUniqueWithTheirType) {
  std::set<std::pair<std::string, DataType>> names;
  for (const Rung& rung : Rungs()) EXPECT_TRUE(names.emplace(rung.name, rung.in).second) << rung.name;
}

TEST(Rungs, EveryPublishedFigureHasItsRung) {
  for (const Figure& figure : Published()) {
    if (figure.id.ends_with("-cublas") || figure.id.ends_with("-pytorch")) continue;
    EXPECT_TRUE(
        std::any_of(Rungs().begin(), Rungs().end(),
                    [&](const Rung& rung) { return rung.published == figure.id && rung.in == figure.type; }))
        << figure.id << " " << Name(figure.type);
  }
}

TEST(Rungs, EveryNamedFigureExists) {
  for (const Rung& rung : Rungs()) {
    if (rung.published.empty()) continue;
    EXPECT_TRUE(std::any_of(Published().begin(), Published().end(), [&](const Figure& figure) {
      return figure.id == rung.published;
    })) << rung.name;
  }
}

TEST(Rungs, TakeThePublishedSizes) {
  for (const Rung& rung : Rungs()) {
    for (const Figure& figure : Published()) {
      if (figure.id != rung.published) continue;
      EXPECT_EQ(Reject(rung, ProblemOf(rung, figure.m, figure.n, figure.k)), "") << rung.name;
    }
  }
}

TEST(Rungs, RefuseTails) {
  for (const Rung& rung : Rungs()) {
    const Problem fitting = Fitting(rung);
    EXPECT_EQ(Reject(rung, fitting), "") << rung.name;
    const std::pair<std::int64_t Problem::*, int> sizes[] = {
        {&Problem::m, rung.multiple_m}, {&Problem::n, rung.multiple_n}, {&Problem::k, rung.multiple_k}};
    for (const auto& [size, multiple] : sizes) {
      Problem problem = fitting;
      problem.*size += 1;
      const std::string reason = Reject(rung, problem);
      if (multiple == 1) {
        EXPECT_EQ(reason, "") << rung.name;
      } else {
        EXPECT_NE(reason.find("multiple of " + std::to_string(multiple)), std::string::npos)
            << rung.name << reason;
      }
      problem.*size = 0;
      EXPECT_NE(Reject(rung, problem), "") << rung.name;
    }
  }
}

TEST(Rungs, RefuseAKShorterThanTheirPipeline) {
  int refusals = 0;
  for (const Rung& rung : Rungs()) {
    Problem problem = Fitting(rung);
    problem.k = rung.multiple_k;
    if (problem.k >= rung.least_k) continue;
    EXPECT_NE(Reject(rung, problem).find("at least"), std::string::npos) << rung.name;
    ++refusals;
  }
  EXPECT_GT(refusals, 0);
}

TEST(Rungs, RefuseWhatTheirIndicesDoNotReach) {
  for (const Rung& rung : Rungs()) {
    EXPECT_NE(Reject(rung, ProblemOf(rung, 65536, 65536, 4096)), "") << rung.name;
    EXPECT_NE(Reject(rung, ProblemOf(rung, 4096, 4096, std::int64_t{1} << 32)), "") << rung.name;
  }
}

TEST(Rungs, RefuseOtherTypes) {
  for (const Rung& rung : Rungs()) {
    Problem problem = Fitting(rung);
    problem.a.type = problem.b.type = rung.in == DataType::kFP32 ? DataType::kBF16 : DataType::kFP32;
    EXPECT_NE(Reject(rung, problem).find("multiplies"), std::string::npos) << rung.name;
  }
}

TEST(Rungs, RefuseOtherDevices) {
  dispatch::Device device;
  device.compute_capability_major = 7;
  device.compute_capability_minor = 5;
  for (const Rung& rung : Rungs()) EXPECT_NE(Reject(rung, device), "") << rung.name;
  device.compute_capability_major = 12;
  for (const Rung& rung : Rungs()) EXPECT_EQ(Reject(rung, device).empty(), !rung.hopper_only) << rung.name;
  device.compute_capability_major = 9;
  device.compute_capability_minor = 0;
  for (const Rung& rung : Rungs()) EXPECT_EQ(Reject(rung, device), "") << rung.name;
}

TEST(Published, FiguresAreFoundBySize) {
  Problem problem;
  problem.a.type = DataType::kBF16;
  problem.m = problem.n = problem.k = 4096;
  const Figure* at_4096 = FindFigure("S2-9", problem);
  ASSERT_NE(at_4096, nullptr);
  EXPECT_EQ(at_4096->m, 4096);
  EXPECT_EQ(ToString(at_4096), "(70.5%) at 4096 on NVIDIA H100 SXM");
  problem.m = 8192;
  problem.n = problem.k = 8192;
  EXPECT_EQ(ToString(FindFigure("S2-9", problem)), "463.9 TFLOP/s (63.1%) at 8192 on NVIDIA H100 SXM");
  EXPECT_EQ(FindFigure("S9-1", problem), nullptr);
}

}  // namespace
}  // namespace gemm::ladder
