// Every mutant that mutants.bzl makes, run by its backend's suite on the emulated GPU in the place of the kernel that it was made
// from, must be caught at each of its seeds and called by its name; the kernels as they are must pass at many.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "tests/support/dynamic_test.h"

namespace gemm::tests {
namespace {

constexpr int kSeedsOfWholeKernels = 100;

// What Bazel and GoogleTest tell this test: the suites must not write its XML, take its shard or remove its files.
constexpr const char* kWithoutVariablesOfThisTest =
    " -u XML_OUTPUT_FILE -u TESTBRIDGE_TEST_ONLY -u TEST_PREMATURE_EXIT_FILE -u TEST_SHARD_INDEX -u "
    "TEST_TOTAL_SHARDS"
    " -u TEST_SHARD_STATUS_FILE -u GTEST_SHARD_INDEX -u GTEST_TOTAL_SHARDS -u GTEST_SHARD_STATUS_FILE";

struct Mutant {
  std::string name, ptx, suite, row, test_case, sms;
  std::vector<std::string> seeds;
  std::vector<std::string> caught_as;  // empty: it must pass
};

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find(separator, begin)) != std::string::npos; begin = end + 1) {
    parts.push_back(text.substr(begin, end - begin));
  }
  if (begin < text.size()) parts.push_back(text.substr(begin));
  return parts;
}

struct List {
  std::string count;  // of mutants, as its first line says
  std::vector<Mutant> mutants;
  std::vector<std::string> bad;  // lines
};

List ReadList(const std::string& path) {
  List list;
  std::ifstream file(path);
  std::getline(file, list.count);
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> fields = Split(line, '\t');
    const bool has_empty = std::count(fields.begin(), fields.end(), "") > 0;
    if (fields.size() < 7 || fields.size() > 8 || has_empty) {
      list.bad.push_back(line);
      continue;
    }
    list.mutants.push_back({fields[0], fields[1], fields[2], fields[3], fields[4], fields[5],
                            Split(fields[6], '|'),
                            fields.size() > 7 ? Split(fields[7], '|') : std::vector<std::string>()});
  }
  return list;
}

void CheckList(const List& list) {
  EXPECT_EQ(std::to_string(list.mutants.size()), list.count);
  EXPECT_FALSE(list.mutants.empty());
  for (const std::string& line : list.bad) ADD_FAILURE() << "a bad line: " << line;
  std::set<std::string> names;
  for (const Mutant& mutant : list.mutants) {
    EXPECT_TRUE(names.insert(mutant.name).second) << "two are called " << mutant.name;
    EXPECT_FALSE(mutant.seeds.empty()) << mutant.name;
    for (const std::string& seed : mutant.seeds) EXPECT_NE(seed, "") << mutant.name;
  }
}

// What the suite printed with the variables in `seeds`, and in *exit_code how it ended.
std::string RunSuite(const Mutant& mutant, const std::string& libcuda, const std::string& seeds,
                     int* exit_code) {
  const std::string ptx = "tests/emulated/mutants/" + mutant.ptx;
  EXPECT_TRUE(std::ifstream(ptx).good()) << ptx;
  const std::string command = std::string("env") + kWithoutVariablesOfThisTest +
                              " LD_LIBRARY_PATH=" + libcuda.substr(0, libcuda.find_last_of('/')) +
                              " GPU_EMULATOR_PROFILE=h200 GPU_EMULATOR_SMS=" + mutant.sms + " " + seeds +
                              " GPU_EMULATOR_PTX=" + ptx + " GEMM_GUARD=exact GEMM_ROW=" + mutant.row +
                              " GEMM_CASE='" + mutant.test_case + "' tests/" + mutant.suite + "_test 2>&1";
  std::string output;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return output;
  char buffer[4096];
  for (std::size_t got = 0; (got = fread(buffer, 1, sizeof buffer, pipe)) > 0;) output.append(buffer, got);
  const int status = pclose(pipe);
  *exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -2;
  return output;
}

