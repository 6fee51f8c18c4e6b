// The rows of small products: a warp for four elements of D (dot_kernel.cuh).
#pragma once

#include "common/dispatch/kernel.h"

namespace gemm::simt {

extern const dispatch::KernelFamily kDotFamily;

}  // namespace gemm::simt
