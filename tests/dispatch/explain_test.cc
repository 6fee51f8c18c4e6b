#include "common/dispatch/explain.h"

#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/dispatch/fake_tables.h"

namespace gemm::dispatch {
namespace {

problem::Normalized Make(std::int64_t m, std::int64_t n, std::int64_t k) {
  Problem p;
  p.m = m;
  p.n = n;
  p.k = k;
  problem::Normalized out;
  EXPECT_TRUE(problem::Normalize(p, &out).ok());
  return out;
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(Explain, ListsEveryCandidateFastestFirst) {
  const auto lines = Lines(Explain(Registry(), Make(4096, 4096, 4096), *FindKnownDevice("h200"), {}));
  ASSERT_EQ(lines.size(), 4 + Registry().size());
  EXPECT_EQ(lines[0], std::string("libgemm ") + Version());
  EXPECT_EQ(lines[1].substr(0, 36), "problem: m=4096 n=4096 k=4096 batch=");
  EXPECT_EQ(lines[2].substr(0, 19), "device: NVIDIA H200");
  EXPECT_EQ(lines[3], "  kernel               predicted us  workspace bytes");
  EXPECT_EQ(lines[4].substr(0, 21), "* hopper_fake_128x256");
  EXPECT_EQ(lines[4].size(), lines[3].size());
  EXPECT_EQ(lines.back(), "  hopper_fake_split    rejected: K is below 8192");
}

TEST(Explain, TellsWhatWasForcedAndWhyItCannotBe) {
  SelectOptions options;
  options.kernel = "hopper_fake_split";
  const std::string text = Explain(Registry(), Make(64, 64, 64), *FindKnownDevice("h200"), options);
  EXPECT_NE(text.find("forced by options.kernel: hopper_fake_split\n"), std::string::npos) << text;
  EXPECT_NE(text.find("UNSUPPORTED: "), std::string::npos) << text;
  EXPECT_EQ(text.find("* "), std::string::npos) << text;
}

TEST(Explain, AnEmptyProblemHasNoTable) {
  const std::string text = Explain(Registry(), Make(0, 64, 64), *FindKnownDevice("h200"), {});
  EXPECT_NE(text.find("nothing to compute"), std::string::npos) << text;
}

}  // namespace
}  // namespace gemm::dispatch
