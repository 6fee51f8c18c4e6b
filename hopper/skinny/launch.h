// Conditions, prediction and launch of the skinny rows (dispatch::KernelFamily's functions).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "common/dispatch/cost_model.h"
#include "common/dispatch/kernel.h"

namespace gemm::hopper::skinny {

std::optional<std::string> Reject(const dispatch::KernelRow& row, const problem::Normalized& problem,
                                  const dispatch::Device& device);

// The model behind PredictMicroseconds.
extern const dispatch::CostModel kSkinnyModel;

double PredictMicroseconds(const dispatch::KernelRow& row, const problem::Normalized& problem,
                           const dispatch::Device& device);

Status Prepare(const dispatch::KernelRow& row, const problem::Normalized& problem,
               const dispatch::Device& device, const PlanOptions& options, driver::Kernel kernel,
               std::unique_ptr<const dispatch::Launcher>* launcher);

}  // namespace gemm::hopper::skinny
