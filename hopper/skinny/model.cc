#include "hopper/skinny/model.h"

#include <algorithm>

#include "hopper/correction.h"
#include "hopper/features.h"
#include "hopper/residency.h"
#include "hopper/skinny/cost.h"
#include "hopper/skinny/predict.h"
#include "hopper/skinny/split.h"

namespace gemm::hopper::skinny {
namespace {

Features FeaturesOf(const dispatch::KernelRow& row, const Split& split, const problem::Normalized& problem,
                    const dispatch::Device& device) {
  Features features = CommonFeatures(row, problem, device, split.microseconds);
  features[feature::kLogRows] = Log2(static_cast<double>(split.wide_rows));
  features[feature::kLogColumns] = Log2(static_cast<double>(split.narrow_rows));
  features[feature::kParts] = static_cast<float>(split.cluster);
  features[feature::kSchedule] = kSkinny;
  features[feature::kTransposed] = split.wide_is_b ? 1 : 0;
  SetRounds(static_cast<double>(split.tiles) / ResidentClusters(split.cluster, device), &features);
  features[feature::kUsedColumns] = UsedPart(split.narrow_rows, row.tile.n);
  features[feature::kMnMajor] = split.wide_is_b ? MnMajor(problem.b, problem.a) : MnMajor(problem.a, problem.b);
  return features;
}

struct CostTraits {
  using Constants = CostConstants;
  static constexpr const char* kName = "hopper/skinny/cost.h";
  static constexpr const auto& kFields = kCostFields;
  static constexpr const auto& kFeatures = kFeatureNames;
  static const Constants& For(const dispatch::Device& device) { return CostOf(device); }
  static double PredictUs(const dispatch::KernelRow& row, const problem::Normalized& problem,
                          const dispatch::Device& device, const Constants& cost) {
    return skinny::PredictUs(cost, SplitOf(row, problem, device), row, problem, device);
  }
  static void GetFeatures(const dispatch::KernelRow& row, const problem::Normalized& problem,
                          const dispatch::Device& device, float* features) {
    const Features of = FeaturesOf(row, SplitOf(row, problem, device), problem, device);
    std::copy(of.begin(), of.end(), features);
  }
};

}  // namespace

const dispatch::CostModel kSkinnyModel = dispatch::CostModelOf<CostTraits>::kModel;

double PredictMicroseconds(const dispatch::KernelRow& row, const problem::Normalized& problem,
                           const dispatch::Device& device) {
  const Split split = SplitOf(row, problem, device);
  if (!IsCorrected(problem, device)) return split.microseconds;
  return Corrected(split.microseconds, FeaturesOf(row, split, problem, device));
}

}  // namespace gemm::hopper::skinny
