#include "common/driver/code_choice.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gemm::driver {
namespace {

// The targets that CodesToTry names, in its order, of an image with `targets` for source "x".
std::vector<std::string> Choose(const std::vector<const char*>& targets, int major, int minor) {
  std::vector<Code> codes;
  for (const char* target : targets) codes.push_back({"x", target, "", 0, target[0] == 'c'});
  const Image image = {"image", codes.data(), codes.size()};
  std::vector<std::string> chosen;
  for (const std::size_t index : CodesToTry(image, "x", major, minor))
    chosen.push_back(image.codes[index].target);
  return chosen;
}

using List = std::vector<std::string>;

TEST(CodesToTry, PrefersTheCubinOfTheArchitectureThenPtx) {
  const std::vector<const char*> all = {"sm_80", "sm_90a", "compute_80", "compute_90a"};
  EXPECT_EQ(Choose(all, 9, 0), (List{"sm_90a", "compute_90a", "compute_80"}));
  EXPECT_EQ(Choose(all, 8, 0), (List{"sm_80", "compute_80"}));
}

TEST(CodesToTry, RunsALowerMinorVersionOfTheSameMajorOne) {
  const std::vector<const char*> all = {"sm_80", "sm_86", "sm_89", "compute_80"};
  EXPECT_EQ(Choose(all, 8, 9), (List{"sm_89", "sm_86", "sm_80", "compute_80"}));
  EXPECT_EQ(Choose(all, 8, 7), (List{"sm_86", "sm_80", "compute_80"}));
  EXPECT_EQ(Choose(all, 8, 0), (List{"sm_80", "compute_80"}));
}

TEST(CodesToTry, ServesNewerCardsByPtxOnly) {
  const std::vector<const char*> all = {"sm_80", "sm_90", "sm_90a", "compute_80", "compute_90", "compute_90a"};
  EXPECT_EQ(Choose(all, 12, 0), (List{"compute_90", "compute_80"}));
  EXPECT_EQ(Choose(all, 10, 3), (List{"compute_90", "compute_80"}));
}

TEST(CodesToTry, ArchitectureSpecificCodeRunsNowhereElse) {
  EXPECT_EQ(Choose({"sm_90a", "compute_90a"}, 10, 0), List());
  EXPECT_EQ(Choose({"sm_90a", "compute_90a"}, 8, 9), List());
  EXPECT_EQ(Choose({"sm_90", "sm_90a"}, 9, 0), (List{"sm_90a", "sm_90"}));
  EXPECT_EQ(Choose({"sm_120a", "compute_120a"}, 12, 1), List());
}

TEST(CodesToTry, FamilyCodeStaysInItsMajorVersion) {
  const std::vector<const char*> all = {"sm_100f", "compute_100f", "sm_100", "compute_100"};
  EXPECT_EQ(Choose(all, 10, 3), (List{"sm_100f", "sm_100", "compute_100f", "compute_100"}));
  EXPECT_EQ(Choose(all, 12, 0), List{"compute_100"});
}

TEST(CodesToTry, OldDevicesGetNothing) { EXPECT_EQ(Choose({"sm_80", "compute_80"}, 7, 5), List()); }

TEST(CompiledFor, ReadsTheTarget) {
  const auto compiled_for = [](const char* target, bool is_ptx) {
    Code code = {};
    code.target = target;
    code.is_ptx = is_ptx;
    return CompiledFor(code);
  };
  EXPECT_EQ(compiled_for("sm_80", false), 80);
  EXPECT_EQ(compiled_for("sm_90a", false), 90);
  EXPECT_EQ(compiled_for("compute_120f", true), 120);
  EXPECT_EQ(compiled_for("sm_80", true), 0);
  EXPECT_EQ(compiled_for("nonsense", false), 0);
}

TEST(CodesToTry, LeavesOutTargetsThatItCannotRead) {
  EXPECT_EQ(Choose({"sm_", "sm_9x0", "sm_90b", "sm_90aa", "sm_5", "sm_1234", "90", ""}, 9, 0), List());
  EXPECT_EQ(Choose({"sm_80x", "compute_80"}, 8, 0), List{"compute_80"});
}

TEST(CodesToTry, LooksAtTheSourceAskedForOnly) {
  const Code codes[] = {{"x", "sm_90", "", 0, false}, {"y", "sm_90", "", 0, false}};
  const Image image = {"image", codes, 2};
  EXPECT_EQ(CodesToTry(image, "y", 9, 0), std::vector<std::size_t>{1});
  EXPECT_TRUE(CodesToTry(image, "z", 9, 0).empty());
  EXPECT_TRUE(CodesToTry(Image{"empty", nullptr, 0}, "x", 9, 0).empty());
}

}  // namespace
}  // namespace gemm::driver
