// Kernels that call functions.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/emulator/exec/kernel.h"

namespace emu::testing {

inline std::string WithFunctions(const std::string& functions, const std::string& body) {
  const std::string kernel = Kernel(body);
  const std::size_t entry = kernel.find(".visible .entry");
  return kernel.substr(0, entry) + functions + kernel.substr(entry);
}

// The parameter is the seed.
class Calls : public ::testing::TestWithParam<int> {
 protected:
  PtxResult Try(const std::string& functions, const std::string& body) {
    return RunKernel(WithFunctions(functions, body),
                     {.threads = 64, .seed = static_cast<std::uint64_t>(GetParam())});
  }
  std::vector<std::uint32_t> Out(const std::string& functions, const std::string& body) {
    const PtxResult result = Try(functions, body);
    EXPECT_TRUE(result.ok()) << result.message();
    return result.Buffer<std::uint32_t>(0);
  }
};

}  // namespace emu::testing
