// That checks which fail in a child are seen by the parent. The children's "Failure" lines in the log are
// meant.
#include "tests/fake_driver/fake_driver.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace gemm::fake {
namespace {

TEST(InChild, TellsSuccessFromFailure) {
  EXPECT_TRUE(InChild([](FakeDriver&) {}));
  EXPECT_FALSE(InChild([](FakeDriver&) { EXPECT_EQ(1, 2) << "on purpose"; }));
  EXPECT_FALSE(InChild([](FakeDriver&) { ASSERT_TRUE(false) << "on purpose"; }));
  EXPECT_FALSE(InChild([](FakeDriver&) { std::_Exit(3); }));
  EXPECT_FALSE(InChild([](FakeDriver&) { __builtin_trap(); }));
  EXPECT_FALSE(InChildWithoutDriver([] { ADD_FAILURE() << "on purpose"; }));
  EXPECT_FALSE(testing::Test::HasFailure());
}

TEST(InChild, TheFakeAnswersToTheDriversName) {
  EXPECT_TRUE(InChild([](FakeDriver&) {
    void* by_name = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(by_name, nullptr);
    EXPECT_EQ(by_name, dlopen((FakeDriver::Folder() + "/libcuda.so.1").c_str(), RTLD_NOW | RTLD_LOCAL));
    EXPECT_NE(dlsym(by_name, "cuGetProcAddress_v2"), nullptr);
    EXPECT_NE(dlsym(by_name, "gemm_fake_launch_count"), nullptr);
  }));
}

TEST(FakeDriver, ReadsTheEnvironment) {
  setenv("GEMM_FAKE_CUDA_VERSION", "12020", 1);
  EXPECT_TRUE(InChild([](FakeDriver&) {
    void* library = dlopen("libcuda.so.1", RTLD_NOW);
    ASSERT_NE(library, nullptr);
    auto* get_version = reinterpret_cast<int (*)(int*)>(dlsym(library, "cuDriverGetVersion"));
    int version = 0;
    EXPECT_EQ(get_version(&version), 0);
    EXPECT_EQ(version, 12020);
  }));
  unsetenv("GEMM_FAKE_CUDA_VERSION");
}

TEST(FakeDriver, RefusesSettingsThatItDoesNotHave) {
  EXPECT_FALSE(InChild([](FakeDriver& driver) { driver.Set("DEVICE", "h200"); }));
  EXPECT_FALSE(InChild([](FakeDriver& driver) { driver.Set("DEVICES", "h200,h201"); }));
  EXPECT_FALSE(InChild([](FakeDriver& driver) { driver.Set("VERSION", "12.0"); }));
}

}  // namespace
}  // namespace gemm::fake
