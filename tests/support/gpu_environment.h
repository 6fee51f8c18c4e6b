// What the GPU test binaries share: is there a GPU, and which.
#pragma once

#include <string>

#include "common/dispatch/device.h"
#include "tools/gpu/gpu.h"

namespace gemm::tests {

// "" when device 0 can be used, else one line for GTEST_SKIP.
std::string WhyNoGpu();

// As above, and its compute capability is at least `least` (90), or exactly of that major version.
std::string WhyNoGpu(int least, bool only_this_major);

// Device 0, its primary context current on this thread. Call only where WhyNoGpu() is empty; ends the process
// with a line when the driver fails all the same.
struct Gpu {
  dispatch::Device device;
  gpu::Context context;
};
Gpu OpenGpu();

// The value of an environment variable, or the default.
std::string FromEnvironment(const char* name, const std::string& fallback);
long long NumberFromEnvironment(const char* name, long long fallback);

}  // namespace gemm::tests
