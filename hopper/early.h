// What programmatic dependent launch wins for a kernel that may read its weights before its predecessor has finished.
#pragma once

#include <algorithm>

#include "common/dispatch/device.h"

namespace gemm::hopper {

// Microseconds won by asking for `bytes` of weights early: the time that they take from memory, and no more than most_us, which is
// what there is to wait.
inline double EarlyUs(double bytes, double most_us, const dispatch::Device& device) {
  return std::min(bytes / (std::max(device.memory_bandwidth_gbs, 1.0) * 1e3), most_us);
}

}  // namespace gemm::hopper
