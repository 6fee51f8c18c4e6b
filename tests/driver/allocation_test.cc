// Memory that runs out while code is found and loaded is a status, and the next call works as if nothing had been.
#include <gtest/gtest.h>

#include <cstddef>

#include "common/driver/api.h"
#include "common/driver/driver.h"
#include "tests/driver/driver_test_image.h"
#include "tests/fake_driver/allocations.h"
#include "tests/fake_driver/fake_driver.h"

namespace gemm::driver {
namespace {

using fake::FakeDriver;
using fake::InChild;

Status Find(Kernel* kernel) {
  return FindKernel(images::driver_test_image, "probe", "driver_test_shared", 0, 100000, kernel);
}

constexpr std::size_t kMost = 40;  // allocations of a first call

TEST(FindKernel, AllocatesLittle) {
  EXPECT_TRUE(InChild([](FakeDriver&) {
    const ContextScope scope(0);
    Kernel kernel;
    {
      const fake::Watch watch;
      EXPECT_TRUE(Find(&kernel).ok());
    }
    EXPECT_GT(fake::Allocations(), 5u) << "what the other test makes fail";
    EXPECT_LT(fake::Allocations(), kMost);
  }));
}

TEST(FindKernel, AnAllocationThatFailsLeavesNothingBehind) {
  for (std::size_t number = 1; number < kMost; ++number) {
    EXPECT_TRUE(InChild([number](FakeDriver& driver) {
      const ContextScope scope(0);
      Kernel kernel;
      Status status;
      {
        const fake::Watch watch(number);
        status = Find(&kernel);
      }
      EXPECT_TRUE(status.ok() || status.code() == StatusCode::kOutOfMemory) << status.message();
      status = Find(&kernel);
      EXPECT_TRUE(status.ok()) << status.message();
      EXPECT_TRUE(Launch(kernel, LaunchShape(), nullptr, nullptr).ok());
      EXPECT_EQ(driver.alive("library"), 1u);
    })) << "allocation "
        << number;
  }
}

}  // namespace
}  // namespace gemm::driver
