// main() of gpu_api_test: the library's public functions on a real GPU. Without one, a single line says why all
// is skipped.
#include <gtest/gtest.h>

#include <optional>

#include "tests/support/dynamic_test.h"
#include "tests/support/gpu_environment.h"

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const std::string reason = gemm::tests::WhyNoGpu(80, false);
  std::optional<gemm::tests::Gpu> gpu;  // the primary context is current on this thread throughout
  if (reason.empty()) {
    gpu = gemm::tests::OpenGpu();
  } else {
    gemm::tests::RegisterDynamicTest("gpu_api", "all",
                                     [reason] { GTEST_SKIP() << reason << ": gpu_api_test skipped"; });
    ::testing::GTEST_FLAG(filter) = "gpu_api.all";
  }
  return RUN_ALL_TESTS();
}
