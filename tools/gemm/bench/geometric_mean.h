// The mean of ratios.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

namespace gemm::tool::bench {

class GeometricMean {
 public:
  // A value that is not there does not count.
  void Add(std::optional<double> value) {
    if (!value) return;
    const double log = std::log(*value);
    log_sum_ += log;
    squares_ += log * log;
    ++count_;
  }
  int count() const { return count_; }
  // NaN of none.
  double value() const { return std::exp(log_sum_ / count_); }
  // By how much it would scatter if other values like these were taken: the standard deviation of their logarithms over the root of their
  // number. NaN of less than two.
  double deviation() const {
    const double mean = log_sum_ / count_;
    return std::sqrt(std::max(0.0, squares_ / count_ - mean * mean) / (count_ - 1));
  }

 private:
  double log_sum_ = 0;
  double squares_ = 0;
  int count_ = 0;
};

}  // namespace gemm::tool::bench
