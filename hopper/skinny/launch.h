// Conditions and launch of the skinny rows.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "common/dispatch/kernel.h"

namespace gemm::hopper::skinny {

// KernelFamily::reject.
std::optional<std::string> Reject(const dispatch::KernelRow& row, const problem::Normalized& problem,
                                  const dispatch::Device& device);

// KernelFamily::prepare.
Status Prepare(const dispatch::KernelRow& row, const problem::Normalized& problem,
               const dispatch::Device& device, const PlanOptions& options, driver::Kernel kernel,
               std::unique_ptr<const dispatch::Launcher>* launcher);

}  // namespace gemm::hopper::skinny
