// What ptxas made of one backend's kernels: codegen_test --instruction=HGMMA [--spills] [--no-lane-loops] [--loads-in-front] REPORT... CUBIN...
#include "tests/codegen/codegen.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace gemm::codegen {
namespace {

std::string g_instruction;
bool g_spills = false;  // the kernels are there to show what spills cost
bool g_no_lane_loops = false;
bool g_loads_in_front = false;
std::vector<std::string> g_reports;
std::vector<std::string> g_cubins;

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

TEST(Codegen, FilesAreGiven) {
  EXPECT_FALSE(g_instruction.empty());
  EXPECT_FALSE(g_reports.empty());
  EXPECT_EQ(g_reports.size(), g_cubins.size());
}

TEST(Codegen, NothingSpillsAndPtxasHasNoComplaint) {
  if (g_spills) GTEST_SKIP() << "these kernels are meant to spill";
  for (const std::string& path : g_reports) {
    SCOPED_TRACE(path);
    const Report report = ParseReport(ReadFile(path));
    EXPECT_FALSE(report.kernels.empty());
    for (const std::string& line : report.complaints) ADD_FAILURE() << line;
    for (const KernelReport& kernel : report.kernels) {
      EXPECT_EQ(kernel.spill_store_bytes, 0) << kernel.kernel;
      EXPECT_EQ(kernel.spill_load_bytes, 0) << kernel.kernel;
      EXPECT_EQ(kernel.stack_bytes, 0) << kernel.kernel;
      EXPECT_GT(kernel.registers, 0) << kernel.kernel;
      std::printf("%-48s %-7s %3d registers\n", kernel.kernel.c_str(), kernel.architecture.c_str(),
                  kernel.registers);
    }
  }
}

TEST(Codegen, WhatIsMeantToSpillDoes) {
  if (!g_spills) GTEST_SKIP() << "no kernel is meant to spill";
  for (const std::string& path : g_reports) {
    for (const KernelReport& kernel : ParseReport(ReadFile(path)).kernels) {
      EXPECT_GT(kernel.spill_store_bytes, 0) << kernel.kernel;
    }
  }
}

TEST(Codegen, EveryKernelHasItsInstruction) {
  for (const std::string& path : g_cubins) {
    SCOPED_TRACE(path);
    const std::vector<MachineCode> kernels = ParseCubin(ReadFile(path));
    EXPECT_FALSE(kernels.empty());
    for (const MachineCode& kernel : kernels) {
      const auto found = kernel.instructions.find(g_instruction);
      const int count = found == kernel.instructions.end() ? 0 : found->second;
      EXPECT_GT(count, 0) << kernel.kernel << " has no " << g_instruction;
      std::printf("%-48s %6zu bytes, %3d %s\n", kernel.kernel.c_str(), kernel.bytes, count,
                  g_instruction.c_str());
    }
  }
}

// A producer that asks for its stages in such loops takes longer than the small tiles' wgmma: 64x64 in clusters of four took 11 to
// 13% more time, 128x64 alone 3% (H200, 2026-11-23).
TEST(Codegen, NoCopyIsIssuedInALoopOverLanes) {
  if (!g_no_lane_loops) GTEST_SKIP() << "not asked of these kernels";
  for (const std::string& path : g_cubins) {
    for (const MachineCode& kernel : ParseCubin(ReadFile(path))) {
      EXPECT_EQ(kernel.lane_loops, 0) << kernel.kernel;
    }
  }
}

// A launch that finds another kernel's code waits for the producer's to come before anything is loaded: 0.4 to 1.7 us where ptxas laid it
// behind the consumers' (docs/perf/hopper/cold.md). Ping-pong kernels keep it there: in front of two of them others spill. Those whose threads
// copy do too: in front, ptxas computes the addresses of an MN-major operand's copies anew in every step.
TEST(Codegen, TheProducersCodeLiesInFrontOfTheConsumers) {
  if (!g_loads_in_front) GTEST_SKIP() << "not asked of these kernels";
  for (const std::string& path : g_cubins) {
    for (const MachineCode& kernel : ParseCubin(ReadFile(path))) {
      const auto is_named = [&](const char* piece) { return kernel.kernel.find(piece) != std::string::npos; };
      if (is_named("_pp") || is_named("_anywhere")) continue;
      ASSERT_EQ(kernel.first_at.count("UTMALDG"), 1u) << kernel.kernel;
      ASSERT_EQ(kernel.first_at.count("HGMMA"), 1u) << kernel.kernel;
      EXPECT_LT(kernel.first_at.at("UTMALDG"), kernel.first_at.at("HGMMA")) << kernel.kernel;
    }
  }
}

// Of `min(max(x, 0), t) == t` ptxas 13.0 made such an instruction, whose predicates (one register given twice) did not say that: split K's
// kernels loaded by a tensor map that is not there (H200, 2026-11-27; hopper/producer.cuh). The emulated GPU runs PTX and cannot see it.
TEST(Codegen, NoMinimumAnswersWithAPredicate) {
  for (const std::string& path : g_cubins) {
    if (path.find("sm_90") == std::string::npos) continue;
    for (const MachineCode& kernel : ParseCubin(ReadFile(path))) {
      EXPECT_EQ(kernel.minima_with_predicate, 0) << kernel.kernel;
    }
  }
}

void ReadArguments(int argc, char** argv) {
  const std::string instruction = "--instruction=";
  const auto ends_with = [](const std::string& s, const std::string& end) {
    return s.size() >= end.size() && s.compare(s.size() - end.size(), end.size(), end) == 0;
  };
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--spills") g_spills = true;
    if (argument == "--no-lane-loops") g_no_lane_loops = true;
    if (argument == "--loads-in-front") g_loads_in_front = true;
    if (argument.rfind(instruction, 0) == 0) g_instruction = argument.substr(instruction.size());
    if (ends_with(argument, ".ptxas.txt")) g_reports.push_back(argument);
    if (ends_with(argument, ".cubin")) g_cubins.push_back(argument);
  }
}

}  // namespace
}  // namespace gemm::codegen

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  gemm::codegen::ReadArguments(argc, argv);
  return RUN_ALL_TESTS();
}
