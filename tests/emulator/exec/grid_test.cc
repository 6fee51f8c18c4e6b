// Chains of grids, and programmatic dependent launch.
#include <gtest/gtest.h>

#include "tests/emulator/exec/kernel.h"
#include "tools/emulator/exec/machine.h"
#include "tools/emulator/memory/device_memory.h"

namespace emu::testing {
namespace {

// What the kernels of a chain do with four words in turn.
std::optional<Finding> RunChain(const std::vector<std::string>& bodies, const std::vector<bool>& programmatic,
                                std::uint32_t blocks, std::uint64_t seed, std::vector<std::uint32_t>* words) {
  DeviceMemory memory(1 << 20);
  const std::uint64_t address = memory.Allocate(words->size() * 4);
  std::memcpy(reinterpret_cast<void*>(address), words->data(), words->size() * 4);
  std::optional<Finding> finding;
  {
    std::vector<std::unique_ptr<Image>> images;
    std::vector<LaunchRequest> chain;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      images.push_back(std::make_unique<Image>(Kernel(bodies[i]), &memory, AllFamilies()));
      LaunchRequest request;
      request.program = images.back()->Kernel("kernel");
      request.blocks.x = blocks;
      request.threads.x = 32;
      request.params.resize(8);
      std::memcpy(request.params.data(), &address, 8);
      request.programmatic = programmatic[i];
      chain.push_back(std::move(request));
    }
    try {
      Machine machine(DeviceLimits{}, &memory, seed);
      machine.Run(chain);
    } catch (const Stop& stop) {
      finding = stop.finding();
    }
  }
  std::memcpy(words->data(), reinterpret_cast<const void*>(address), words->size() * 4);
  return finding;
}

// Counts CTAs in word 0 after some work; leaves in word 1 what it found there when it began.
constexpr char kFirst[] = R"(
    griddepcontrol.launch_dependents;
    mov.u32 %r5, 0;
  WORK:
    add.u32 %r5, %r5, 1;
    setp.lt.u32 %p1, %r5, 20000;
    @%p1 bra WORK;
    setp.eq.u32 %p1, %r2, 0;
    @%p1 red.global.add.u32 [%rd2], 1;
    ret;)";

std::string Second(const char* wait) {
  return std::string(wait) + R"(
    ld.volatile.global.u32 %r3, [%rd2];
    setp.eq.u32 %p1, %r2, 0;
    @%p1 atom.global.min.u32 %r4, [%rd2+4], %r3;
    ret;)";
}

class Chains : public ::testing::TestWithParam<int> {};

TEST_P(Chains, AGridBeginsAfterTheOneBefore) {
  std::vector<std::uint32_t> words = {0, 1000};
  const auto finding = RunChain({kFirst, Second("")}, {false, false}, 6, GetParam(), &words);
  ASSERT_FALSE(finding) << ToString(*finding);
  EXPECT_EQ(words[0], 6u);
  EXPECT_EQ(words[1], 6u);
}

TEST_P(Chains, ADependentGridThatWaitsSeesAll) {
  std::vector<std::uint32_t> words = {0, 1000};
  const auto finding = RunChain({kFirst, Second("griddepcontrol.wait;")}, {false, true}, 6, GetParam(), &words);
  ASSERT_FALSE(finding) << ToString(*finding);
  EXPECT_EQ(words[0], 6u);
  EXPECT_EQ(words[1], 6u);
}

TEST_P(Chains, WaitWithoutAGridBefore) {
  std::vector<std::uint32_t> words = {0, 1000};
  const auto finding = RunChain({Second("griddepcontrol.wait;"), Second("griddepcontrol.wait;")}, {true, false},
                                2, GetParam(), &words);
  ASSERT_FALSE(finding) << ToString(*finding);
  EXPECT_EQ(words[1], 0u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Chains, ::testing::Range(0, 12));

// A dependent grid that does not wait meets the one before while it runs, for some seed.
TEST(Chain, DependentGridsOverlap) {
  int early = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    std::vector<std::uint32_t> words = {0, 1000};
    const auto finding = RunChain({kFirst, Second("")}, {false, true}, 6, seed, &words);
    ASSERT_FALSE(finding) << ToString(*finding);
    EXPECT_LE(words[1], 6u);
    early += words[1] < 6;
  }
  EXPECT_GE(early, 3);
  EXPECT_LE(early, 11);
}

// It may not before every CTA has said so or ended.
TEST(Chain, DependentGridsDoNotBeginBeforeTheyMay) {
  std::string late = kFirst;
  late.erase(late.find("griddepcontrol.launch_dependents;"), 33);
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    std::vector<std::uint32_t> words = {0, 1000};
    const auto finding = RunChain({late, Second("")}, {false, true}, 6, seed, &words);
    ASSERT_FALSE(finding) << ToString(*finding);
    EXPECT_EQ(words[1], 6u) << seed;
  }
}

}  // namespace
}  // namespace emu::testing
