// Single instructions on a GPU, real or emulated: what they give, as words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gemm/status.h"

namespace gemm::recorded {

struct Experiment {
  std::string name;
  // Words are FP32 that may differ by `tolerance` (absolute); 0: bits that must be equal.
  double tolerance = 0;
  // Runs it on device 0 in the current context.
  Status (*run)(const Experiment& experiment, std::vector<std::uint32_t>* words) = nullptr;
  int index = 0;  // run()'s own
};

// Every experiment, names unique.
const std::vector<Experiment>& Experiments();

}  // namespace gemm::recorded
