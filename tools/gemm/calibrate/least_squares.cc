#include "tools/gemm/calibrate/least_squares.h"

#include <Eigen/Core>
// MINPACK's algorithm; it needs Eigen's modules above it.
#include <unsupported/Eigen/NonLinearOptimization>
#include <unsupported/Eigen/NumericalDiff>

namespace gemm::tool::calibrate {
namespace {

using Residuals = std::function<void(const Vector& x, Vector* residuals)>;

// As Eigen wants it.
struct Functor {
  using Scalar = double;
  using InputType = Eigen::VectorXd;
  using ValueType = Eigen::VectorXd;
  using JacobianType = Eigen::MatrixXd;
  enum { InputsAtCompileTime = Eigen::Dynamic, ValuesAtCompileTime = Eigen::Dynamic };

  int inputs() const { return unknowns; }
  int values() const { return count; }
  int operator()(const InputType& x, ValueType& f) const {
    Vector residuals(static_cast<std::size_t>(count));
    (*function)(Vector(x.begin(), x.end()), &residuals);
    f = Eigen::Map<const Eigen::VectorXd>(residuals.data(), count);
    return 0;
  }

  const Residuals* function;
  int unknowns;
  int count;
};

}  // namespace

Vector LeastSquares(const Residuals& residuals, std::size_t count, const Vector& start) {
  Eigen::NumericalDiff<Functor> functor(
      Functor{&residuals, static_cast<int>(start.size()), static_cast<int>(count)});
  Eigen::LevenbergMarquardt<Eigen::NumericalDiff<Functor>> solver(functor);
  solver.parameters.maxfev = 2000;
  Eigen::VectorXd x = Eigen::Map<const Eigen::VectorXd>(start.data(), static_cast<Eigen::Index>(start.size()));
  // Its status tells why it stopped; where it stopped is the best that it found, whatever the reason.
  solver.minimize(x);
  return Vector(x.begin(), x.end());
}

}  // namespace gemm::tool::calibrate
