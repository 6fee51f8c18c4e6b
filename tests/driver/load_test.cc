// Loading the driver, devices and contexts, on the fake driver.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "common/driver/api.h"
#include "common/driver/driver.h"
#include "tests/fake_driver/fake_driver.h"

namespace gemm::driver {
namespace {

using fake::FakeDriver;
using fake::InChild;

// Load() twice, the second time from memory.
Status LoadTwice() {
  const Api* api = nullptr;
  const Status first = Load(&api);
  EXPECT_EQ(api != nullptr, first.ok());
  const Status second = Load(&api);
  EXPECT_EQ(first.code(), second.code());
  EXPECT_EQ(first.message(), second.message());
  return first;
}

void ExpectEveryFunction(const Api& api) {
#define GEMM_DRIVER_FUNCTION(name, version) EXPECT_NE(api.name, nullptr) << #name;
#include "common/driver/functions.inc"
#undef GEMM_DRIVER_FUNCTION
}

TEST(Load, FindsEveryFunction) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    EXPECT_TRUE(LoadTwice().ok());
    EXPECT_EQ(driver.calls("cuInit"), 1u);
    const Api* api = nullptr;
    ASSERT_TRUE(Load(&api).ok());
    ExpectEveryFunction(*api);
  }));
}

TEST(Load, SaysThatThereIsNoDriver) {
  EXPECT_TRUE(fake::InChildWithoutDriver([] {
    if (dlopen("libcuda.so.1", RTLD_NOW) != nullptr) return;  // a machine with a driver cannot show this
    const Status status = LoadTwice();
    EXPECT_EQ(status.code(), StatusCode::kNoDriver);
    EXPECT_NE(status.message().find("libcuda.so.1"), std::string::npos) << status.message();
  }));
}

TEST(Load, WorksWithTheOldestDriverAllowed) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    driver.Set("VERSION", "12000");
    EXPECT_TRUE(LoadTwice().ok());
  }));
}

TEST(Load, RefusesAnOlderDriver) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    driver.Set("VERSION", "11080");
    const Status status = LoadTwice();
    EXPECT_EQ(status.code(), StatusCode::kDriverTooOld);
    EXPECT_EQ(status.message(), "the NVIDIA driver supports CUDA 11.8; 12.0 or newer is needed");
    EXPECT_EQ(driver.calls("cuInit"), 0u);
  }));
}

TEST(Load, NamesTheFunctionThatIsMissing) {
  const char* const functions[] = {
#define GEMM_DRIVER_FUNCTION(name, version) "cu" #name,
#include "common/driver/functions.inc"
#undef GEMM_DRIVER_FUNCTION
  };
  for (const std::string function : functions) {
    EXPECT_TRUE(InChild([&function](FakeDriver& driver) {
      driver.Set("MISSING", function);
      const Status status = LoadTwice();
      EXPECT_EQ(status.code(), StatusCode::kDriverTooOld);
      EXPECT_NE(status.message().find("lacks " + function + " of CUDA "), std::string::npos)
          << status.message();
    }));
  }
}

TEST(Load, SaysThatThereIsNoDevice) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    driver.Set("DEVICES", "none");
    const Status status = LoadTwice();
    EXPECT_EQ(status.code(), StatusCode::kNoDevice);
    EXPECT_EQ(status.message(), "the NVIDIA driver sees no device");
  }));
}

TEST(Load, PassesOnWhatCuInitSays) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    driver.Set("FAIL", "cuInit:999");
    const Status status = LoadTwice();
    EXPECT_EQ(status.code(), StatusCode::kDriverError);
    EXPECT_EQ(status.message(), "cuInit failed: CUDA_ERROR_UNKNOWN (unknown error)");
  }));
}

TEST(Load, KnowsTheToolkitsStub) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    driver.Set("FAIL", "cuDriverGetVersion:34");
    EXPECT_EQ(LoadTwice().code(), StatusCode::kNoDriver);
  }));
}

