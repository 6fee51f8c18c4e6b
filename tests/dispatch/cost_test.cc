#include "common/dispatch/cost.h"

#include <cmath>
#include <cstdint>
#include <random>

#include "gtest/gtest.h"
#include "tests/dispatch/fake_tables.h"
#include "tests/dispatch/random_problem.h"

namespace gemm::dispatch {
namespace {

const char* const kDevices[] = {"h200", "h100", "a100", "rtx3090", "rtx4090", "rtx5070ti", "rtx5060laptop"};

problem::Normalized Make(std::int64_t m, std::int64_t n, std::int64_t k) {
  Problem p;
  p.m = m;
  p.n = n;
  p.k = k;
  problem::Normalized out;
  EXPECT_TRUE(problem::Normalize(p, &out).ok());
  return out;
}

TiledCost Wide() {
  TiledCost cost;
  cost.tile = {128, 256, 64};
  cost.stages = 4;
  cost.flop_per_sm_clock = fake::kWgmmaFlopPerSmClock;
  return cost;
}

TEST(Cost, BytesCountABroadcastOnce) {
  problem::Normalized p = Make(64, 128, 256);
  EXPECT_EQ(CompulsoryBytes(p), 2.0 * (64 * 256 + 128 * 256 + 64 * 128));
  p.batch = 3;
  p.a.batch_stride = 64 * 256;
  p.b.batch_stride = 0;
  EXPECT_EQ(CompulsoryBytes(p), 2.0 * (3 * 64 * 256 + 128 * 256 + 3 * 64 * 128));
}

TEST(Cost, IsFiniteAndPositiveForEveryProblem) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const problem::Normalized p = fake::RandomNormalized(seed);
    for (const char* device : kDevices) {
      const double us = PredictTiled(Wide(), p, *FindKnownDevice(device)).total();
      ASSERT_TRUE(std::isfinite(us) && us > 0) << "seed " << seed << " on " << device << ": " << us;
    }
  }
}

TEST(Cost, NeverFallsWhenTheProblemGrows) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 3000; ++i) {
    const auto size = [&] { return static_cast<std::int64_t>(1 + random() % 5000); };
    const problem::Normalized small = Make(size(), size(), size());
    problem::Normalized large = small;
    large.m += static_cast<std::int64_t>(random() % 200);
    large.n += static_cast<std::int64_t>(random() % 200);
    large.k += static_cast<std::int64_t>(random() % 200);
    large.batch += static_cast<std::int64_t>(random() % 3);
    for (const char* device : kDevices) {
      const Device& d = *FindKnownDevice(device);
      ASSERT_LE(PredictTiled(Wide(), small, d).total(), PredictTiled(Wide(), large, d).total())
          << small.m << " " << small.n << " " << small.k << " on " << device;
    }
  }
}

TEST(Cost, LargeProductsAreBoundByTheTensorCores) {
  const TiledTime time = PredictTiled(Wide(), Make(8192, 8192, 8192), *FindKnownDevice("h200"));
  EXPECT_GT(time.compute, time.memory);
  EXPECT_GT(time.compute, time.loads);
  EXPECT_GT(time.compute, time.latency);
  // 2 * 8192^3 FLOP at most at the sustained 835 TFLOP/s.
  EXPECT_GE(time.compute, 2 * std::pow(8192.0, 3) / 835e12 * 1e6);
}

TEST(Cost, DecodeIsBoundByMemoryOrLatency) {
  const TiledTime time = PredictTiled(Wide(), Make(1, 57344, 8192), *FindKnownDevice("h200"));
  EXPECT_GT(time.memory, time.compute / 4);
  EXPECT_GE(time.total(), CompulsoryBytes(Make(1, 57344, 8192)) / 4.92e12 * 1e6);
}

TEST(Cost, KIsCutIntoTheFewestPartsOfTheLeastCost) {
  const auto cost = [](int parts) { return parts < 5 ? 10.0 - parts : 6.0; };
  EXPECT_EQ(CheapestParts(32, cost), 4);
  EXPECT_EQ(CheapestParts(3, cost), 3);
  EXPECT_EQ(CheapestParts(2, cost), 2);
  EXPECT_EQ(CheapestParts(1, cost), 0);
  EXPECT_EQ(CheapestParts(0, cost), 0);
  const auto odd_alone = [&](int parts) { return parts % 2 == 0 ? HUGE_VAL : cost(parts); };
  EXPECT_EQ(CheapestParts(32, odd_alone), 5);
  EXPECT_EQ(CheapestParts(2, odd_alone), 0);
}

}  // namespace
}  // namespace gemm::dispatch