// The kernels that the row launches, of which one is the mutant.
std::vector<std::string> KernelsOf(const std::string& row) {
  // Rows of their own, but no kernels.
  const std::size_t classes = row.find("_classes");
  if (classes != std::string::npos) {
    std::vector<std::string> kernels = {"hopper_pack_16bit", "hopper_add_classes"};
    kernels.push_back(KernelsOf(row.substr(0, classes))[0]);
    return kernels;
  }
  std::string kernel = row.substr(0, row.find("_split"));
  if (const std::size_t end = kernel.size() - 2; kernel.compare(end, 2, "_t") == 0) kernel.resize(end);
  if (kernel.find("_pk") == std::string::npos) return {kernel};
  return {kernel, "hopper_add_parts"};
}

// That a comparison found it, of which the report has a line, and nothing else did: no refused plan or launch. More rows may have the
// name and more behind it, and run the mutant, too.
bool IsWrongResult(const Mutant& mutant, const std::string& output) {
  if (output.find("emulator:") != std::string::npos) return false;
  for (const std::string& line : Split(output, '\n')) {
    if (line.rfind(mutant.row, 0) != 0) continue;
    for (const char* comparison : {": exact: ", ": bound: ", ": the second run gave other bits"}) {
      if (line.find(comparison) != std::string::npos) return true;
    }
  }
  return false;
}

bool IsCaught(const Mutant& mutant, const std::string& output) {
  const auto reported = [&](const std::string& name) {
    for (const std::string& kernel : KernelsOf(mutant.row)) {
      if (output.find("emulator: " + name + " in " + kernel + ", PTX line ") != std::string::npos) return true;
    }
    return false;
  };
  for (const std::string& name : mutant.caught_as) {
    if (name == "wrong result" ? IsWrongResult(mutant, output) : reported(name)) return true;
  }
  return false;
}

void CheckMutant(const Mutant& mutant, const std::string& libcuda) {
  for (const std::string& seed : mutant.seeds) {
    SCOPED_TRACE("seed " + seed);
    int exit_code = -1;
    const std::string output = RunSuite(mutant, libcuda, "GPU_EMULATOR_SEED=" + seed, &exit_code);
    EXPECT_EQ(exit_code, 1) << output;
    EXPECT_TRUE(IsCaught(mutant, output)) << output;
  }
}

void CheckWholeKernel(const Mutant& kernel, const std::string& libcuda) {
  const std::string seeds = std::to_string(kSeedsOfWholeKernels);
  int exit_code = -1;
  const std::string output = RunSuite(kernel, libcuda, "GEMM_SEEDS=" + seeds, &exit_code);
  EXPECT_EQ(exit_code, 0) << output;
  EXPECT_EQ(output.find("emulator:"), std::string::npos) << output;
  EXPECT_NE(output.find(kernel.row + " at " + seeds + " seeds\n"), std::string::npos) << output;
  EXPECT_NE(output.find("[  PASSED  ] 2 tests."), std::string::npos) << output;
}

}  // namespace
}  // namespace gemm::tests

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (argc != 3) {
    std::fprintf(stderr, "usage: mutants_test LIBCUDA LIST\n");
    return 2;
  }
  const std::string libcuda = argv[1];
  const auto list = gemm::tests::ReadList(argv[2]);
  gemm::tests::RegisterDynamicTest("mutants", "list", [list] { gemm::tests::CheckList(list); });
  for (const auto& mutant : list.mutants) {
    gemm::tests::RegisterDynamicTest("mutants", mutant.name, [mutant, libcuda] {
      mutant.caught_as.empty() ? gemm::tests::CheckWholeKernel(mutant, libcuda)
                               : gemm::tests::CheckMutant(mutant, libcuda);
    });
  }
  return RUN_ALL_TESTS();
}