TEST(Load, AllFunctionsReportTheSameFailure) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    driver.Set("VERSION", "11040");
    int number = -2;
    std::string name = "unchanged";
    Kernel kernel;
    void* function = nullptr;
    CUtensorMap map;
    EXPECT_EQ(CurrentDevice(&number).code(), StatusCode::kDriverTooOld);
    EXPECT_EQ(DeviceCount(&number).code(), StatusCode::kDriverTooOld);
    EXPECT_EQ(DeviceAttribute(0, CU_DEVICE_ATTRIBUTE_WARP_SIZE, &number).code(), StatusCode::kDriverTooOld);
    EXPECT_EQ(DeviceName(0, &name).code(), StatusCode::kDriverTooOld);
    EXPECT_EQ(FindKernel(Image{"i", nullptr, 0}, "s", "k", 0, 0, &kernel).code(), StatusCode::kDriverTooOld);
    EXPECT_EQ(Launch(kernel, LaunchShape(), nullptr, nullptr).code(), StatusCode::kDriverTooOld);
    EXPECT_EQ(EncodeTensorMap(TensorMapShape(), nullptr, &map).code(), StatusCode::kDriverTooOld);
    EXPECT_EQ(FindFunction("cuMemAlloc", 3020, &function).code(), StatusCode::kDriverTooOld);
    EXPECT_EQ(ContextScope(0).status().code(), StatusCode::kDriverTooOld);
    EXPECT_EQ(number, -2);
    EXPECT_EQ(name, "unchanged");
  }));
}

TEST(Load, ThreadsThatRaceLoadOnce) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    std::atomic<int> ready{0};
    std::atomic<int> loaded{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 16; ++i) {
      threads.emplace_back([&] {
        ++ready;
        while (ready < 16) std::this_thread::yield();
        const Api* api = nullptr;
        if (Load(&api).ok() && api->LaunchKernelEx != nullptr) ++loaded;
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(loaded, 16);
    EXPECT_EQ(driver.calls("cuInit"), 1u);
  }));
}

TEST(FindFunction, FindsWhatLibgemmDoesNotCallAndNamesWhatIsNotThere) {
  EXPECT_TRUE(InChild([](FakeDriver&) {
    void* function = nullptr;
    EXPECT_TRUE(FindFunction("cuMemAlloc", 3020, &function).ok());
    EXPECT_NE(function, nullptr);
    const Status status = FindFunction("cuNoSuchThing", 12030, &function);
    EXPECT_EQ(status.code(), StatusCode::kDriverTooOld);
    EXPECT_EQ(status.message(), "the NVIDIA driver (CUDA 13.0) lacks cuNoSuchThing of CUDA 12.3");
    EXPECT_EQ(function, nullptr);
    // An ABI that is newer than the function's.
    EXPECT_FALSE(FindFunction("cuCtxGetDevice", 13000, &function).ok());
  }));
}

TEST(Check, NamesTheCallAndTheError) {
  EXPECT_TRUE(InChild([](FakeDriver&) {
    EXPECT_TRUE(Check(CUDA_SUCCESS, "cuX").ok());
    const Status memory = Check(CUDA_ERROR_OUT_OF_MEMORY, "cuMemAlloc");
    EXPECT_EQ(memory.code(), StatusCode::kOutOfMemory);
    EXPECT_EQ(memory.message(), "cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
    const Status other = Check(CUDA_ERROR_ILLEGAL_ADDRESS, "cuLaunchKernelEx");
    EXPECT_EQ(other.code(), StatusCode::kDriverError);
    EXPECT_EQ(other.message(),
              "cuLaunchKernelEx failed: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)");
    // A number that the driver does not know.
    EXPECT_EQ(Check(static_cast<CUresult>(4321), "cuX").message(), "cuX failed: CUDA error 4321");
    // A sentence that is too long is cut, not written past its end.
    EXPECT_LT(Check(CUDA_ERROR_UNKNOWN, std::string(5000, 'x').c_str()).message().size(), 1100u);
  }));
}

TEST(Devices, AreDescribed) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    driver.Set("DEVICES", "rtx4090,t4");
    int count = 0;
    int major = 0;
    int minor = 0;
    std::string name;
    EXPECT_TRUE(DeviceCount(&count).ok());
    EXPECT_EQ(count, 2);
    EXPECT_TRUE(DeviceAttribute(1, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major).ok());
    EXPECT_TRUE(DeviceAttribute(1, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor).ok());
    EXPECT_EQ(10 * major + minor, 75);
    EXPECT_TRUE(DeviceName(0, &name).ok());
    EXPECT_EQ(name, "NVIDIA GeForce RTX 4090");
    for (const int bad : {-1, 2, 1 << 30}) {
      const Status status = DeviceName(bad, &name);
      EXPECT_EQ(status.code(), StatusCode::kNoDevice);
      EXPECT_EQ(status.message(), "device is " + std::to_string(bad) + "; the driver sees 2, numbered from 0");
      EXPECT_EQ(DeviceAttribute(bad, CU_DEVICE_ATTRIBUTE_WARP_SIZE, &count).code(), StatusCode::kNoDevice);
      EXPECT_EQ(ContextScope(bad).status().code(), StatusCode::kNoDevice);
    }
    const Status unknown = DeviceAttribute(0, static_cast<CUdevice_attribute>(9999), &count);
    EXPECT_EQ(unknown.code(), StatusCode::kDriverError);
  }));
}

