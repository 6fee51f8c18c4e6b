// How long a row of the Ampere backend takes, by the tiles' pace (docs/perf/ampere.md).
#pragma once

#include "common/dispatch/device.h"
#include "common/dispatch/kernel.h"
#include "common/problem/problem.h"

namespace gemm::ampere {

// Microseconds where the row cuts K into `parts`: 1 for rows that do not. For what all of Reject's reasons but the number of parts accept.
double PredictPartsUs(const dispatch::KernelRow& row, const problem::Normalized& problem,
                      const dispatch::Device& device, int parts);

}  // namespace gemm::ampere
