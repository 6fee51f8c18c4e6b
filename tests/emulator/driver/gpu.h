// What the tests of the driver share: calls that must succeed, kernels as text, and processes of their own for what a process can
// do only once.
#pragma once

#include <cuda.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

extern "C" {
std::size_t emulator_last_report(char* text, std::size_t size);
int emulator_version();
bool emulator_restart(std::uint64_t seed);
}

namespace emu::testing {

std::string Name(CUresult result);
std::string LastReport();

// Expectations about a call.
#define EXPECT_CU(expected, call) \
  EXPECT_EQ(::emu::testing::Name(expected), ::emu::testing::Name(call)) << "  " #call
#define ASSERT_CU(call) ASSERT_EQ(::emu::testing::Name(CUDA_SUCCESS), ::emu::testing::Name(call)) << "  " #call

// Runs the body in a process of its own that has the variables (name, value) and no others of the emulator's. Its failures
// are the test's.
using Variables = std::vector<std::pair<std::string, std::string>>;
void InProcess(const Variables& variables, const std::function<void()>& body);

// ".visible .entry name(params) { registers; body }" behind the header for the target. %r, %rd, %p, %f, %h are declared.
std::string Kernel(const std::string& name, const std::string& params, const std::string& body);
std::string Header(const std::string& target = "sm_90a");
std::string Module(const std::string& kernels, const std::string& target = "sm_90a");

// out[i] = in[i] + add for the grid's threads.
extern const char kAddParams[];
extern const char kAddBody[];
// A module with that kernel, "add", for any device from sm_80 on.
std::string AddModule();

CUmodule Load(const std::string& text);
CUfunction FunctionOf(CUmodule module, const char* name);

struct Grid {
  unsigned blocks = 1, threads = 32, shared = 0;
  unsigned cluster = 0;  // 0: no attribute
  bool cooperative = false, programmatic = false;
  CUstream stream = nullptr;
};
// Launches with the parameters, each given by its address.
CUresult LaunchWith(CUfunction function, const Grid& grid, std::vector<void*> parameters);

template <class... T>
CUresult Launch(CUfunction function, const Grid& grid, T... parameters) {
  return LaunchWith(function, grid, {static_cast<void*>(&parameters)...});
}

template <class T>
CUdeviceptr ToDevice(const std::vector<T>& values) {
  CUdeviceptr address = 0;
  EXPECT_CU(CUDA_SUCCESS, cuMemAlloc(&address, values.size() * sizeof(T)));
  EXPECT_CU(CUDA_SUCCESS, cuMemcpyHtoD(address, values.data(), values.size() * sizeof(T)));
  return address;
}
template <class T>
std::vector<T> FromDevice(CUdeviceptr address, std::size_t count) {
  std::vector<T> values(count);
  EXPECT_CU(CUDA_SUCCESS, cuMemcpyDtoH(values.data(), address, count * sizeof(T)));
  return values;
}

// A fresh context on the first device, current, for each test.
class Gpu : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;
  CUcontext context() const { return context_; }

 private:
  CUcontext context_ = nullptr;
};

// The same without a fixture, for processes of their own.
CUcontext Start();

}  // namespace emu::testing
