#include "tools/gemm/calibrate/measurements.h"

#include <algorithm>
#include <cmath>

#include "common/dispatch/registry.h"

namespace gemm::tool::calibrate {

Status NormalizeProduct(TimedProduct* product) {
  PlanOptions options;
  options.programmatic_launch = options.constant_b = product->b_early;
  return problem::Normalize(product->problem, options, &product->normalized);
}

double Predictor::Us(const dispatch::KernelRow& row, const problem::Normalized& problem) const {
  const auto replaced = constants_.find(row.family->model);
  if (row.family->model == nullptr || replaced == constants_.end())
    return row.family->predict_us(row, problem, device_);
  return CorrectionOf(row, problem, device_) *
         row.family->model->predict_us(row, problem, device_, replaced->second.data());
}

double CorrectionOf(const dispatch::KernelRow& row, const problem::Normalized& problem,
                    const dispatch::Device& device) {
  const dispatch::CostModel& model = *row.family->model;
  std::vector<double> constants(model.count);
  model.get(device, constants.data());
  return row.family->predict_us(row, problem, device) /
         model.predict_us(row, problem, device, constants.data());
}

Regret Judge(const std::vector<TimedProduct>& products, const Predictor& predictor) {
  Regret regret;
  double logs = 0;
  for (const TimedProduct& product : products) {
    if (product.rows.empty()) continue;
    Loss loss = {&product, &product.rows.front(), &product.rows.front()};
    double least = predictor.Us(*loss.chosen->row, product.normalized);
    for (const TimedRow& timed : product.rows) {
      const double predicted = predictor.Us(*timed.row, product.normalized);
      if (predicted < least) {
        least = predicted;
        loss.chosen = &timed;
      }
      if (timed.us < loss.best->us) loss.best = &timed;
    }
    logs += std::log(loss.ratio());
    regret.losses.push_back(loss);
  }
  if (!regret.losses.empty()) regret.mean = std::exp(logs / static_cast<double>(regret.losses.size()));
  std::stable_sort(regret.losses.begin(), regret.losses.end(),
                   [](const Loss& a, const Loss& b) { return a.ratio() > b.ratio(); });
  return regret;
}

std::vector<Residual> ResidualsOf(const std::vector<TimedProduct>& products, const Predictor& predictor) {
  std::map<const dispatch::KernelRow*, std::vector<double>> logs;
  for (const TimedProduct& product : products) {
    for (const TimedRow& timed : product.rows)
      logs[timed.row].push_back(std::log(timed.us / predictor.Us(*timed.row, product.normalized)));
  }
  std::vector<Residual> residuals;
  for (const dispatch::KernelRow* row : dispatch::Registry()) {
    const auto found = logs.find(row);
    if (found == logs.end()) continue;
    double sum = 0, squares = 0;
    for (const double log : found->second) {
      sum += log;
      squares += log * log;
    }
    const auto count = static_cast<double>(found->second.size());
    residuals.push_back({row, found->second.size(), std::exp(sum / count), std::sqrt(squares / count)});
  }
  return residuals;
}

}  // namespace gemm::tool::calibrate
