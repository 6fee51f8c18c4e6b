// One small product on every kernel, launched plainly and programmatically, verified, with allocations of the
// operands' exact sizes: what compute-sanitizer's memcheck and racecheck are run on.
//
//   run_all --only sanitizer_cases --wrap 'compute-sanitizer --tool memcheck --error-exitcode 9'
//   run_all --only sanitizer_cases --wrap 'compute-sanitizer --tool racecheck --error-exitcode 9'
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "common/dispatch/registry.h"
#include "tests/support/device_case.h"
#include "tests/support/dynamic_test.h"
#include "tests/support/gpu_environment.h"

namespace gemm::tests {
namespace {

// A few tiles with tails in every direction and more K blocks than stages; unaligned first, because a kernel
// that takes it has more to go wrong.
std::vector<std::string> LinesFor(const dispatch::KernelRow& row, const dispatch::Device& device) {
  const int m = std::max(row.tile.m * (row.cluster_m + 1) - 24, 8);
  const int n = std::max(row.tile.n * (row.cluster_n + 1) - 40, 8);
  const int k = row.tile.k * (row.stages + 1) + 8;
  std::string operands =
      std::string(" in=") + Name(row.input_type) + (row.a_major == problem::Major::kK ? " a=r" : " a=c") +
      (row.b_major == problem::Major::kK ? " b=c" : " b=r") + " alpha=0.5 beta=2 fill=integers";
  // FP32 rows of a backend with tensor cores multiply TF32.
  if (row.input_type == DataType::kFP32 && std::string(row.family->backend) == "ampere")
    operands += " compute=tf32";
  const auto sizes = [](int a, int b, int c) {
    return std::to_string(a) + " " + std::to_string(b) + " " + std::to_string(c);
  };
  // Few rows: the warps of a CTA take turns at K, and each has more than a ring of it.
  if (row.tile.m <= 8 || std::string(row.name).find("_few_") != std::string::npos) {
    const int long_k = row.tile.k * (row.stages + 1) * row.threads / 32 + 8;
    // A single row would be described as K-major, however it is stored.
    const int rows = row.a_major == problem::Major::kK ? row.tile.m : std::max(row.tile.m, 2);
    return {sizes(rows, 9 * row.tile.n - 1, long_k + 1) + operands + " ldb=+2 ldd=+1 batch=2",
            sizes(rows, 9 * row.tile.n - 1, long_k) + operands + " batch=2",
            sizes(rows, 9 * row.tile.n - 8, long_k) + operands + " batch=2"};
  }
  // Two tiles each, one or two more than the device has multiprocessors: for a kernel that wants a full round.
  const std::string batch = " batch=" + std::to_string(device.sm_count / 2 + 1);
  return {
      sizes(m + 1, n + 1, k + 1) + operands + " lda=+1 ldb=+1 ldd=+1",
      // B's rows in eight classes.
      sizes(m + 1, 8 * n, k + 1) + operands + " lda=+1 ldb=+2 ldd=+1", sizes(m, n, k) + operands,
      sizes(row.tile.m - 24, 2 * row.tile.n - 40, k) + operands + batch,
      // One or two clusters' tiles: for a kernel whose CTAs share K, and for one that computes D's transpose.
      sizes(row.tile.m * row.cluster_m - 24, row.tile.n * row.cluster_n - 8, k) + operands,
      sizes(row.tile.n * row.cluster_n - 8, row.tile.m * row.cluster_m - 24, k) + operands};
}

void RunRow(const dispatch::KernelRow& row, const dispatch::Device& device, DeviceCase* device_case) {
  for (const std::string& line : LinesFor(row, device)) {
    std::vector<Case> cases;
    std::string error;
    ASSERT_TRUE(ParseCaseLine(line, row.name, &cases, &error)) << line << ": " << error;
    problem::Normalized normalized;
    ASSERT_TRUE(problem::Normalize(cases[0].problem, &normalized).ok()) << line;
    if (const auto reason = row.family->reject(row, normalized, device)) continue;
    HostCase host(cases[0]);
    ASSERT_EQ(device_case->Load(&host), "") << line;
    for (const bool programmatic : {false, true}) {
      PlanOptions options;
      options.kernel = row.name;
      options.programmatic_launch = options.constant_b = programmatic;
      Plan plan;
      const Status status = Plan::Create(cases[0].problem, options, &plan);
      ASSERT_TRUE(status.ok()) << line << ": " << status.message();
      ASSERT_STREQ(plan.kernel_name(), row.name);
      EXPECT_EQ(device_case->RunTwiceAndCheck(plan), "") << line;
    }
    return;
  }
  // On another architecture than its own a kernel runs nothing; on its own it must run this.
  const bool hopper_elsewhere =
      std::string(row.family->backend) == "hopper" && device.compute_capability() != 90;
  if (hopper_elsewhere) GTEST_SKIP() << ReasonToSkip("this kernel needs compute capability 9.0");
  FAIL() << "the kernel accepts none of the cases: " << LinesFor(row, device).back();
}

int Main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (const std::string reason = WhyNoGpu(80, false); !reason.empty()) {
    RegisterDynamicTest("sanitizer_cases", "all",
                        [reason] { GTEST_SKIP() << reason << ": sanitizer_cases skipped"; });
    return RUN_ALL_TESTS();
  }
  const Gpu gpu = OpenGpu();
  DeviceCase device_case(GuardMode::kExact);
  for (const dispatch::KernelRow* row : dispatch::Registry()) {
    RegisterDynamicTest("sanitizer_cases", row->name,
                        [row, &gpu, &device_case] { RunRow(*row, gpu.device, &device_case); });
  }
  return RUN_ALL_TESTS();
}

}  // namespace
}  // namespace gemm::tests

int main(int argc, char** argv) { return gemm::tests::Main(argc, argv); }