// Makes a context current and pops it at the end of the scope.
class Pushed {
 public:
  explicit Pushed(int device) {
    EXPECT_TRUE(Load(&api_).ok());
    EXPECT_EQ(api_->DevicePrimaryCtxRetain(&context_, device), CUDA_SUCCESS);
    EXPECT_EQ(api_->CtxPushCurrent(context_), CUDA_SUCCESS);
  }
  ~Pushed() { EXPECT_EQ(api_->CtxPopCurrent(&context_), CUDA_SUCCESS); }

 private:
  const Api* api_ = nullptr;
  CUcontext context_ = nullptr;
};

TEST(ContextScope, LendsAThreadThePrimaryContext) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    int device = -2;
    EXPECT_TRUE(CurrentDevice(&device).ok());
    EXPECT_EQ(device, -1);
    for (int i = 0; i < 3; ++i) {
      const ContextScope scope(0);
      EXPECT_TRUE(scope.status().ok());
      EXPECT_EQ(driver.context_depth(), 1u);
      EXPECT_TRUE(CurrentDevice(&device).ok());
      EXPECT_EQ(device, 0);
    }
    EXPECT_EQ(driver.context_depth(), 0u);
    EXPECT_EQ(driver.calls("cuDevicePrimaryCtxRetain"), 1u);
    EXPECT_EQ(driver.calls("cuCtxPopCurrent"), 3u);
  }));
}

TEST(ContextScope, LeavesTheCallersContextAlone) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    driver.Set("DEVICES", "h200,h100");
    const Pushed context(1);
    const std::size_t pushes = driver.calls("cuCtxPushCurrent");
    {
      const ContextScope scope(1);
      EXPECT_TRUE(scope.status().ok());
    }
    EXPECT_EQ(driver.calls("cuCtxPushCurrent"), pushes);
    EXPECT_EQ(driver.calls("cuCtxPopCurrent"), 0u);
    EXPECT_EQ(driver.context_depth(), 1u);
  }));
}

TEST(ContextScope, RefusesAnotherDevicesContext) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    driver.Set("DEVICES", "h200,h100");
    const Pushed context(1);
    {
      const ContextScope scope(0);
      EXPECT_EQ(scope.status().code(), StatusCode::kWrongDevice);
      EXPECT_EQ(scope.status().message(), "the current context belongs to device 1; device 0 is needed");
    }
    EXPECT_EQ(driver.context_depth(), 1u);
  }));
}

TEST(ContextScope, ReportsTheDriversFailuresAndTriesAgain) {
  for (const char* call : {"cuCtxGetDevice", "cuDevicePrimaryCtxRetain", "cuCtxPushCurrent"}) {
    EXPECT_TRUE(InChild([call](FakeDriver& driver) {
      driver.Set("FAIL", std::string(call) + ":2");
      {
        const ContextScope scope(0);
        EXPECT_EQ(scope.status().code(), StatusCode::kOutOfMemory);
        EXPECT_EQ(scope.status().message(),
                  std::string(call) + " failed: CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
      }
      EXPECT_EQ(driver.calls("cuCtxPopCurrent"), 0u);
      driver.Set("FAIL", "");
      EXPECT_TRUE(ContextScope(0).status().ok());
      EXPECT_EQ(driver.context_depth(), 0u);
    }));
  }
}

TEST(ContextScope, ThreadsRetainThePrimaryContextOnce) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    std::atomic<int> ready{0};
    std::atomic<int> good{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 16; ++i) {
      threads.emplace_back([&] {
        ++ready;
        while (ready < 16) std::this_thread::yield();
        const ContextScope scope(0);
        if (scope.status().ok() && driver.context_depth() == 1) ++good;
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(good, 16);
    EXPECT_EQ(driver.calls("cuDevicePrimaryCtxRetain"), 1u);
  }));
}

}  // namespace
}  // namespace gemm::driver
