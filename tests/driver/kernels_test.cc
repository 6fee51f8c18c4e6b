// Finding and launching kernels and encoding tensor maps, on the fake driver: real code, which does not run.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "common/driver/api.h"
#include "common/driver/driver.h"
#include "common/driver/unpack.h"
#include "tests/driver/driver_test_hopper_image.h"
#include "tests/driver/driver_test_image.h"
#include "tests/fake_driver/fake_driver.h"

namespace gemm::driver {
namespace {

using fake::FakeDriver;
using fake::InChild;
using images::driver_test_hopper_image;
using images::driver_test_image;

Status Find(const char* symbol, int shared_bytes, Kernel* kernel, int device = 0) {
  return FindKernel(driver_test_image, "probe", symbol, device, shared_bytes, kernel);
}

// The target of the code that a launch of driver_test_store takes on `profile`.
std::string TargetOn(FakeDriver& driver, const char* profile) {
  driver.Set("DEVICES", profile);
  const ContextScope scope(0);
  Kernel kernel;
  const Status found = Find("driver_test_store", 0, &kernel);
  EXPECT_TRUE(found.ok()) << found.message();
  const Status launched = Launch(kernel, LaunchShape(), nullptr, nullptr);
  EXPECT_TRUE(launched.ok()) << launched.message();
  if (driver.launch_count() != 1) return "no launch";
  for (std::size_t i = 0; i < driver_test_image.count; ++i) {
    const Code& code = driver_test_image.codes[i];
    std::string unpacked;
    EXPECT_TRUE(Unpack(code, &unpacked).ok());
    const fake::Launch launch = driver.launch(0);
    const bool taken = unpacked == std::string_view(static_cast<const char*>(launch.code), launch.code_bytes);
    if (taken) return code.target;
  }
  return "unknown code";
}

TEST(FindKernel, TakesTheCodeOfTheArchitecture) {
  const std::pair<const char*, const char*> cases[] = {
      {"h200", "sm_90a"},   {"a100", "sm_80"},           {"rtx3090", "sm_80"},
      {"rtx4090", "sm_80"}, {"rtx5070ti", "compute_80"},
  };
  for (const auto& [profile, target] : cases) {
    EXPECT_TRUE(InChild([&](FakeDriver& driver) { EXPECT_EQ(TargetOn(driver, profile), target); })) << profile;
  }
}

TEST(FindKernel, FallsBackToPtxWhenTheDriverRefusesCubins) {
  for (const char* late : {"", "1"}) {
    EXPECT_TRUE(InChild([&](FakeDriver& driver) {
      driver.Set("REFUSE", "cubin");
      driver.Set("REFUSE_LATE", late);
      EXPECT_EQ(TargetOn(driver, "h200"), "compute_80");
      // The refused library did not stay.
      EXPECT_EQ(driver.alive("library"), 1u);
    }));
  }
}

TEST(FindKernel, FallsThroughOnEveryRefusalOfTheDriver) {
  // INVALID_IMAGE, NO_BINARY_FOR_GPU, INVALID_PTX, JIT_COMPILER_NOT_FOUND, UNSUPPORTED_PTX_VERSION,
  // JIT_COMPILATION_DISABLED, INVALID_SOURCE, NOT_SUPPORTED: all codes are tried, and the driver is what is too
  // old.
  for (const int error : {200, 209, 218, 221, 222, 223, 300, 801}) {
    EXPECT_TRUE(InChild([error](FakeDriver& driver) {
      driver.Set("FAIL", "cuLibraryLoadData:" + std::to_string(error));
      const ContextScope scope(0);
      Kernel kernel;
      const Status status = Find("driver_test_store", 0, &kernel);
      EXPECT_EQ(status.code(), StatusCode::kDriverTooOld);
      EXPECT_EQ(driver.calls("cuLibraryLoadData"), 2u);  // sm_90a, compute_80
      EXPECT_EQ(kernel.handle, nullptr);
    })) << error;
  }
}

TEST(FindKernel, SaysWhyNothingLoads) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    driver.Set("REFUSE", "cubin,ptx");
    driver.Set("VERSION", "12040");
    const ContextScope scope(0);
    Kernel kernel;
    const Status status = Find("driver_test_store", 0, &kernel);
    EXPECT_EQ(status.code(), StatusCode::kDriverTooOld);
    for (const char* part : {"CUDA 12.4", "device 0", "sm_90a", "compute_80", "cuLibraryLoadData"}) {
      EXPECT_NE(status.message().find(part), std::string::npos) << part << " in " << status.message();
    }
    EXPECT_EQ(driver.alive("library"), 0u);
    // The next driver function call works as if nothing had been.
    driver.Set("REFUSE", "cubin");
    driver.Set("VERSION", "13000");
    EXPECT_TRUE(Find("driver_test_store", 0, &kernel).ok());
  }));
}

