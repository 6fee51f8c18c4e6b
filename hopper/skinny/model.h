// The predicted time of a skinny row, as the choice and `gemm calibrate` ask for it.
#pragma once

#include "common/dispatch/cost_model.h"
#include "common/dispatch/kernel.h"

namespace gemm::hopper::skinny {

// The model behind PredictMicroseconds: that without the correction.
extern const dispatch::CostModel kSkinnyModel;

// KernelFamily::predict_us of the skinny rows.
double PredictMicroseconds(const dispatch::KernelRow& row, const problem::Normalized& problem,
                           const dispatch::Device& device);

}  // namespace gemm::hopper::skinny
