// Single instructions on the GPU that is there, real or emulated, compared with what an H200 gave: h200.txt, or the file named by
// the argument. `instructions_test --record=FILE` writes such a file.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "tests/emulator/recorded/apart.h"
#include "tests/emulator/recorded/experiments.h"
#include "tests/emulator/recorded/recording.h"
#include "tests/support/dynamic_test.h"
#include "tests/support/gpu_environment.h"

namespace gemm::recorded {
namespace {

using Results = std::map<std::string, Result>;

// From the workspace, where tests are started.
constexpr const char* kRecording = "tests/emulator/recorded/h200.txt";

int Record(const std::string& path) {
  std::ofstream file(path);
  int refused = 0;
  const std::string why = RunAll([&](const std::string& name, const Result& result) {
    file << ToLine(name, result) << std::endl;
    if (result.error.empty()) return;
    ++refused;
    std::printf("%s: %s\n", name.c_str(), result.error.c_str());
  });
  if (!why.empty()) {
    std::fprintf(stderr, "nothing recorded: %s\n", why.c_str());
    return 1;
  }
  std::printf("%zu experiments recorded in %s, %d of them refused\n", Experiments().size(), path.c_str(),
              refused);
  return file.good() ? 0 : 1;
}

bool Same(const Experiment& experiment, std::uint32_t got, std::uint32_t want) {
  if (got == want || experiment.tolerance == 0) return got == want;
  float got_value, want_value;
  std::memcpy(&got_value, &got, 4);
  std::memcpy(&want_value, &want, 4);
  return std::abs(static_cast<double>(got_value) - want_value) <= experiment.tolerance;
}

void CompareWords(const Experiment& experiment, const std::vector<std::uint32_t>& got,
                  const std::vector<std::uint32_t>& want) {
  ASSERT_EQ(got.size(), want.size());
  int different = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (Same(experiment, got[i], want[i])) continue;
    if (++different <= 8) {
      ADD_FAILURE() << "word " << i << ": " << std::hex << got[i] << " here, " << want[i] << " recorded";
    }
  }
  EXPECT_EQ(different, 0) << "of " << got.size() << " words";
}

// What one GPU refuses the other must refuse too; each has names of its own for why.
void Compare(const Experiment& experiment, const Results& here, const Results& recording) {
  const auto got = here.find(experiment.name), want = recording.find(experiment.name);
  ASSERT_NE(got, here.end());
  ASSERT_NE(want, recording.end()) << "not in the recording: record it again, or let a line '"
                                   << experiment.name << " -' say that no GPU has run it";
  if (want->second.unknown) {
    GTEST_SKIP() << "not recorded yet; here: "
                 << (got->second.error.empty() ? "it runs" : got->second.error.c_str());
  }
  if (!want->second.error.empty()) {
    EXPECT_NE(got->second.error, "") << "the recording says " << want->second.error;
    return;
  }
  ASSERT_EQ(got->second.error, "");
  CompareWords(experiment, got->second.words, want->second.words);
}

void CheckRecording(const Results& recording, const std::vector<std::string>& bad) {
  for (const std::string& line : bad) ADD_FAILURE() << "a bad line of the recording: " << line;
  std::map<std::string, bool> known;
  for (const Experiment& experiment : Experiments()) known[experiment.name] = true;
  EXPECT_EQ(known.size(), Experiments().size()) << "two experiments of one name";
  for (const auto& [name, result] : recording) EXPECT_TRUE(known[name]) << "no such experiment: " << name;
}

int Test(const std::string& path) {
  std::vector<std::string> bad;
  const Results recording = ReadRecording(path, &bad);
  Results here;
  const std::string why =
      tests::ReasonToSkip(RunAll([&](const std::string& name, const Result& result) { here[name] = result; }));
  tests::RegisterDynamicTest("recording", "lines", [&] { CheckRecording(recording, bad); });
  for (const Experiment& experiment : Experiments()) {
    tests::RegisterDynamicTest("instructions", experiment.name, [&] {
      if (!why.empty()) GTEST_SKIP() << why;
      Compare(experiment, here, recording);
    });
  }
  return RUN_ALL_TESTS();
}

}  // namespace
}  // namespace gemm::recorded

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const std::string argument = argc >= 2 ? argv[1] : gemm::recorded::kRecording;
  const std::string flag = "--record=";
  if (argument.rfind(flag, 0) == 0) return gemm::recorded::Record(argument.substr(flag.size()));
  return gemm::recorded::Test(argument);
}
