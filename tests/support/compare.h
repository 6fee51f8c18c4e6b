// Comparison of a computed D with the oracle. Shared by the tests and by tools/gemm.
#pragma once

#include <cstdint>
#include <string>

#include "tests/support/oracle.h"

namespace gemm::tests {

struct CheckReport {
  std::int64_t checked = 0;    // elements
  std::int64_t judged = 0;     // of them, those of which a value is promised: CheckBound
  std::int64_t wrong = 0;      // of them, outside the bound, or a NaN where a number was due, ...
  std::int64_t unwritten = 0;  // of the wrong ones: still the poison they were filled with
  // The element with the largest error in units of its bound (a wrong special value counts as infinitely far).
  double worst_ratio = 0;
  std::int64_t worst_batch = 0, worst_row = 0, worst_col = 0;
  double worst_got = 0, worst_expected = 0, worst_bound = 0;
  double max_error = 0;  // largest |error| of a finite element

  std::int64_t not_judged() const { return checked - judged; }
  bool ok() const { return judged > 0 && wrong == 0; }
  // One line: "3 of 4096 elements wrong (3 unwritten); worst D[0][5, 7] = 1.5, expected 1.25, bound 0.01".
  std::string ToString() const;
};

// The promise of gemm.h: |error| <= c (K + 2) u (|alpha| |A| |B| + |beta| |C|) + u_out |D|, u = 2^-24, c =
// kErrorConstant (the factor of the magnitudes larger by OperandError), with (K + 2) 2^-149 and half of D's smallest subnormal added for underflow. A NaN must be a NaN, an infinity the same infinity; a finite value beyond D's range may be an infinity
// or the largest number. An element whose sum of magnitudes passes FP32's range is not judged, but must have been written.
CheckReport CheckBound(const Expected& expected, const View& d, double error_constant = kErrorConstant);

// For exact products (IsExactProduct): D is the expected value rounded once to D's type, bit for bit but for
// the sign of zero.
CheckReport CheckExact(const Expected& expected, const View& d);

// The bound for one element, as used above.
double ErrorBound(double value, double magnitude, std::int64_t k, DataType output, double operand_error = 0,
                  double error_constant = kErrorConstant);

}  // namespace gemm::tests
