#include "hopper/skinny/model.h"

#include <algorithm>

#include "common/base/math.h"
#include "common/correction/correction.h"
#include "common/correction/features.h"
#include "hopper/residency.h"
#include "hopper/skinny/cost.h"
#include "hopper/skinny/predict.h"
#include "hopper/skinny/split.h"

namespace gemm::hopper::skinny {
namespace {

namespace feature = correction::feature;
using correction::Features;

Features FeaturesOf(const dispatch::KernelRow& row, const Split& split, const problem::Normalized& problem,
                    const dispatch::Device& device) {
  Features features = correction::CommonFeatures(row, problem, device, split.microseconds);
  if (HasLongSteps(row)) {  // as rings of steps of 128, which the correction has learned of
    features[feature::kStages] *= 2;
    features[feature::kSteps] = static_cast<float>(base::CeilDiv<std::int64_t>(problem.k, 128));
  }
  features[feature::kLogRows] = correction::Log2(static_cast<double>(split.wide_rows));
  features[feature::kLogColumns] = correction::Log2(static_cast<double>(split.narrow_rows));
  features[feature::kParts] = static_cast<float>(split.cluster);
  features[feature::kSchedule] = correction::kSkinny;
  features[feature::kTransposed] = split.wide_is_b ? 1 : 0;
  correction::SetRounds(static_cast<double>(split.tiles) / ResidentClusters(split.cluster, device), &features);
  features[feature::kUsedColumns] = correction::UsedPart(split.narrow_rows, row.tile.n);
  features[feature::kMnMajor] =
      split.wide_is_b ? correction::MnMajor(problem.b, problem.a) : correction::MnMajor(problem.a, problem.b);
  return features;
}

// Where kBesideTiled counts.
bool StandsBesideTiledOnes(const dispatch::KernelRow& row, const Split& split, const Features& features) {
  const bool has_room = row.tile.n > 32 && split.narrow_rows <= 64;
  return has_room && features[feature::kEarly] == 0 && features[feature::kMnMajor] == 0;
}

struct CostTraits {
  using Constants = CostConstants;
  static constexpr const char* kName = "hopper/skinny/cost.h";
  static constexpr const auto& kFields = kCostFields;
  static constexpr const auto& kFeatures = correction::kFeatureNames;
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
  if (!correction::IsCorrected(problem, device)) return split.microseconds;
  const Features features = FeaturesOf(row, split, problem, device);
  const double us = correction::Corrected(split.microseconds, features);
  return StandsBesideTiledOnes(row, split, features) ? us * dispatch::ConstantsFor(kBesideTiled, device) : us;
}

}  // namespace gemm::hopper::skinny
