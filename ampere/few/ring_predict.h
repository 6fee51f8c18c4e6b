// The predicted times of the kernels for few rows whose warps have rings, but for those of up to eight K-major rows, which have been timed and
// corrected longer (predict.h).
#pragma once

#include "ampere/few/cost.h"
#include "common/dispatch/cost_model.h"
#include "common/dispatch/device.h"
#include "common/dispatch/kernel.h"
#include "common/problem/problem.h"

namespace gemm::ampere::few {

double PredictRingUs(const RingCost& cost, const dispatch::KernelRow& row, const problem::Normalized& p,
                     const dispatch::Device& device);
// KernelFamily::predict_us.
double PredictRingUs(const dispatch::KernelRow& row, const problem::Normalized& p,
                     const dispatch::Device& device);

extern const dispatch::CostModel kRingModel;

}  // namespace gemm::ampere::few
