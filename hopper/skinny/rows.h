// The skinny rows of the table.
#pragma once

#include <vector>

#include "common/dispatch/kernel.h"

namespace gemm::hopper::skinny {

std::vector<dispatch::KernelRow> Rows();

}  // namespace gemm::hopper::skinny
