#include "ampere/few/ring_predict.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "ampere/few/predict.h"
#include "ampere/few/slices.h"
#include "common/base/data_type.h"
#include "common/correction/features.h"
#include "common/dispatch/cost.h"
#include "common/dispatch/row_start.h"

namespace gemm::ampere::few {
namespace {

using dispatch::Device;
using dispatch::KernelRow;
using problem::Normalized;

// Of memory's time, beside an SM's loads.
double ShownOfMemory(const RingCost& cost, const KernelRow& row, const Normalized& p) {
  const std::int64_t element = base::ElementBytes(p.input_type);
  const double part = dispatch::ByRowStart(WideInput(p).ld * element, cost.line_rows, cost.two_line_rows,
                                           cost.five_sector_rows);
  if (row.b_major == problem::Major::kK) return part;
  return part * (row.tile.n * element <= 32 ? cost.quarter_lines : cost.half_lines);
}

// Code for other architectures has no griddepcontrol.
double WonEarlyUs(const RingCost& cost, const KernelRow& row, const Normalized& p, const Device& device,
                  double ctas, double steps) {
  if (device.compute_capability() != 90 || !WideInput(p).readable_early) return 0;
  if (ctas > static_cast<double>(CtasAtOnce(row, device))) return 0;
  return steps <= row.stages || ctas <= 0.5 * device.sm_count ? cost.early_us : -cost.crowded_us;
}

struct CostTraits {
  using Constants = RingCost;
  static constexpr const char* kName = "ampere/few/cost.h, RingCost";
  static constexpr const auto& kFields = kRingCostFields;
  static constexpr const auto& kFeatures = correction::kFeatureNames;
  static const Constants& For(const Device& device) { return RingCostOf(device); }
  static double PredictUs(const KernelRow& row, const Normalized& p, const Device& device,
                          const Constants& cost) {
    return PredictRingUs(cost, row, p, device);
  }
  static void GetFeatures(const KernelRow& row, const Normalized& p, const Device& device, float* features) {
    const correction::Features of = correction::Uncorrected(PredictRingUs(row, p, device));
    std::copy(of.begin(), of.end(), features);
  }
};

}  // namespace

double PredictRingUs(const RingCost& cost, const KernelRow& row, const Normalized& p, const Device& device) {
  const int bits = SliceBits(row, p, device);
  const auto ctas = static_cast<double>(Ctas(row, p, bits));
  const auto sms = static_cast<double>(std::max(device.sm_count, 1));
  const double rounds = std::ceil(ctas / static_cast<double>(CtasAtOnce(row, device)));
  const double mean = std::max(1.0, ctas / sms);
  const double of_sm = mean + cost.uneven * (std::ceil(ctas / sms) - mean);
  const double bytes = static_cast<double>(row.tile.m + row.tile.n) * static_cast<double>(p.k) *
                       static_cast<double>(base::ElementBytes(p.input_type));
  const double loads_us = of_sm * bytes / (cost.bytes_per_clock * std::max(device.sm_clock_mhz, 1.0));
  const double memory_us = dispatch::MemoryUs(StreamedBytes(p, device), device);
  const double sums_us = cost.sums_us / 1024 * row.tile.m * row.tile.n;
  const auto steps = static_cast<double>(Turns(row, p, bits));
  const double next_us = cost.next_step_us * steps;
  return cost.fixed_us + std::max(memory_us, memory_us * ShownOfMemory(cost, row, p) + loads_us) +
         rounds * sums_us + std::max(rounds - 1, 0.0) * next_us - WonEarlyUs(cost, row, p, device, ctas, steps);
}

double PredictRingUs(const KernelRow& row, const Normalized& p, const Device& device) {
  return PredictRingUs(RingCostOf(device), row, p, device);
}

const dispatch::CostModel kRingModel = dispatch::CostModelOf<CostTraits>::kModel;

}  // namespace gemm::ampere::few
