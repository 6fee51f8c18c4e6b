// Rows that run another row on packed copies of the operands that TMA cannot address.
#pragma once

#include <vector>

#include "common/dispatch/kernel.h"

namespace gemm::hopper {

// `table`, followed by a row for each of its rows that is to run on packed copies too (packed.cc lists them): the
// same kernel under the name with "_packed" behind it. `table` and the result must live as long as the process.
std::vector<dispatch::KernelRow> WithPackedRows(dispatch::KernelTable table);

}  // namespace gemm::hopper
