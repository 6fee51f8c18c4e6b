// The mean of ratios.
#pragma once

#include <cmath>
#include <optional>

namespace gemm::tool::bench {

class GeometricMean {
 public:
  // A value that is not there does not count.
  void Add(std::optional<double> value) {
    if (!value) return;
    log_sum_ += std::log(*value);
    ++count_;
  }
  int count() const { return count_; }
  // NaN of none.
  double value() const { return std::exp(log_sum_ / count_); }

 private:
  double log_sum_ = 0;
  int count_ = 0;
};

}  // namespace gemm::tool::bench
