// The launch of a tiled row.
#pragma once

#include <memory>

#include "common/base/status.h"
#include "common/dispatch/kernel.h"

namespace gemm::hopper {

// KernelFamily::prepare of the rows of kernels.inc without parallel split K's second launch. *parts: those of K where all tiles are cut alike;
// else 0.
Status PrepareProduct(const dispatch::KernelRow& row, const problem::Normalized& problem,
                      const dispatch::Device& device, const PlanOptions& options, driver::Kernel kernel,
                      std::unique_ptr<const dispatch::Launcher>* launcher, unsigned* parts);

// KernelFamily::prepare of the rows of kernels.inc.
Status Prepare(const dispatch::KernelRow& row, const problem::Normalized& problem,
               const dispatch::Device& device, const PlanOptions& options, driver::Kernel kernel,
               std::unique_ptr<const dispatch::Launcher>* launcher);

// A kernel that is launched beside a row's own, on the current device. It has no dynamic shared memory.
Status FindHelper(const driver::Image& image, const char* source, const char* symbol, driver::Kernel* kernel);

}  // namespace gemm::hopper
