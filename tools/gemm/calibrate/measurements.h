// Times of many rows on many products, and how well predictions fit them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/dispatch/cost_model.h"
#include "common/dispatch/device.h"
#include "common/dispatch/kernel.h"
#include "common/problem/problem.h"
#include "gemm/gemm.h"

namespace gemm::tool::calibrate {

struct TimedRow {
  const dispatch::KernelRow* row;
  double us;
};

struct TimedProduct {
  Problem problem;
  bool b_early = false;  // timed in programmatic launches, B declared constant
  problem::Normalized normalized;
  std::vector<TimedRow> rows;  // in the registry's order
};

// Fills product->normalized from what stands before it.
Status NormalizeProduct(TimedProduct* product);

struct Measurements {
  dispatch::Device device;
  std::vector<std::pair<std::string, std::string>> circumstances;  // name and text, for people
  std::vector<TimedProduct> products;
};

// KernelFamily::predict_us of a row that has a model, over what the model predicts: the factor that other constants leave as it is.
double CorrectionOf(const dispatch::KernelRow& row, const problem::Normalized& problem,
                    const dispatch::Device& device);

// Predictions on a device, some models with other constants than the device's.
class Predictor {
 public:
  explicit Predictor(const dispatch::Device& device) : device_(device) {}
  void Replace(const dispatch::CostModel* model, std::vector<double> constants) {
    constants_[model] = std::move(constants);
  }
  double Us(const dispatch::KernelRow& row, const problem::Normalized& problem) const;

 private:
  dispatch::Device device_;
  std::map<const dispatch::CostModel*, std::vector<double>> constants_;
};

// What the predicted choice loses: its time over the best row's, of the rows that were timed.
struct Loss {
  const TimedProduct* product;
  const TimedRow* chosen;
  const TimedRow* best;
  double ratio() const { return chosen->us / best->us; }
};

struct Regret {
  double mean = 1;           // geometric
  std::vector<Loss> losses;  // of every product, the greatest first
};

Regret Judge(const std::vector<TimedProduct>& products, const Predictor& predictor);

// Measured over predicted times.
struct Residual {
  const dispatch::KernelRow* row;
  std::size_t times = 0;
  double ratio = 1;      // geometric mean
  double deviation = 0;  // root mean square of the logarithms, about 0
};

// By row, in the registry's order.
std::vector<Residual> ResidualsOf(const std::vector<TimedProduct>& products, const Predictor& predictor);

}  // namespace gemm::tool::calibrate
