// One case with a plan and device memory of its own, for tests of the API on a GPU.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "common/dispatch/query.h"
#include "common/dispatch/registry.h"
#include "tests/support/device_case.h"
#include "tests/support/gpu_environment.h"

namespace gemm::tests {

#define ASSERT_OK(expression)                                     \
  do {                                                            \
    const Status status_of_call = (expression);                   \
    ASSERT_TRUE(status_of_call.ok()) << status_of_call.message(); \
  } while (false)

// "hopper", "ampere", "simt"; "" for a name that no row has.
inline std::string BackendOf(const std::string& kernel) {
  const dispatch::KernelRow* row = dispatch::FindRow(dispatch::Registry(), kernel);
  return row == nullptr ? "" : row->family->backend;
}

inline dispatch::Device TheDevice() {
  dispatch::Device device;
  EXPECT_TRUE(dispatch::QueryDevice(0, &device).ok());
  return device;
}

inline Case ParseOne(const std::string& line) {
  std::vector<Case> cases;
  std::string error;
  EXPECT_TRUE(ParseCaseLine(line, "gpu_api_test", &cases, &error)) << line << ": " << error;
  return cases.empty() ? Case() : cases[0];
}

// A failed step of the constructor is a test failure, and good() is false.
class Product {
 public:
  explicit Product(const std::string& line, const PlanOptions& options = {})
      : host_(ParseOne(line)), device_(GuardMode::kZones) {
    const Status status = Plan::Create(problem(), options, &plan_);
    const std::string complaint = status.ok() ? device_.Load(&host_) : status.message();
    good_ =
        status.ok() && complaint.empty() && device_.MakeArguments(plan_.workspace_size(), &arguments_).empty();
    EXPECT_TRUE(good_) << line << ": " << complaint;
  }

  bool good() const { return good_; }
  const Problem& problem() const { return host_.description().problem; }
  const Plan& plan() const { return plan_; }
  const Arguments& arguments() const { return arguments_; }
  Arguments ArgumentsOn(Stream stream) const {
    Arguments arguments = arguments_;
    arguments.stream = stream;
    return arguments;
  }
  HostCase& host() { return host_; }
  DeviceCase& device() { return device_; }

 private:
  HostCase host_;
  DeviceCase device_;
  Plan plan_;
  Arguments arguments_;
  bool good_ = false;
};

// Lines that lead to each backend that this device has: aligned and unaligned BF16, too small to be worth packing, FP32.
inline std::vector<std::string> LinesOfAllBackends() {
  return {"264 520 328 in=bf16", "264 520 329 in=bf16", "3 5 7 in=bf16", "264 520 328 in=fp32"};
}

}  // namespace gemm::tests
