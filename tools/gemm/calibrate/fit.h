// Fits a model's constants to times.
#pragma once

#include <vector>

#include "tools/gemm/calibrate/measurements.h"

namespace gemm::tool::calibrate {

struct Fit {
  const dispatch::CostModel* model;
  std::size_t times = 0;  // that the constants were fitted to
  std::vector<double> before;
  std::vector<double> after;
  double deviation_before = 0;  // root mean square of the logarithms of predicted over measured, about 0
  double deviation_after = 0;
};

// The models of the rows that were timed, in the registry's order.
std::vector<const dispatch::CostModel*> ModelsOf(const std::vector<TimedProduct>& products);

// Least squares of the logarithms of predicted over measured times of the rows that have this model. The unknowns are the
// logarithms of the constants, so constants keep their sign. Each is held near the device's by a residual of
// kHold times its change: one that the times do not tell stays where it is.
inline constexpr double kHold = 0.1;
Fit FitModel(const dispatch::CostModel& model, const std::vector<TimedProduct>& products,
             const dispatch::Device& device);

}  // namespace gemm::tool::calibrate
