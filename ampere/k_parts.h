// Into how many parts a row of the Ampere backend cuts K.
#pragma once

#include "common/dispatch/device.h"
#include "common/dispatch/kernel.h"
#include "common/problem/problem.h"

namespace gemm::ampere {

// 1 for rows that do not cut it, 0 where a row that does has nothing to cut; of the others the number that is predicted to take least.
int PartsOf(const dispatch::KernelRow& row, const problem::Normalized& problem, const dispatch::Device& device);

}  // namespace gemm::ampere
