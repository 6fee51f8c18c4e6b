// Nonlinear least squares.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace gemm::tool::calibrate {

using Vector = std::vector<double>;

// Where the sum of squares of `residuals` (`count` of them, written to its second argument) is least, by Levenberg and
// Marquardt's method from `start`, with derivatives by differences. A local minimum. All numbers must stay finite.
Vector LeastSquares(const std::function<void(const Vector& x, Vector* residuals)>& residuals, std::size_t count,
                    const Vector& start);

}  // namespace gemm::tool::calibrate
