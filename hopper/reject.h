// Which problems the kernels of this backend can run.
#pragma once

#include <optional>
#include <string>

#include "common/dispatch/kernel.h"

namespace gemm::hopper {

// What every kernel of this backend asks of the device, the types, the sizes and both inputs.
std::optional<std::string> RejectInputs(const dispatch::KernelRow& row, const problem::Normalized& problem,
                                        const dispatch::Device& device);

// KernelFamily::reject of the rows of kernels.inc.
std::optional<std::string> Reject(const dispatch::KernelRow& row, const problem::Normalized& problem,
                                  const dispatch::Device& device);

}  // namespace gemm::hopper
