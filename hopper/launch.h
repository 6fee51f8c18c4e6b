// What the rows of this backend share: conditions, prediction, launch (dispatch::KernelFamily's functions).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "common/dispatch/kernel.h"

namespace gemm::hopper {

// Whether the copy engine can address an input: rows and matrices at multiples of 16 bytes, less than 2^40 apart.
bool TmaTakesInput(const problem::Input& input, DataType type);

std::optional<std::string> Reject(const dispatch::KernelRow& row, const problem::Normalized& problem,
                                  const dispatch::Device& device);

std::size_t WorkspaceBytes(const dispatch::KernelRow& row, const problem::Normalized& problem,
                           const dispatch::Device& device);

double PredictMicroseconds(const dispatch::KernelRow& row, const problem::Normalized& problem,
                           const dispatch::Device& device);

Status Prepare(const dispatch::KernelRow& row, const problem::Normalized& problem,
               const dispatch::Device& device, const PlanOptions& options, driver::Kernel kernel,
               std::unique_ptr<const dispatch::Launcher>* launcher);

}  // namespace gemm::hopper
