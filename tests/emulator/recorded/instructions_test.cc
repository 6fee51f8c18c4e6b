// Single instructions on the emulated GPU and on an H200. `instructions_test --record=FILE` runs them on the GPU that is there
// and writes what they gave; otherwise the test runs them and compares with such a recording.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "common/driver/driver.h"
#include "tests/emulator/recorded/experiments.h"
#include "tests/support/dynamic_test.h"
#include "tools/gpu/gpu.h"

namespace gemm::recorded {
namespace {

using Words = std::vector<std::uint32_t>;

int Record(const std::string& path) {
  const driver::ContextScope scope(0);
  std::ofstream file(path);
  for (const Experiment& experiment : Experiments()) {
    Words words;
    const Status status =
        scope.status().ok() ? experiment.run(experiment, &words) : Status(StatusCode::kNoDevice, "no GPU");
    if (!status.ok()) {
      std::fprintf(stderr, "%s: %s\n", experiment.name.c_str(), status.message().c_str());
      return 1;
    }
    file << ToText(experiment.name, words) << '\n';
  }
  file.close();
  std::printf("%zu experiments recorded in %s\n", Experiments().size(), path.c_str());
  return file.good() ? 0 : 1;
}

bool Same(const Experiment& experiment, std::uint32_t got, std::uint32_t want) {
  if (got == want || experiment.tolerance == 0) return got == want;
  float got_value, want_value;
  std::memcpy(&got_value, &got, 4);
  std::memcpy(&want_value, &want, 4);
  return std::abs(static_cast<double>(got_value) - want_value) <= experiment.tolerance;
}

void RunAndCompare(const Experiment& experiment, const std::map<std::string, Words>& recording) {
  const driver::ContextScope scope(0);
  Words words;
  const Status status = experiment.run(experiment, &words);
  ASSERT_TRUE(status.ok()) << status.message();
  const auto recorded = recording.find(experiment.name);
  ASSERT_NE(recorded, recording.end()) << "not in the recording: record it again on the GPU";
  ASSERT_EQ(words.size(), recorded->second.size());
  int different = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (Same(experiment, words[i], recorded->second[i])) continue;
    if (++different <= 8) {
      ADD_FAILURE() << "word " << i << ": " << std::hex << words[i] << " here, " << recorded->second[i]
                    << " recorded";
    }
  }
  EXPECT_EQ(different, 0) << "of " << words.size() << " words";
}

std::map<std::string, Words> ReadRecording(const std::string& path) {
  std::map<std::string, Words> recording;
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  for (std::string line; std::getline(file, line);) {
    std::string name;
    Words words;
    EXPECT_TRUE(FromText(line, &name, &words)) << "a bad line of the recording: " << line.substr(0, 40);
    recording[name] = words;
  }
  return recording;
}

}  // namespace
}  // namespace gemm::recorded

int main(int argc, char** argv) {
  using namespace gemm;
  ::testing::InitGoogleTest(&argc, argv);
  const std::string argument = argc == 2 ? argv[1] : "";
  const std::string flag = "--record=";
  if (argument.rfind(flag, 0) == 0) return recorded::Record(argument.substr(flag.size()));
  if (argument.empty()) {
    std::fprintf(stderr, "usage: instructions_test --record=FILE | RECORDING\n");
    return 2;
  }
  const auto recording = recorded::ReadRecording(argument);
  for (const recorded::Experiment& experiment : recorded::Experiments()) {
    tests::RegisterDynamicTest("instructions", experiment.name,
                               [&experiment, &recording] { recorded::RunAndCompare(experiment, recording); });
  }
  return RUN_ALL_TESTS();
}
