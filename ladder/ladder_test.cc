// Every rung at small sizes against the oracle: exact products, random ones with alpha and beta, C that must not be read.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ladder/rung.h"
#include "tests/support/device_case.h"
#include "tests/support/dynamic_test.h"
#include "tests/support/gpu_environment.h"

namespace gemm::ladder {
namespace {

// One tile with so much of K that every buffer is used three times; tiles side by side and one above the other; for a
// persistent grid more tiles than an emulated GPU has multiprocessors (GPU_EMULATOR_SMS). Rungs that take any size get tails.
std::vector<std::string> Lines(const Rung& rung) {
  const auto line = [&](std::int64_t m, std::int64_t n, std::int64_t k, const std::string& rest) {
    return std::to_string(m) + " " + std::to_string(n) + " " + std::to_string(k) + " in=" + Name(rung.in) +
           " out=" + Name(rung.out) + (rung.b_layout == Layout::kColumnMajor ? " b=c " : " b=r ") + rest;
  };
  const std::int64_t tm = rung.multiple_m, tn = rung.multiple_n, tk = rung.multiple_k;
  if (tm == 1) {
    return {line(45, 33, 19, "fill=integers alpha=1 beta=1 cmode=distinct"),
            line(33, 70, 7, "alpha=0.5 beta=-1.25 cmode=distinct"), line(1, 1, 1, "cmode=poisoned")};
  }
  const std::int64_t k = std::max<std::int64_t>(rung.least_k, 2 * tk);
  std::vector<std::string> lines = {
      line(tm, tn, (2 * rung.buffers + 1) * tk, "fill=integers alpha=1 beta=1 cmode=distinct"),
      line(tm, 2 * tn, k, "alpha=0.5 beta=-1.25 cmode=distinct"),
      line(2 * tm, tn, std::max<std::int64_t>(rung.least_k, tk), "cmode=poisoned")};
  if (rung.grid == Grid::kPersistent) {
    for (const int steps : {3, 2 * rung.buffers + 1})
      lines.push_back(line(3 * tm, 3 * tn, steps * tk, "alpha=-1 beta=2 cmode=distinct"));
  }
  return lines;
}

void RunCase(const Rung& rung, const tests::Case& test_case, tests::DeviceCase* device) {
  SCOPED_TRACE(test_case.line);
  ASSERT_EQ(Reject(rung, test_case.problem), "");
  RungLauncher launch;
  Status status = Prepare(rung, test_case.problem, 0, &launch);
  ASSERT_TRUE(status.ok()) << status.message();
  tests::HostCase host(test_case);
  Arguments args;
  ASSERT_EQ(device->Load(&host), "");
  ASSERT_EQ(device->MakeArguments(0, &args), "");
  status = launch(args);
  ASSERT_TRUE(status.ok()) << status.message();
  status = gpu::Synchronize();
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(device->CheckResult(), "");
}

void RunRung(const Rung& rung) {
  const tests::Gpu gpu = tests::OpenGpu();
  if (const std::string why = Reject(rung, gpu.device); !why.empty()) GTEST_SKIP() << why;
  const bool exact = tests::FromEnvironment("GEMM_GUARD", "pages") == "exact";
  tests::DeviceCase device(exact ? tests::GuardMode::kExact : tests::GuardMode::kPages);
  for (const std::string& line : Lines(rung)) {
    std::vector<tests::Case> cases;
    std::string error;
    ASSERT_TRUE(tests::ParseCaseLine(line, rung.name, &cases, &error)) << error;
    for (const tests::Case& test_case : cases) RunCase(rung, test_case, &device);
  }
}

// '-' means something to gtest's filters.
std::string TestName(const Rung& rung) {
  std::string name = rung.name + "_" + Name(rung.in);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace
}  // namespace gemm::ladder

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const std::string why = gemm::tests::WhyNoGpu(80, false);
  if (!why.empty()) {
    gemm::tests::RegisterDynamicTest("Ladder", "NeedsAGpu", [why] { GTEST_SKIP() << why; });
    return RUN_ALL_TESTS();
  }
  for (const gemm::ladder::Rung& rung : gemm::ladder::Rungs()) {
    gemm::tests::RegisterDynamicTest("Rungs", gemm::ladder::TestName(rung),
                                     [&rung] { gemm::ladder::RunRung(rung); });
  }
  return RUN_ALL_TESTS();
}
