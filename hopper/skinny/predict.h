// Predicted times of the skinny kernels: rounds of tiles, each as long as about the longest of the way from memory, the way into the SM,
// issuing the wgmma, the power limit, and the FLOP at that limit; behind each its epilogue and exchange. split.cc asks for every way to
// cut a problem.
#pragma once

#include "common/dispatch/kernel.h"
#include "common/problem/problem.h"
#include "hopper/skinny/cost.h"
#include "hopper/skinny/split.h"

namespace gemm::hopper::skinny {

// Whose stages have twice the K that most others' have: predictions tell them apart.
inline bool HasLongSteps(const dispatch::KernelRow& row) { return row.tile.k == 256; }

// Microseconds, launch included, without the correction (common/correction/correction.h). Of `split` all but the microseconds is read.
double PredictUs(const CostConstants& cost, const Split& split, const dispatch::KernelRow& row,
                 const problem::Normalized& problem, const dispatch::Device& device);

}  // namespace gemm::hopper::skinny
