// One layer, timed: ours and the rival's products, each alone and all of them in turn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/gemm/bench/case.h"
#include "tools/gemm/layer/layer.h"

namespace gemm::tool::layer {

// Ours or the rival's, who has times of all the graphs or of none.
struct SideResult {
  std::string failure;                      // why there are none
  bool wrong = false;                       // a result missed the error bound
  std::vector<bench::EntrantResult> alone;  // of each product
  bench::EntrantResult in_turn;             // its times are those of a turn of all products

  bool timed() const { return failure.empty() && !in_turn.round_us.empty(); }
  double AloneUs() const;  // the sum over the products
  double InTurnUs() const { return in_turn.MedianUs(); }
};

struct Operands {
  std::int64_t sets = 0;
  double footprint_bytes = 0;
};

struct LayerResult {
  Layer layer;
  std::string failure;  // nothing could be timed: why
  StatusCode failure_code = StatusCode::kOk;
  std::vector<Operands> operands;  // of each product
  SideResult ours;
  SideResult rival;

  std::size_t OurKernels() const;  // different ones
};

// Failures are in the result. `progress` is told the finished part.
LayerResult RunLayer(bench::Bench* bench, const Layer& layer, const std::function<void(double)>& progress);

}  // namespace gemm::tool::layer
