// The predicted times of kernels for few rows as the choice and `gemm calibrate` ask for them.
#pragma once

#include "common/dispatch/cost_model.h"
#include "common/dispatch/device.h"
#include "common/dispatch/kernel.h"
#include "common/problem/problem.h"

namespace gemm::ampere::few {

// The model behind PredictMicroseconds: that without the correction.
extern const dispatch::CostModel kFewModel;

// KernelFamily::predict_us. Corrected where the device is a Hopper GPU (common/correction/correction.h).
double PredictMicroseconds(const dispatch::KernelRow& row, const problem::Normalized& p,
                           const dispatch::Device& device);

}  // namespace gemm::ampere::few
