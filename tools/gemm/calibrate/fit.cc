#include "tools/gemm/calibrate/fit.h"

#include <algorithm>
#include <cmath>

#include "common/dispatch/registry.h"
#include "tools/gemm/calibrate/least_squares.h"

namespace gemm::tool::calibrate {
namespace {

// A prediction that is off by more, or no number, counts as this.
constexpr double kMostLog = 20;

struct Sample {
  const dispatch::KernelRow* row;
  const problem::Normalized* problem;
  double us;  // without the correction of predictions
};

class Fitting {
 public:
  Fitting(const dispatch::CostModel& model, const std::vector<TimedProduct>& products,
          const dispatch::Device& device)
      : model_(model), device_(device), start_(model.count) {
    for (const TimedProduct& product : products) {
      for (const TimedRow& timed : product.rows) {
        if (timed.row->family->model != &model) continue;
        const double correction = CorrectionOf(*timed.row, product.normalized, device);
        samples_.push_back({timed.row, &product.normalized, timed.us / correction});
      }
    }
    model.get(device, start_.data());
  }

  Fit Run() const {
    Fit fit = {&model_, samples_.size(), start_, start_};
    if (samples_.empty()) return fit;
    const auto residuals = [this](const Vector& x, Vector* out) {
      Logs(At(x), out);
      for (std::size_t i = 0; i < x.size(); ++i) (*out)[samples_.size() + i] = kHold * x[i];
    };
    fit.after = At(LeastSquares(residuals, samples_.size() + model_.count, Vector(model_.count, 0.0)));
    fit.deviation_before = Deviation(fit.before);
    fit.deviation_after = Deviation(fit.after);
    return fit;
  }

 private:
  // `x` are logarithms of factors. 0 stays 0: its logarithm is none.
  Vector At(const Vector& x) const {
    Vector constants = start_;
    for (std::size_t i = 0; i < x.size(); ++i) constants[i] *= std::exp(std::clamp(x[i], -kMostLog, kMostLog));
    return constants;
  }

  void Logs(const Vector& constants, Vector* out) const {
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      const Sample& sample = samples_[i];
      const double us = model_.predict_us(*sample.row, *sample.problem, device_, constants.data());
      const double log = std::log(us / sample.us);
      (*out)[i] = std::isfinite(log) ? std::clamp(log, -kMostLog, kMostLog) : kMostLog;
    }
  }

  double Deviation(const Vector& constants) const {
    Vector logs(samples_.size());
    Logs(constants, &logs);
    double squares = 0;
    for (const double log : logs) squares += log * log;
    return std::sqrt(squares / static_cast<double>(logs.size()));
  }

  const dispatch::CostModel& model_;
  const dispatch::Device& device_;
  std::vector<Sample> samples_;
  Vector start_;
};

}  // namespace

std::vector<const dispatch::CostModel*> ModelsOf(const std::vector<TimedProduct>& products) {
  std::vector<const dispatch::CostModel*> models;
  for (const dispatch::KernelRow* row : dispatch::Registry()) {
    const dispatch::CostModel* const model = row->family->model;
    const auto has_row = [&](const TimedProduct& product) {
      return std::any_of(product.rows.begin(), product.rows.end(),
                         [&](const TimedRow& timed) { return timed.row->family->model == model; });
    };
    if (model == nullptr || std::find(models.begin(), models.end(), model) != models.end()) continue;
    if (std::any_of(products.begin(), products.end(), has_row)) models.push_back(model);
  }
  return models;
}

Fit FitModel(const dispatch::CostModel& model, const std::vector<TimedProduct>& products,
             const dispatch::Device& device) {
  return Fitting(model, products, device).Run();
}

}  // namespace gemm::tool::calibrate
