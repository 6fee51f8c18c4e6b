// The cells that tables of reports share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gemm/gemm.h"

namespace gemm::tool::bench {

// By a format of {fmt}; `absent` where there is no value, or none above 0.
std::string Number(std::optional<double> value, const char* format, const char* absent);

// "bf16", "bf16>fp32".
std::string TypesText(const Problem& problem);

// The fields with commas between them, quoted where they must be, and the line's end.
std::string CsvLine(const std::vector<std::string>& fields);

}  // namespace gemm::tool::bench
