// A suite that cannot fail proves nothing. Here the GPU suites run on a driver that keeps a driver's books and
// computes nothing: every product must be reported as unwritten. And where there is no fitting device they must
// say so in one line and end well.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/dispatch/registry.h"
#include "tests/fake_driver/fake_driver.h"

namespace gemm {
namespace {

struct Outcome {
  int exit_code = -1;
  std::string output;

  int Count(const std::string& text) const {
    int count = 0;
    for (std::size_t at = output.find(text); at != std::string::npos; at = output.find(text, at + 1)) ++count;
    return count;
  }
};

// Runs tests/<name> on the fake driver with these devices and more environment variables ("A=1 B='2 3'").
Outcome RunSuite(const std::string& name, const std::string& devices, const std::string& environment = "") {
  // GoogleTest's own variables, which Bazel sets, would make the child write this test's XML.
  const std::string command =
      "env -u XML_OUTPUT_FILE -u TEST_SHARD_INDEX -u TEST_TOTAL_SHARDS -u TESTBRIDGE_TEST_ONLY "
      "LD_LIBRARY_PATH='" +
      fake::FakeDriver::Folder() + "' GEMM_FAKE_CUDA_DEVICES=" + devices + " " + environment + " tests/" +
      name + " 2>&1";
  Outcome outcome;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return outcome;
  char buffer[4096];
  for (std::size_t got = 0; (got = fread(buffer, 1, sizeof buffer, pipe)) > 0;)
    outcome.output.append(buffer, got);
  const int status = pclose(pipe);
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -2;
  return outcome;
}

class SuitesCanFail : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(fake::FakeDriver::Folder(), ""); }
};

// The rows of the registry by backend, whose suite is tests/<backend>_test.
std::map<std::string, dispatch::Rows> Backends() {
  std::map<std::string, dispatch::Rows> backends;
  for (const dispatch::KernelRow* row : dispatch::Registry()) backends[row->family->backend].push_back(row);
  return backends;
}

TEST_F(SuitesCanFail, EveryKernelThatWritesNothingIsReported) {
  // A case for every row: all types, all layouts, and TF32; more tiles than multiprocessors for those that split the rest; few rows;
  // even numbers of tiles for clusters of 2x2; rows of B that start elsewhere.
  const struct {
    std::string backend, line;  // "" of all
  } cases[] = {
      {"", "GEMM_CASE='136 264 136 in=bf16,fp16,fp32 a=r,c b=r,c lda=+0,+1 fill=integers'"},
      {"hopper", "GEMM_ROW=_c2x2 GEMM_CASE='184 376 136 in=bf16,fp16 fill=integers'"},
      {"hopper", "GEMM_ROW=_classes GEMM_CASE='136 264 137 in=bf16,fp16 fill=integers'"},
      {"ampere", "GEMM_ROW=_tf32_ GEMM_CASE='136 264 136 in=fp32 compute=tf32 a=r,c b=r,c fill=integers'"},
      {"ampere",
       "GEMM_ROW=_160x256x64_s4_split GEMM_CASE='136 264 136 in=bf16,fp16 b=r,c batch=67 fill=integers'"},
      {"ampere", "GEMM_ROW=_few_8 GEMM_CASE='8 264 136,137 in=bf16,fp16 b=r,c fill=integers'"},
      {"ampere", "GEMM_ROW=_few_-_few_8 GEMM_CASE='16 264 136,137 in=bf16,fp16 b=r,c fill=integers'"},
      {"ampere", "GEMM_ROW=_any_split GEMM_CASE='5 150 1233 in=bf16,fp16 b=r fill=integers'"},
      {"ampere", "GEMM_ROW=_gemv_ GEMM_CASE='1 264 136 in=bf16,fp16 fill=integers'"},
      {"simt", "GEMM_ROW=_dot GEMM_CASE='35 72 136 in=bf16,fp16,fp32 a=r,c b=r,c lda=+1 fill=integers'"},
  };
  const std::string reports[] = {": exact: 35904 of 35904 elements wrong (35904 unwritten)",
                                 ": exact: 69184 of 69184 elements wrong (69184 unwritten)",
                                 ": exact: 2405568 of 2405568 elements wrong (2405568 unwritten)",
                                 ": exact: 2112 of 2112 elements wrong (2112 unwritten)",
                                 ": exact: 4224 of 4224 elements wrong (4224 unwritten)",
                                 ": exact: 2520 of 2520 elements wrong (2520 unwritten)",
                                 ": exact: 750 of 750 elements wrong (750 unwritten)",
                                 ": exact: 264 of 264 elements wrong (264 unwritten)"};
  for (const auto& [backend, rows] : Backends()) {
    Outcome all;
    for (const auto& [of, line] : cases) {
      if (!of.empty() && of != backend) continue;
      const Outcome outcome = RunSuite(backend + "_test", "h200", line);
      EXPECT_EQ(outcome.exit_code, 1) << backend << ": " << outcome.output;
      all.output += outcome.output;
    }
    for (const dispatch::KernelRow* row : rows) {
      const std::string name = row->name;
      int reported = 0;
      for (const std::string& report : reports) reported += static_cast<int>(all.Count(name + report));
      EXPECT_GT(reported, 0) << name;
      EXPECT_GT(all.Count("reproduce: GEMM_ROW=" + name), 0) << name;
    }
  }
}

