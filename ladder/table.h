// The ladder's results as a table for the console.
#pragma once

#include <string>

#include "tools/gemm/bench/case.h"

namespace gemm::ladder {

// One line for libgemm, one for each rung, two for cuBLASLt, with the published figures beside.
std::string Table(const tool::bench::CaseResult& result);

}  // namespace gemm::ladder
