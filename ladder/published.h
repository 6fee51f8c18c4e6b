// The figures of published.json.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gemm/gemm.h"

namespace gemm::ladder {

struct Figure {
  std::string id;
  DataType type = DataType::kFP32;
  std::int64_t m = 0, n = 0, k = 0;
  std::optional<double> tflops;
  std::optional<double> percent_of_cublas;
  std::string machine;  // its full name
};

const std::vector<Figure>& Published();

// The figure of this id and type: at this size if there is one, else the first at another. Null without.
const Figure* FindFigure(const std::string& id, const Problem& problem);

// "26.2 TFLOP/s (82.6%) at 4096 on NVIDIA ..."; "-" for null.
std::string ToString(const Figure* figure);

}  // namespace gemm::ladder
