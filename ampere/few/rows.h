// The rows of the table for products with few rows.
#pragma once

#include <vector>

#include "common/dispatch/kernel.h"

namespace gemm::ampere::few {

std::vector<dispatch::KernelRow> Rows();

}  // namespace gemm::ampere::few
