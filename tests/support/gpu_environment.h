// What the GPU test binaries share: is there a GPU, and which.
#pragma once

#include <string>

#include "common/dispatch/device.h"
#include "tools/gpu/gpu.h"

namespace gemm::tests {

// `reason`, or "", for GTEST_SKIP. Where GEMM_MUST_HAVE_GPU=1, as on the emulated GPU, a reason ends the process with it instead: a
// test that skips there would be called passed, and would have tested nothing.
std::string ReasonToSkip(std::string reason);

// "" when device 0 can be used, else a ReasonToSkip.
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