// The driver is not to blame, so no other code is tried.
TEST(FindKernel, SaysThatEmbeddedCodeIsDamaged) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    std::vector<Code> codes(driver_test_image.codes, driver_test_image.codes + driver_test_image.count);
    for (Code& code : codes) --code.size;
    const Image damaged = {"damaged", codes.data(), codes.size()};
    const ContextScope scope(0);
    Kernel kernel;
    for (int i = 0; i < 2; ++i) {
      const Status status = FindKernel(damaged, "probe", "driver_test_store", 0, 0, &kernel);
      EXPECT_EQ(status.code(), StatusCode::kInternal);
      EXPECT_EQ(status.message(), "the embedded code of probe for sm_90a is damaged");
    }
    EXPECT_EQ(driver.calls("cuLibraryLoadData"), 0u);
  }));
}

TEST(FindKernel, DoesNotHideOtherErrors) {
  for (const char* call :
       {"cuLibraryLoadData", "cuLibraryGetKernel", "cuKernelGetFunction", "cuKernelSetAttribute"}) {
    EXPECT_TRUE(InChild([call](FakeDriver& driver) {
      const ContextScope scope(0);
      Kernel kernel;
      driver.Set("FAIL", std::string(call) + ":2");
      Status status = Find("driver_test_shared", 100000, &kernel);
      EXPECT_EQ(status.code(), StatusCode::kOutOfMemory);
      EXPECT_NE(status.message().find(call), std::string::npos) << status.message();
      EXPECT_NE(status.message().find("driver_test_shared"), std::string::npos) << status.message();
      EXPECT_EQ(driver.alive("library"), 0u);
      driver.Set("FAIL", std::string(call) + ":700");
      status = Find("driver_test_shared", 100000, &kernel);
      EXPECT_EQ(status.code(), StatusCode::kDriverError);
      EXPECT_EQ(kernel.handle, nullptr);
      driver.Set("FAIL", "");
      EXPECT_TRUE(Find("driver_test_shared", 100000, &kernel).ok());
    })) << call;
  }
}

TEST(FindKernel, RefusesADeviceThatNoCodeFits) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    driver.Set("DEVICES", "rtx4090");
    const ContextScope scope(0);
    Kernel kernel;
    const Status status =
        FindKernel(driver_test_hopper_image, "probe_hopper", "driver_test_cluster", 0, 0, &kernel);
    EXPECT_EQ(status.code(), StatusCode::kUnsupported);
    EXPECT_EQ(
        status.message(),
        "device 0 has compute capability 8.9; image driver_test_hopper_image has code of probe_hopper for "
        "sm_90a, compute_90a only");
    EXPECT_EQ(driver.calls("cuLibraryLoadData"), 0u);
  }));
}

TEST(FindKernel, NamesASourceOrSymbolThatIsNotThere) {
  EXPECT_TRUE(InChild([](FakeDriver&) {
    const ContextScope scope(0);
    Kernel kernel;
    Status status = FindKernel(driver_test_image, "nothing", "driver_test_store", 0, 0, &kernel);
    EXPECT_EQ(status.code(), StatusCode::kInternal);
    EXPECT_EQ(status.message(), "image driver_test_image has no code of source nothing");
    status = Find("driver_test_stor", 0, &kernel);
    EXPECT_EQ(status.code(), StatusCode::kInternal);
    EXPECT_EQ(status.message(), "image driver_test_image, probe for sm_90a has no kernel driver_test_stor");
    EXPECT_TRUE(Find("driver_test_store", 0, &kernel).ok());
    EXPECT_EQ(Find("driver_test_store", 0, &kernel, 1).code(), StatusCode::kNoDevice);
  }));
}

