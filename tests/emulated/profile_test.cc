// On the emulated device that GPU_EMULATOR_PROFILE names: which kernel dispatch chooses, by name, and that it runs and is
// right. Only PTX can be what runs there, so on compute capabilities without a cubin this is the way by PTX too.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "tests/gpu_api/product.h"
#include "tests/support/gpu_environment.h"

namespace gemm::tests {
namespace {

struct Expectation {
  const char* line;
  const char* kernel;  // what its name begins with: of Hopper's not the tile, which new measurements may change
};

struct Profile {
  int compute_capability;
  std::vector<Expectation> expectations;
};

const char* const kAligned = "256 256 264 in=bf16 fill=integers";
const char* const kTransposed = "264 256 136 in=fp16 a=c b=r beta=1";
const char* const kUnaligned = "257 511 261 in=bf16 fill=integers";
const char* const kSingle = "128 136 64 in=fp32";

const std::vector<Expectation> kHopper = {
    {kAligned, "hopper_bf16_kk_"},
    {kTransposed, "hopper_fp16_mn_"},
    {kUnaligned, "hopper_bf16_kk_"},
    {kSingle, "simt_fp32_kk_"},
};
const std::vector<Expectation> kAmpere = {
    {kAligned, "ampere_bf16_kk_"},
    {kTransposed, "ampere_fp16_mn_128x128x64_s3"},
    {kUnaligned, "ampere_bf16_kk_64x64x32_s4_any"},
    {kSingle, "simt_fp32_kk_"},
};

const std::vector<Expectation> kRtx4090 = {
    {kAligned, "ampere_bf16_kk_"},
    {kTransposed, "simt_fp16_mn_32x64x32"},
    {kUnaligned, "simt_bf16_kk_32x64x32"},
    {kSingle, "simt_fp32_kk_"},
};
const std::vector<Expectation> kRtx5070Ti = {
    {kAligned, "ampere_bf16_kk_"},
    {kTransposed, "simt_fp16_mn_32x64x32"},
    {kUnaligned, "simt_bf16_kk_64x64x16"},
    {kSingle, "simt_fp32_kk_"},
};

const std::map<std::string, Profile>& Profiles() {
  static const std::map<std::string, Profile> profiles = {
      {"a100", {80, kAmpere}}, {"rtx4090", {89, kRtx4090}}, {"rtx5070ti", {120, kRtx5070Ti}},
      {"h100", {90, kHopper}}, {"h200", {90, kHopper}},
  };
  return profiles;
}

TEST(Profile, ChoosesAndRunsTheKernelOfItsArchitecture) {
  const char* name = std::getenv("GPU_EMULATOR_PROFILE");
  ASSERT_NE(name, nullptr);
  const auto found = Profiles().find(name);
  ASSERT_NE(found, Profiles().end()) << name;
  const Profile& profile = found->second;
  EXPECT_EQ(TheDevice().compute_capability(), profile.compute_capability) << TheDevice().name;
  for (const Expectation& expectation : profile.expectations) {
    SCOPED_TRACE(expectation.line);
    Product product(expectation.line);
    ASSERT_TRUE(product.good());
    EXPECT_EQ(std::string(product.plan().kernel_name()).rfind(expectation.kernel, 0), 0u)
        << "expected " << expectation.kernel << "...\n"
        << product.plan().Explain();
    EXPECT_EQ(product.device().RunTwiceAndCheck(product.plan()), "");
  }
}

}  // namespace
}  // namespace gemm::tests

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (const std::string reason = gemm::tests::WhyNoGpu(80, false); !reason.empty()) {
    std::fprintf(stderr, "profile_test runs on the emulated GPU: %s\n", reason.c_str());
    return 1;
  }
  const auto gpu = gemm::tests::OpenGpu();
  return RUN_ALL_TESTS();
}
