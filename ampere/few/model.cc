#include "ampere/few/model.h"

#include <algorithm>

#include "ampere/few/cost.h"
#include "ampere/few/predict.h"
#include "ampere/few/slices.h"
#include "common/correction/correction.h"
#include "common/correction/features.h"

namespace gemm::ampere::few {
namespace {

namespace feature = correction::feature;
using correction::Features;
using dispatch::Device;
using dispatch::KernelRow;
using problem::Normalized;

Features FeaturesOf(double us, const KernelRow& row, const Normalized& p, const Device& device) {
  const int bits = SliceBits(row, p, device);
  Features features = correction::CommonFeatures(row, p, device, us);
  features[feature::kLogRows] = correction::Log2(static_cast<double>(WideRows(p)));
  features[feature::kLogColumns] = correction::Log2(static_cast<double>(FewRows(p)));
  features[feature::kTileRows] = static_cast<float>(RowsOfCta(row, bits));
  features[feature::kTileColumns] = static_cast<float>(row.tile.m);
  features[feature::kParts] = static_cast<float>(1 << bits);
  features[feature::kSchedule] = correction::kFew;
  features[feature::kTransposed] = 1;  // nothing was timed whose longer operand is A, which is computed alike
  correction::SetRounds(static_cast<double>(Ctas(row, p, bits)) / static_cast<double>(CtasAtOnce(row, device)),
                        &features);
  features[feature::kUsedColumns] = correction::UsedPart(FewRows(p), row.tile.m);
  features[feature::kSteps] = static_cast<float>(Turns(row, p, bits));
  return features;
}

struct CostTraits {
  using Constants = CostConstants;
  static constexpr const char* kName = "ampere/few/cost.h";
  static constexpr const auto& kFields = kCostFields;
  static constexpr const auto& kFeatures = correction::kFeatureNames;
  static const Constants& For(const Device& device) { return CostOf(device); }
  static double PredictUs(const KernelRow& row, const Normalized& p, const Device& device,
                          const Constants& cost) {
    return few::PredictUs(cost, row, p, device);
  }
  static void GetFeatures(const KernelRow& row, const Normalized& p, const Device& device, float* features) {
    const double us = few::PredictUs(CostOf(device), row, p, device);
    const Features of = StartsAnywhere(row) ? correction::Uncorrected(us) : FeaturesOf(us, row, p, device);
    std::copy(of.begin(), of.end(), features);
  }
};

}  // namespace

const dispatch::CostModel kFewModel = dispatch::CostModelOf<CostTraits>::kModel;

double PredictMicroseconds(const KernelRow& row, const Normalized& p, const Device& device) {
  const double us = PredictUs(CostOf(device), row, p, device);
  return !StartsAnywhere(row) && correction::IsCorrected(p, device)
             ? correction::Corrected(us, FeaturesOf(us, row, p, device))
             : us;
}

}  // namespace gemm::ampere::few
