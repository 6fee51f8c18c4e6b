// Shared by the tests of the public functions: they run on the fake driver with the rows of fake_tables.h, each
// in a process of its own.
#pragma once

#include <cstdint>

#include "gemm/gemm.h"
#include "gtest/gtest.h"
#include "tests/dispatch/fake_tables.h"
#include "tests/fake_driver/fake_driver.h"

namespace gemm::fake {

// An address that nobody reads: the fake driver runs no kernel.
inline void* Address(std::uintptr_t value) { return reinterpret_cast<void*>(value); }

inline Problem MakeProblem(std::int64_t m, std::int64_t n, std::int64_t k) {
  Problem p;
  p.m = m;
  p.n = n;
  p.k = k;
  return p;
}

// Good for every problem without a workspace and with beta = 0.
inline Arguments MakeArguments() {
  Arguments args;
  args.a = Address(0x10000);
  args.b = Address(0x20000);
  args.d = Address(0x40000);
  return args;
}

inline Plan MakePlan(const Problem& problem, const PlanOptions& options = {}) {
  Plan plan;
  const Status status = Plan::Create(problem, options, &plan);
  EXPECT_TRUE(status.ok()) << status.message();
  return plan;
}

// The code is `code` and the sentence contains `words`.
inline testing::AssertionResult Refuses(const Status& status, StatusCode code, const char* words) {
  if (status.code() == code && status.message().find(words) != std::string::npos)
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << Name(status.code()) << ": \"" << status.message() << "\", expected "
                                     << Name(code) << " with \"" << words << "\"";
}

inline testing::AssertionResult IsOk(const Status& status) {
  if (status.ok()) return testing::AssertionSuccess();
  return testing::AssertionFailure() << Name(status.code()) << ": " << status.message();
}

}  // namespace gemm::fake
