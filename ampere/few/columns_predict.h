// The predicted times of the kernels for few rows times a matrix that lies by columns.
#pragma once

#include "ampere/few/cost.h"
#include "common/dispatch/cost_model.h"
#include "common/dispatch/device.h"
#include "common/dispatch/kernel.h"
#include "common/problem/problem.h"

namespace gemm::ampere::few {

// Of one launch, with K in `parts` parts.
double PredictColumnsUs(const ColumnsCost& cost, const dispatch::KernelRow& row, const problem::Normalized& p,
                        const dispatch::Device& device, int parts);
double PredictColumnsUs(const dispatch::KernelRow& row, const problem::Normalized& p,
                        const dispatch::Device& device, int parts);

extern const dispatch::CostModel kColumnsModel;

}  // namespace gemm::ampere::few
