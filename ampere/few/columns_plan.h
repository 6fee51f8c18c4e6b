// Host side of the kernels for few rows times a matrix that lies by columns, as plan.h.
#pragma once

#include "common/dispatch/kernel.h"

namespace gemm::ampere::few {

// KernelRow::tile is {rows of the short operand at most, columns of the longer one that a CTA copies, K of a step}; the longer one is
// A or B. KernelRow::variant is the number of CTAs of an SM that the kernel is compiled for.
extern const dispatch::KernelFamily kColumnsFamily;

}  // namespace gemm::ampere::few
