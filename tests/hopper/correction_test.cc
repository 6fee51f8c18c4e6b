// Where the learned correction of predicted times holds, and what it goes by.
#include "common/correction/correction.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/correction/features.h"
#include "common/dispatch/cost_model.h"
#include "common/dispatch/device.h"
#include "common/dispatch/kernel.h"
#include "common/problem/problem.h"
#include "tests/hopper/backend.h"

namespace gemm {
namespace {

using dispatch::KernelRow;

TEST(HopperCorrection, TheCorrectionIsOfProductsOfARowMajorA) {
  const auto correction = [](const std::string& row, const Problem& problem) {
    return Predict(row, problem) / ByTheModel(row, problem);
  };
  double least = 1, most = 1;
  const dispatch::KernelTable table = dispatch::HopperKernels();
  for (std::size_t i = 0; i < table.count; ++i) {
    const KernelRow& row = table.rows[i];
    if (row.family->model == nullptr || row.input_type != DataType::kBF16) continue;
    if (row.b_major == problem::Major::kMN || row.a_major == problem::Major::kMN) continue;
    least = std::min(least, correction(row.name, Nk(512, 4096, 4096)));
    most = std::max(most, correction(row.name, Nk(512, 4096, 4096)));
  }
  EXPECT_LT(least, 0.99);
  EXPECT_GT(least, std::exp(-0.31));
  EXPECT_GT(most, 1.01);
  EXPECT_LT(most, std::exp(0.31));
  EXPECT_NE(correction("hopper_bf16_kn_128x128x64_s6_c1x1", Kn(512, 4096, 4096)), 1);
  EXPECT_NE(correction("hopper_bf16_mk_128x96x64_s7_c1x1_t", Kn(512, 4096, 4096)), 1);
  Problem batched = Nk(512, 4096, 4096);
  batched.batch = 2;
  EXPECT_NE(correction("hopper_bf16_kk_128x256x64_s4_c2x1", batched), 1);
  Problem columns = Nk(512, 4096, 4096);
  columns.a.layout = Layout::kColumnMajor;
  EXPECT_EQ(correction("hopper_bf16_mk_128x96x64_s7_c1x1", columns), 1);
}

float Feature(const KernelRow& row, const problem::Normalized& problem, const std::string& name) {
  const dispatch::CostModel& model = *row.family->model;
  std::vector<float> features(model.feature_count);
  model.get_features(row, problem, H200(), features.data());
  for (std::size_t i = 0; i < model.feature_count; ++i) {
    if (model.feature(i) == name) return features[i];
  }
  ADD_FAILURE() << "no feature is called " << name;
  return 0;
}

float Feature(const std::string& row, const Problem& problem, const std::string& name) {
  problem::Normalized normalized;
  EXPECT_TRUE(problem::Normalize(problem, &normalized).ok());
  return Feature(Row(row), normalized, name);
}

double Correction(const KernelRow& row, const problem::Normalized& problem,
                  const dispatch::Device& on = H200()) {
  return row.family->predict_us(row, problem, on) / ByTheModel(row, problem, on);
}

TEST(HopperCorrection, TheCorrectionKnowsWhichOperandOfTheTileIsContiguousAlongMOrN) {
  EXPECT_EQ(Feature("hopper_bf16_kk_128x96x64_s7_c1x1_t", Nk(96, 4096, 4096), "mn_major"), 0);
  EXPECT_EQ(Feature("hopper_bf16_mk_128x96x64_s7_c1x1_t", Kn(96, 4096, 4096), "mn_major"), 1);
  EXPECT_EQ(Feature("hopper_bf16_kn_128x128x64_s6_c1x1", Kn(96, 4096, 4096), "mn_major"), 2);
  EXPECT_EQ(Feature("hopper_bf16_kk_swap_64x32x256_s4", Nk(32, 4096, 4096), "mn_major"), 0);
  EXPECT_EQ(Feature("hopper_bf16_kn_swap_64x32x128_s8", Kn(32, 4096, 4096), "mn_major"), 1);
}

TEST(HopperCorrection, StepsOf256StandToTheCorrectionAsRingsOfStepsOf128) {
  for (const char* name : {"stages", "steps"}) {
    EXPECT_EQ(Feature("hopper_bf16_kk_swap_64x16x256_s5", Nk(16, 4096, 4104), name),
              Feature("hopper_bf16_kk_swap_64x16x128_s10", Nk(16, 4096, 4104), name))
        << name;
  }
}

TEST(HopperCorrection, TheCorrectionKnowsTheDevicesMemory) {
  const std::string row = "hopper_bf16_kk_128x96x64_s7_c1x1", skinny = "hopper_bf16_kk_swap_64x32x256_s4";
  EXPECT_EQ(Feature(row, Nk(96, 4096, 4096), "memory_gbs"), static_cast<float>(H200().memory_bandwidth_gbs));
  EXPECT_EQ(Feature(skinny, Nk(32, 4096, 4096), "memory_gbs"), static_cast<float>(H200().memory_bandwidth_gbs));
}

TEST(HopperCorrection, TheCorrectionKnowsWhetherBMayBeReadEarly) {
  for (const char* name : {"hopper_bf16_kk_64x64x64_s12_c1x1", "hopper_bf16_kk_64x64x64_s12_c1x1_t",
                           "hopper_bf16_kk_swap_64x32x256_s4"}) {
    const KernelRow& row = Row(name);
    problem::Normalized problem;
    ASSERT_TRUE(problem::Normalize(Nk(32, 4096, 4096), &problem).ok());
    EXPECT_EQ(Feature(row, problem, "early"), 0) << name;
    problem.b.readable_early = true;
    EXPECT_EQ(Feature(row, problem, "early"), 1) << name;
    EXPECT_NE(Correction(row, problem), 1) << name;
    problem.b.readable_early = false;
    problem.a.readable_early = true;
    EXPECT_EQ(Correction(row, problem), 1) << name << ": of an A that is read early no time was learned";
  }
}

TEST(HopperCorrection, LaunchesThatReadBEarlyHaveTreesOfTheirOwn) {
  const KernelRow& row = Row("hopper_bf16_kk_swap_64x32x256_s4");
  problem::Normalized problem;
  ASSERT_TRUE(problem::Normalize(Nk(32, 4096, 4096), &problem).ok());
  correction::Features features;
  row.family->model->get_features(row, problem, H200(), features.data());
  const double us = std::exp2(features[correction::feature::kLogUs]);
  const double late = correction::Corrected(us, features);
  features[correction::feature::kEarly] = 1;
  EXPECT_NE(correction::Corrected(us, features), late);
}

TEST(HopperCorrection, TheCorrectionFadesWhereItWasNotLearnedWell) {
  const auto correction = [](std::int64_t m, std::int64_t n, std::int64_t k, bool early, const char* device) {
    problem::Normalized problem;
    EXPECT_TRUE(problem::Normalize(Nk(m, n, k), &problem).ok());
    problem.b.readable_early = early;
    return Correction(Row("hopper_bf16_kk_64x64x64_s12_c1x1"), problem, *dispatch::FindKnownDevice(device));
  };
  EXPECT_NE(correction(512, 2112, 4096, false, "h200"), 1);
  EXPECT_NE(correction(512, 2112, 4096, false, "h100"), 1);
  EXPECT_NE(correction(16, 4096, 4096, false, "h200"), 1);
  EXPECT_NE(correction(1, 4096, 4096, false, "h200"), 1);
  EXPECT_NE(correction(1, 4096, 4096, false, "h100"), 1);
  EXPECT_NE(correction(512, 2112, 4096, true, "h200"), 1);
  for (const char* device : {"h200", "h100"}) {
    EXPECT_EQ(correction(4096, 8192, 8192, false, device), 1) << "many times 160 us";
    EXPECT_EQ(correction(4096, 8192, 8192, true, device), 1) << "many times 160 us";
    EXPECT_NE(correction(4096, 8192, 8200, false, device), 1) << "rows start off lines";
    EXPECT_NE(correction(4096, 8192, 8224, false, device), 1) << "at multiples of 64 bytes";
  }
}

}  // namespace
}  // namespace gemm
