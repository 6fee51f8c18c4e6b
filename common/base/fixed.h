// Decimal text of a number.
#pragma once

#include <string>

namespace gemm::base {

// `value` with `decimals` digits, up to 20, behind a point: a point in every locale, because what the library writes it also reads and compares.
// printf and streams would follow LC_NUMERIC, which is the program's.
std::string Fixed(double value, int decimals);

}  // namespace gemm::base
