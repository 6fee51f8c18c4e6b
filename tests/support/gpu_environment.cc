#include "tests/support/gpu_environment.h"

#include <cstdio>
#include <cstdlib>

#include "common/dispatch/query.h"

namespace gemm::tests {

std::string ReasonToSkip(std::string reason) {
  if (!reason.empty() && FromEnvironment("GEMM_MUST_HAVE_GPU", "") == "1") {
    std::fprintf(stderr, "%s; GEMM_MUST_HAVE_GPU=1 lets no test be skipped for that\n", reason.c_str());
    std::exit(1);
  }
  return reason;
}

std::string WhyNoGpu() {
  const std::string reason = gpu::WhyNoGpu();
  return ReasonToSkip(reason.empty() ? "" : "no GPU here: " + reason);
}

std::string WhyNoGpu(int least, bool only_this_major) {
  if (std::string reason = WhyNoGpu(); !reason.empty()) return reason;
  dispatch::Device device;
  if (Status status = dispatch::QueryDevice(0, &device); !status.ok()) return ReasonToSkip(status.message());
  const int capability = device.compute_capability();
  if (capability >= least && (!only_this_major || capability / 10 == least / 10)) return "";
  const auto text = [](int value) { return std::to_string(value / 10) + "." + std::to_string(value % 10); };
  return ReasonToSkip(device.name + " has compute capability " + text(capability) + "; these kernels need " +
                      (only_this_major ? std::to_string(least / 10) + ".x" : text(least) + " or later"));
}

Gpu OpenGpu() {
  Gpu opened;
  Status status = dispatch::QueryDevice(0, &opened.device);
  if (status.ok()) status = gpu::Context::Primary(0, &opened.context);
  if (!status.ok()) {
    std::fprintf(stderr, "the GPU cannot be used: %s\n", status.message().c_str());
    std::exit(1);
  }
  return opened;
}

std::string FromEnvironment(const char* name, const std::string& fallback) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : fallback;
}

long long NumberFromEnvironment(const char* name, long long fallback) {
  const std::string text = FromEnvironment(name, "");
  if (text.empty()) return fallback;
  char* end = nullptr;
  const long long value = std::strtoll(text.c_str(), &end, 10);
  if (*end != '\0' || value < 0) {
    std::fprintf(stderr, "%s is \"%s\"; it must be a number, 0 or more\n", name, text.c_str());
    std::exit(2);
  }
  return value;
}

}  // namespace gemm::tests
