// Host side of the kernels for few rows: what they can run, how long that takes, and how they are launched. The functions of
// dispatch::KernelFamily, which says what they promise.
#pragma once

#include "common/dispatch/kernel.h"

namespace gemm::ampere::few {

// KernelRow::tile is {rows of the short operand at most, rows, or columns, of the longer one that a warp takes, K of a stage}; the longer one is
// A or B. KernelRow::variant is the number of CTAs of an SM that the kernel is compiled for (__launch_bounds__), and
// the bits of config.h.
extern const dispatch::KernelFamily kFamily;
// The same of rows that another model predicts (ring_predict.h).
extern const dispatch::KernelFamily kRingFamily;

}  // namespace gemm::ampere::few
