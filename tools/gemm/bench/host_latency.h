// What a Run costs on the host.
#pragma once

#include <cstdint>
#include <string>

#include "gemm/gemm.h"

namespace gemm::tool::bench {

struct HostLatency {
  std::string kernel;
  int calls = 0;
  double median_us = 0;
  double p90_us = 0;
  double p99_us = 0;
  double clock_us = 0;  // of reading the clock twice, which each call's time includes
};

// Plan::Run at M = 1, n = k = 4096, BF16, B as [n, k]: `calls` calls timed one by one, the stream drained
// between chunks so that a full launch queue never makes a call wait. gemm::Gemm through its plan cache when
// `one_call`: of `options`, that goes by the device alone.
Status MeasureHostLatency(const PlanOptions& options, bool one_call, HostLatency* result);

}  // namespace gemm::tool::bench
