#include "hopper/model.h"

#include <algorithm>
#include <cstdint>

#include "common/correction/correction.h"
#include "common/correction/features.h"
#include "hopper/cost.h"
#include "hopper/predict.h"
#include "hopper/raster.h"
#include "hopper/schedule.h"
#include "hopper/share.h"

namespace gemm::hopper {
namespace {

namespace feature = correction::feature;
using correction::Features;

// How a tiled kernel computes a problem, and how long that takes by the cost model.
struct Predicted {
  problem::Normalized problem;  // as computed
  Raster raster;
  Share share;
  double us;
};

Predicted PredictWith(const dispatch::KernelRow& row, const problem::Normalized& asked,
                      const dispatch::Device& device, const CostConstants& cost) {
  Predicted predicted;
  predicted.problem = AsComputed(row, asked);
  predicted.raster = MakeRaster(row, predicted.problem, device);
  predicted.share = ShareOf(row, predicted.problem, predicted.raster, device);
  predicted.us = PredictUs(cost, row, predicted.problem, device, predicted.raster, predicted.share);
  return predicted;
}

Features FeaturesOf(const dispatch::KernelRow& row, const Predicted& predicted,
                    const dispatch::Device& device) {
  const problem::Normalized& problem = predicted.problem;
  const Raster& raster = predicted.raster;
  const auto resident = static_cast<double>(std::max<std::int64_t>(raster.resident, 1));
  Features features = correction::CommonFeatures(row, problem, device, predicted.us);
  features[feature::kLogRows] = correction::Log2(static_cast<double>(problem.m));
  features[feature::kLogColumns] = correction::Log2(static_cast<double>(problem.n));
  features[feature::kClusterRows] = static_cast<float>(row.cluster_m);
  features[feature::kClusterColumns] = static_cast<float>(row.cluster_n);
  features[feature::kParts] = static_cast<float>(predicted.share.parts);
  features[feature::kSchedule] = static_cast<float>(ScheduleOf(row));
  features[feature::kTransposed] = IsTransposed(row) ? 1 : 0;
  correction::SetRounds(static_cast<double>(raster.tiles) / resident, &features);
  features[feature::kUsedColumns] = correction::UsedPart(problem.n, row.tile.n);
  features[feature::kMnMajor] = correction::MnMajor(problem.a, problem.b);
  return features;
}

struct CostTraits {
  using Constants = CostConstants;
  static constexpr const char* kName = "hopper/cost.h";
  static constexpr const auto& kFields = kCostFields;
  static constexpr const auto& kFeatures = correction::kFeatureNames;
  static const Constants& For(const dispatch::Device& device) { return CostOf(device); }
  static double PredictUs(const dispatch::KernelRow& row, const problem::Normalized& problem,
                          const dispatch::Device& device, const Constants& cost) {
    return PredictWith(row, problem, device, cost).us;
  }
  static void GetFeatures(const dispatch::KernelRow& row, const problem::Normalized& problem,
                          const dispatch::Device& device, float* features) {
    const Features of = FeaturesOf(row, PredictWith(row, problem, device, CostOf(device)), device);
    std::copy(of.begin(), of.end(), features);
  }
};

}  // namespace

const dispatch::CostModel kTiledModel = dispatch::CostModelOf<CostTraits>::kModel;

double PredictMicroseconds(const dispatch::KernelRow& row, const problem::Normalized& problem,
                           const dispatch::Device& device) {
  const Predicted predicted = PredictWith(row, problem, device, CostOf(device));
  return !StartsAnywhere(row) && correction::IsCorrected(problem, device)
             ? correction::Corrected(predicted.us, FeaturesOf(row, predicted, device))
             : predicted.us;
}

}  // namespace gemm::hopper
