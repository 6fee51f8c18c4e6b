// Tests that are known only at run time: one for each kernel of a table, or for each line of a file.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>

namespace gemm::tests {

class DynamicTest : public ::testing::Test {
 public:
  explicit DynamicTest(std::function<void()> body) : body_(std::move(body)) {}
  void TestBody() override { body_(); }

 private:
  std::function<void()> body_;
};

// To be called between InitGoogleTest and RUN_ALL_TESTS.
inline void RegisterDynamicTest(const std::string& suite, const std::string& name, std::function<void()> body) {
  ::testing::RegisterTest(suite.c_str(), name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [body = std::move(body)]() -> ::testing::Test* { return new DynamicTest(body); });
}

}  // namespace gemm::tests
