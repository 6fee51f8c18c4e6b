// Known devices, and live ones as the fake driver plays them.
#include "common/dispatch/device.h"

#include <sstream>
#include <string>

#include "common/dispatch/explain.h"
#include "common/dispatch/query.h"
#include "gtest/gtest.h"
#include "tests/fake_driver/fake_driver.h"

namespace gemm::dispatch {
namespace {

TEST(KnownDevices, AreListedAndFound) {
  std::istringstream names(KnownDeviceNames());
  int count = 0;
  for (std::string name; std::getline(names >> std::ws, name, ',');) {
    const Device* device = FindKnownDevice(name);
    ASSERT_NE(device, nullptr) << name;
    EXPECT_GE(device->compute_capability(), 80) << name;
    EXPECT_GT(device->sm_count, 0) << name;
    EXPECT_GT(device->l2_bytes, 1 << 20) << name;
    EXPECT_GE(device->max_shared_bytes_per_block, 99 << 10) << name;
    EXPECT_GT(device->sm_clock_mhz, 500) << name;
    EXPECT_GT(device->memory_bandwidth_gbs, 100) << name;
    ++count;
  }
  EXPECT_GE(count, 7);
  EXPECT_EQ(FindKnownDevice("h2000"), nullptr);
  EXPECT_EQ(FindKnownDevice(""), nullptr);
}

TEST(QueryDevice, AgreesWithTheKnownOnes) {
  for (const char* name : {"h200", "h100", "a100", "rtx3090", "rtx4090", "rtx5070ti", "rtx5060laptop"}) {
    EXPECT_TRUE(fake::InChild([&](fake::FakeDriver& driver) {
      driver.Set("DEVICES", name);
      Device live;
      const Status status = QueryDevice(0, &live);
      ASSERT_TRUE(status.ok()) << status.message();
      const Device& known = *FindKnownDevice(name);
      EXPECT_EQ(live.compute_capability(), known.compute_capability()) << name;
      EXPECT_EQ(live.sm_count, known.sm_count) << name;
      EXPECT_EQ(live.l2_bytes, known.l2_bytes) << name;
      EXPECT_EQ(live.max_shared_bytes_per_block, known.max_shared_bytes_per_block) << name;
      EXPECT_NEAR(live.sm_clock_mhz, known.sm_clock_mhz, 0.02 * known.sm_clock_mhz) << name;
      EXPECT_NEAR(live.memory_bandwidth_gbs, known.memory_bandwidth_gbs, 0.02 * known.memory_bandwidth_gbs)
          << name;
      EXPECT_EQ(driver.alive("context"), 0u);
    })) << name;
  }
}

TEST(QueryDevice, RefusesAnOrdinalThatIsNotThere) {
  EXPECT_TRUE(fake::InChild([](fake::FakeDriver& driver) {
    driver.Set("DEVICES", "h200,a100");
    Device device;
    device.sm_count = 4711;
    for (const int ordinal : {2, -1, 1000}) {
      const Status status = QueryDevice(ordinal, &device);
      EXPECT_EQ(status.code(), StatusCode::kNoDevice);
      EXPECT_NE(status.message().find("the driver sees 2 devices"), std::string::npos) << status.message();
    }
    EXPECT_EQ(device.sm_count, 4711);
    EXPECT_TRUE(QueryDevice(1, &device).ok());
    EXPECT_EQ(device.compute_capability(), 80);
  }));
}

TEST(QueryDevice, AsksOnceForEachDevice) {
  EXPECT_TRUE(fake::InChild([](fake::FakeDriver& driver) {
    driver.Set("DEVICES", "h200,a100");
    Device first, second, again;
    ASSERT_TRUE(QueryDevice(0, &first).ok());
    ASSERT_TRUE(QueryDevice(1, &second).ok());
    const std::size_t asked = driver.calls("cuDeviceGetAttribute");
    ASSERT_TRUE(QueryDevice(0, &again).ok());
    EXPECT_EQ(ToString(again), ToString(first));
    EXPECT_NE(ToString(second), ToString(first));
    EXPECT_EQ(driver.calls("cuDeviceGetAttribute"), asked);
  }));
}

TEST(QueryDevice, AFailureIsNotRemembered) {
  EXPECT_TRUE(fake::InChild([](fake::FakeDriver& driver) {
    driver.Set("FAIL", "cuDeviceGetAttribute:999");
    Device device;
    EXPECT_FALSE(QueryDevice(0, &device).ok());
    driver.Set("FAIL", "");
    EXPECT_TRUE(QueryDevice(0, &device).ok());
  }));
}

TEST(QueryDevice, PassesOnWhatTheDriverSays) {
  EXPECT_TRUE(fake::InChild([](fake::FakeDriver& driver) {
    driver.Set("FAIL", "cuDeviceGetAttribute:999");
    Device device;
    const Status status = QueryDevice(0, &device);
    EXPECT_EQ(status.code(), StatusCode::kDriverError);
    EXPECT_NE(status.message().find("cuDeviceGetAttribute"), std::string::npos) << status.message();
  }));
}

TEST(ToString, IsOneLineAboutADevice) {
  EXPECT_EQ(ToString(*FindKnownDevice("h200")),
            "NVIDIA H200, compute capability 9.0, 132 SMs at 1980 MHz, 4814 GB/s, 60.0 MiB L2");
}

}  // namespace
}  // namespace gemm::dispatch