TEST(FindKernel, NeedsAContext) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    Kernel kernel;
    const Status status = Find("driver_test_store", 0, &kernel);
    EXPECT_EQ(status.code(), StatusCode::kDriverError);
    EXPECT_EQ(driver.alive("library"), 0u);
  }));
}

TEST(FindKernel, LoadsEachCodeOnce) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    driver.Set("DEVICES", "h200,h100,a100");
    Kernel first;
    Kernel again;
    Kernel other;
    for (int device = 0; device < 3; ++device) {
      const ContextScope scope(device);
      EXPECT_TRUE(Find("driver_test_store", 0, &first, device).ok());
      EXPECT_TRUE(Find("driver_test_store", 0, &again, device).ok());
      EXPECT_TRUE(Find("driver_test_shared", 0, &other, device).ok());
      EXPECT_EQ(first.handle, again.handle);
      EXPECT_NE(first.handle, other.handle);
    }
    EXPECT_EQ(driver.calls("cuLibraryLoadData"), 2u);  // sm_90a for two devices, sm_80 for one
  }));
}

TEST(FindKernel, SharedMemoryLimitOnlyGrows) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    driver.Set("DEVICES", "h200,h200");
    Kernel kernel;
    LaunchShape shape;
    shape.shared_bytes = 200000;
    for (int device = 0; device < 2; ++device) {
      const ContextScope scope(device);
      EXPECT_TRUE(Find("driver_test_shared", 1000, &kernel, device).ok());
      EXPECT_FALSE(Launch(kernel, shape, nullptr, nullptr).ok());
      EXPECT_TRUE(Find("driver_test_shared", 200000, &kernel, device).ok());
      EXPECT_TRUE(Find("driver_test_shared", 1000, &kernel, device).ok());
      EXPECT_TRUE(Launch(kernel, shape, nullptr, nullptr).ok());
    }
    EXPECT_EQ(driver.calls("cuKernelSetAttribute"), 4u);
    const ContextScope scope(0);
    const Status status = Find("driver_test_shared", 300000, &kernel);
    EXPECT_EQ(status.code(), StatusCode::kDriverError);
    EXPECT_NE(status.message().find("300000 bytes of shared memory"), std::string::npos) << status.message();
  }));
}

TEST(FindKernel, ThreadsThatRaceLoadOnce) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    std::atomic<int> ready{0};
    std::atomic<int> good{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 16; ++i) {
      threads.emplace_back([&, i] {
        ++ready;
        while (ready < 16) std::this_thread::yield();
        const ContextScope scope(0);
        Kernel kernel;
        const char* symbol = i % 2 == 0 ? "driver_test_store" : "driver_test_shared";
        if (Find(symbol, 1000 * i, &kernel).ok() && Launch(kernel, LaunchShape(), nullptr, nullptr).ok())
          ++good;
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(good, 16);
    EXPECT_EQ(driver.calls("cuLibraryLoadData"), 1u);
    EXPECT_EQ(driver.launch_count(), 16u);
  }));
}

TEST(Launch, PassesOnTheShape) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    const ContextScope scope(0);
    Kernel kernel;
    ASSERT_TRUE(Find("driver_test_store", 0, &kernel).ok());
    unsigned seen = 0;
    driver.Observe([](const fake::Launch&, void** params,
                      void* user) { *static_cast<unsigned*>(user) = *static_cast<unsigned*>(params[1]); },
                   &seen);
    void* out = nullptr;
    unsigned value = 77;
    void* params[] = {&out, &value};
    LaunchShape shape = {{6, 4, 2}, {64, 2, 1}, {2, 1, 2}, 4096, true};
    ASSERT_TRUE(Launch(kernel, shape, nullptr, params).ok());
    EXPECT_EQ(seen, 77u);
    const fake::Launch& launch = driver.launch(0);
    EXPECT_STREQ(launch.kernel, "driver_test_store");
    EXPECT_EQ(std::vector<unsigned>(launch.grid, launch.grid + 3), (std::vector<unsigned>{6, 4, 2}));
    EXPECT_EQ(std::vector<unsigned>(launch.block, launch.block + 3), (std::vector<unsigned>{64, 2, 1}));
    EXPECT_EQ(std::vector<unsigned>(launch.cluster, launch.cluster + 3), (std::vector<unsigned>{2, 1, 2}));
    EXPECT_EQ(launch.shared_bytes, 4096u);
    EXPECT_EQ(launch.programmatic, 1);
    EXPECT_EQ(launch.stream, nullptr);
    // Without clusters and programmatic launch there is no attribute, as older devices know none.
    ASSERT_TRUE(Launch(kernel, LaunchShape(), nullptr, params).ok());
    EXPECT_EQ(driver.launch(1).cluster[0], 0u);
    EXPECT_EQ(driver.launch(1).programmatic, 0);
  }));
}

