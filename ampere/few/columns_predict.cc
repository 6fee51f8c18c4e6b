#include "ampere/few/columns_predict.h"

#include <algorithm>
#include <cstdint>

#include "ampere/few/columns_parts.h"
#include "ampere/few/predict.h"
#include "ampere/few/slices.h"
#include "common/base/math.h"
#include "common/correction/features.h"
#include "common/dispatch/cost.h"

namespace gemm::ampere::few {

using dispatch::Device;
using dispatch::KernelRow;
using problem::Normalized;

double PredictColumnsUs(const ColumnsCost& cost, const KernelRow& row, const Normalized& p,
                        const Device& device, int parts) {
  const std::int64_t ctas = ColumnTiles(row, p) * p.batch * parts;
  const auto rounds = static_cast<double>(base::CeilDiv<std::int64_t>(ctas, CtasAtOnce(row, device)));
  const auto each = static_cast<double>(base::CeilDiv<std::int64_t>(ctas, std::max(device.sm_count, 1)));
  const auto steps = static_cast<double>(base::CeilDiv<std::int64_t>(StepsOf(p), parts));
  const auto rows = static_cast<double>(FewRows(p));
  const double waited =
      rounds * (cost.cta_us + cost.cta_row_us * rows) + each * steps * (cost.step_us + cost.step_row_us * rows);
  const double memory = cost.memory * dispatch::MemoryUs(StreamedBytes(p, device), device);
  return cost.fixed_us + Overlapped(memory, waited, cost.norm) + (parts > 1 ? cost.part_us * parts : 0);
}

double PredictColumnsUs(const KernelRow& row, const Normalized& p, const Device& device, int parts) {
  return PredictColumnsUs(ColumnsCostOf(device), row, p, device, parts);
}

namespace {

struct CostTraits {
  using Constants = ColumnsCost;
  static constexpr const char* kName = "ampere/few/cost.h, ColumnsCost";
  static constexpr const auto& kFields = kColumnsCostFields;
  static constexpr const auto& kFeatures = correction::kFeatureNames;
  static const Constants& For(const Device& device) { return ColumnsCostOf(device); }
  static double PredictUs(const KernelRow& row, const Normalized& p, const Device& device,
                          const Constants& cost) {
    return PredictColumnsUs(cost, row, p, device, ColumnPartsOf(row, p, device));
  }
  static void GetFeatures(const KernelRow& row, const Normalized& p, const Device& device, float* features) {
    const correction::Features of = correction::Uncorrected(PredictUs(row, p, device, ColumnsCostOf(device)));
    std::copy(of.begin(), of.end(), features);
  }
};

}  // namespace

const dispatch::CostModel kColumnsModel = dispatch::CostModelOf<CostTraits>::kModel;

}  // namespace gemm::ampere::few
