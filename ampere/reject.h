// What the rows of the Ampere backend cannot run.
#pragma once

#include <optional>
#include <string>

#include "common/dispatch/device.h"
#include "common/dispatch/kernel.h"
#include "common/problem/problem.h"

namespace gemm::ampere {

// KernelFamily::reject of all tiled rows.
std::optional<std::string> Reject(const dispatch::KernelRow& row, const problem::Normalized& problem,
                                  const dispatch::Device& device);

}  // namespace gemm::ampere