// What the cases reach depends on the number of multiprocessors: kernels that split K refuse where nothing is gained.
TEST_F(SuitesCanFail, TheCasesReachEveryKernelOften) {
  for (const char* device : {"h200", "h100", "a100"}) {
    for (const auto& [backend, rows] : Backends()) {
      const Outcome outcome = RunSuite(backend + "_test", device, "GEMM_ONLY_COUNT=1");
      EXPECT_EQ(outcome.exit_code, 0) << backend << " on " << device << ": " << outcome.output;
      EXPECT_EQ(outcome.Count("too few"), 0) << backend << " on " << device << ": " << outcome.output;
    }
  }
}

TEST_F(SuitesCanFail, SanitizerCasesRunEveryKernel) {
  const Outcome outcome = RunSuite("sanitizer_cases", "h200");
  EXPECT_EQ(outcome.exit_code, 1);
  const int rows = static_cast<int>(dispatch::Registry().size());
  EXPECT_GT(rows, 0);
  // Plainly and programmatically.
  EXPECT_EQ(outcome.Count("unwritten"), 2 * rows) << outcome.output;
}

TEST_F(SuitesCanFail, WrongCasesAndRowsAreErrors) {
  const Outcome bad_case = RunSuite("simt_test", "h200", "GEMM_CASE='1 2 three'");
  EXPECT_EQ(bad_case.exit_code, 1);
  EXPECT_EQ(bad_case.Count("'three' is no value of 'k'"), 1) << bad_case.output;
  const Outcome bad_file = RunSuite("simt_test", "h200", "GEMM_CASES=/nowhere/cases.txt");
  EXPECT_EQ(bad_file.exit_code, 1);
  EXPECT_GT(bad_file.Count("cannot read /nowhere/cases.txt"), 0) << bad_file.output;
  const Outcome bad_row = RunSuite("simt_test", "h200", "GEMM_ROW=no_such_kernel GEMM_CASE='1 2 3'");
  EXPECT_EQ(bad_row.exit_code, 1) << bad_row.output;
}

TEST_F(SuitesCanFail, ASuiteThatRunsNothingFails) {
  const std::string file = ::testing::TempDir() + "/cases.txt";
  const std::string counted = "GEMM_ONLY_COUNT=1 GEMM_RANDOM=0 GEMM_CASES=" + file;
  std::ofstream(file) << "# no case\n";
  const Outcome no_case = RunSuite("simt_test", "h200", counted);
  EXPECT_EQ(no_case.exit_code, 1) << no_case.output;
  EXPECT_EQ(no_case.Count("no case ran"), 1) << no_case.output;
  std::ofstream(file) << "8 8 8 in=fp32\n";
  const Outcome no_product = RunSuite("hopper_test", "h200", counted);
  EXPECT_EQ(no_product.exit_code, 1) << no_product.output;
  EXPECT_EQ(no_product.Count("kernels accepted any of 1 cases"), 1) << no_product.output;
  const Outcome some = RunSuite("simt_test", "h200", counted);
  EXPECT_EQ(some.exit_code, 0) << some.output;
}

TEST_F(SuitesCanFail, ApiProductsThatAreNotComputedAreReported) {
  // Choice, graphs, contexts; what needs gigabytes is left out.
  const Outcome outcome =
      RunSuite("gpu_api_test", "h200",
               "GTEST_FILTER='Streams.AGraph*:Streams.Many*:Contexts.*:Choices.TheOneCall*:Choices.AC*'");
  EXPECT_EQ(outcome.exit_code, 1);
  for (const char* test :
       {"Streams.AGraphOfKernelsAloneReplays", "Streams.ManyThreadsRunOnePlanOnTheirOwnStreams",
        "Contexts.AnotherOneOfTheDevice", "Contexts.AThreadWithoutOne",
        "Choices.TheOneCallGemmGivesTheBitsOfAPlan", "Choices.ACOfAnotherLayoutIsRead"}) {
    EXPECT_GT(outcome.Count(std::string("[  FAILED  ] ") + test), 0) << test << "\n" << outcome.output;
  }
}

TEST_F(SuitesCanFail, WithoutADeviceOneLineSaysSo) {
  std::vector<std::string> binaries = {"gpu_api_test", "sanitizer_cases"};
  for (const auto& [backend, rows] : Backends()) binaries.push_back(backend + "_test");
  for (const std::string& binary : binaries) {
    const Outcome outcome = RunSuite(binary, "none");
    EXPECT_EQ(outcome.exit_code, 0) << binary << ": " << outcome.output;
    EXPECT_EQ(outcome.Count("no GPU here: "), 1) << binary << ": " << outcome.output;
    EXPECT_EQ(outcome.Count("[ RUN      ]"), 1) << binary;
  }
}

// As on the emulated GPU.
TEST_F(SuitesCanFail, WhereAGpuMustBeNothingIsSkippedForWantOfOne) {
  std::vector<std::pair<std::string, std::string>> runs = {
      {"gpu_api_test", "none"}, {"sanitizer_cases", "none"}, {"hopper_test", "a100"}};
  for (const auto& [backend, rows] : Backends()) runs.emplace_back(backend + "_test", "none");
  for (const auto& [binary, device] : runs) {
    const Outcome outcome = RunSuite(binary, device, "GEMM_MUST_HAVE_GPU=1");
    EXPECT_EQ(outcome.exit_code, 1) << binary << ": " << outcome.output;
    EXPECT_EQ(outcome.Count("; GEMM_MUST_HAVE_GPU=1 lets no test be skipped"), 1) << outcome.output;
  }
}

TEST_F(SuitesCanFail, HopperIsSkippedOnOtherArchitectures) {
  for (const char* device : {"a100", "rtx5070ti"}) {
    const Outcome outcome = RunSuite("hopper_test", device);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    EXPECT_EQ(outcome.Count("these kernels need 9.x"), 1) << outcome.output;
  }
}

}  // namespace
}  // namespace gemm
