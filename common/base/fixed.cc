#include "common/base/fixed.h"

#include <charconv>
#include <limits>

namespace gemm::base {

std::string Fixed(double value, int decimals) {
  // The largest number's digits, a sign, a point and the decimals.
  char text[std::numeric_limits<double>::max_exponent10 + 1 + 2 + 20];
  const std::to_chars_result end =
      std::to_chars(text, text + sizeof(text), value, std::chars_format::fixed, decimals);
  return std::string(text, end.ptr);
}

}  // namespace gemm::base
