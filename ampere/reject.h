// What the rows of the Ampere backend cannot run.
#pragma once

#include <optional>
#include <string>

#include "common/dispatch/device.h"
#include "common/dispatch/kernel.h"
#include "common/problem/problem.h"
#include "gemm/types.h"

namespace gemm::ampere {

// What every row asks for, those for few rows too: that the product is to be computed as `compute`, the inputs' type, and room for its
// shared memory. As KernelFamily::reject.
std::optional<std::string> RejectKernel(const dispatch::KernelRow& row, const problem::Normalized& problem,
                                        const dispatch::Device& device, ComputeType compute);

// KernelFamily::reject of all tiled rows.
std::optional<std::string> Reject(const dispatch::KernelRow& row, const problem::Normalized& problem,
                                  const dispatch::Device& device);

}  // namespace gemm::ampere
