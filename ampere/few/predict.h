// The predicted time of a kernel for few rows.
#pragma once

#include "ampere/few/cost.h"
#include "common/dispatch/device.h"
#include "common/dispatch/kernel.h"
#include "common/problem/problem.h"

namespace gemm::ampere::few {

// What comes from memory and goes there. CTAs walk the batch outermost, so one matrix for all of it comes again where the L2 cannot
// hold it.
double StreamedBytes(const problem::Normalized& p, const dispatch::Device& device);

// Two times that run side by side: with a norm of 1 not at all, with an infinite one the longer.
double Overlapped(double a, double b, double norm);

// Microseconds, launch included, without the correction (common/correction/correction.h).
double PredictUs(const CostConstants& cost, const dispatch::KernelRow& row, const problem::Normalized& p,
                 const dispatch::Device& device);

}  // namespace gemm::ampere::few
