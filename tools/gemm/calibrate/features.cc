#include "tools/gemm/calibrate/features.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <string>
#include <vector>

#include "tools/gemm/problem.h"
#include "tools/io/shapes.h"

namespace gemm::tool::calibrate {
namespace {

bool HasFeatures(const dispatch::KernelRow& row) { return row.family->model != nullptr; }

// Models with features have the same ones: they share one correction.
std::string Names(const Measurements& measurements) {
  std::string line = "device,product,layout,batch,row,us";
  for (const TimedProduct& product : measurements.products) {
    for (const TimedRow& timed : product.rows) {
      if (!HasFeatures(*timed.row)) continue;
      const dispatch::CostModel& model = *timed.row->family->model;
      for (std::size_t i = 0; i < model.feature_count; ++i) line += fmt::format(",{}", model.feature(i));
      return line + "\n";
    }
  }
  return line + "\n";
}

}  // namespace

std::string FeaturesCsv(const Measurements& measurements) {
  std::string csv = Names(measurements);
  std::vector<float> features;
  for (const TimedProduct& product : measurements.products) {
    const problem::Normalized& problem = product.normalized;
    const std::string layout = io::ToString(LayoutsOf(product.problem));
    for (const TimedRow& timed : product.rows) {
      fmt::format_to(std::back_inserter(csv), "{},{}x{}x{},{},{},{},{},", measurements.device.name, problem.m,
                     problem.n, problem.k, layout, product.problem.batch, timed.row->name, timed.us);
      if (HasFeatures(*timed.row)) {
        const dispatch::CostModel& model = *timed.row->family->model;
        features.resize(model.feature_count);
        model.get_features(*timed.row, problem, measurements.device, features.data());
        fmt::format_to(std::back_inserter(csv), "{}\n", fmt::join(features, ","));
      } else {
        const double us = timed.row->family->predict_us(*timed.row, problem, measurements.device);
        fmt::format_to(std::back_inserter(csv), "{}\n", std::log2(us));
      }
    }
  }
  return csv;
}

}  // namespace gemm::tool::calibrate