TEST(Launch, ReportsFailures) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    Kernel kernel;
    {
      const ContextScope scope(0);
      ASSERT_TRUE(Find("driver_test_store", 0, &kernel).ok());
      EXPECT_EQ(Launch(Kernel(), LaunchShape(), nullptr, nullptr).code(), StatusCode::kDriverError);
      LaunchShape uneven = {{3, 1, 1}, {32, 1, 1}, {2, 1, 1}, 0, false};
      const Status status = Launch(kernel, uneven, nullptr, nullptr);
      EXPECT_EQ(status.message(), "cuLaunchKernelEx failed: CUDA_ERROR_INVALID_VALUE (invalid argument)");
      driver.Set("FAIL", "cuLaunchKernelEx:719");
      EXPECT_EQ(Launch(kernel, LaunchShape(), nullptr, nullptr).message(),
                "cuLaunchKernelEx failed: CUDA_ERROR_LAUNCH_FAILED (unspecified launch failure)");
      driver.Set("FAIL", "");
    }
    EXPECT_EQ(Launch(kernel, LaunchShape(), nullptr, nullptr).code(), StatusCode::kDriverError);
    EXPECT_EQ(driver.launch_count(), 0u);
  }));
}

TEST(Launch, IsOneCallOfTheDriver) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    Kernel kernel;
    {
      const ContextScope scope(0);
      ASSERT_TRUE(Find("driver_test_store", 0, &kernel).ok());
    }
    const std::size_t before = driver.calls();
    {
      const ContextScope scope(0);
      ASSERT_TRUE(Launch(kernel, LaunchShape(), nullptr, nullptr).ok());
    }
    EXPECT_EQ(driver.calls() - before,
              4u);  // cuCtxGetDevice, cuCtxPushCurrent, cuLaunchKernelEx, cuCtxPopCurrent
  }));
}

TEST(EncodeTensorMap, PassesOnTheShape) {
  EXPECT_TRUE(InChild([](FakeDriver&) {
    TensorMapShape shape;
    shape.rank = 3;
    shape.extent[0] = 4096;
    shape.extent[1] = 100;
    shape.extent[2] = 7;
    shape.stride_bytes[0] = 8208;
    shape.stride_bytes[1] = 0;
    shape.box[0] = 64;
    shape.box[1] = 128;
    shape.box[2] = 1;
    shape.promotion = CU_TENSOR_MAP_L2_PROMOTION_L2_256B;
    CUtensorMap map;
    const Status status = EncodeTensorMap(shape, reinterpret_cast<void*>(0x1000), &map);
    ASSERT_TRUE(status.ok()) << status.message();
    fake::TensorMap encoded;
    std::memcpy(&encoded, &map, sizeof(encoded));
    EXPECT_EQ(encoded.address, 0x1000u);
    EXPECT_EQ(encoded.rank, 3);
    EXPECT_EQ(encoded.extent[1], 100u);
    EXPECT_EQ(encoded.stride_bytes[0], 8208u);
    EXPECT_EQ(encoded.box[1], 128);
    EXPECT_EQ(encoded.type, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
    EXPECT_EQ(encoded.swizzle, CU_TENSOR_MAP_SWIZZLE_128B);
    EXPECT_EQ(encoded.promotion, CU_TENSOR_MAP_L2_PROMOTION_L2_256B);
    EXPECT_EQ(EncodeTensorMap(shape, reinterpret_cast<void*>(0x1008), &map).message(),
              "cuTensorMapEncodeTiled failed: CUDA_ERROR_INVALID_VALUE (invalid argument)");
    shape.stride_bytes[0] = 8200;
    EXPECT_FALSE(EncodeTensorMap(shape, reinterpret_cast<void*>(0x1000), &map).ok());
  }));
}

}  // namespace
}  // namespace gemm::driver
