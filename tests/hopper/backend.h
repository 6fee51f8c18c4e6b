// Rows of the Hopper backend, problems for them, and what its functions say of both.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/dispatch/cost_model.h"
#include "common/dispatch/device.h"
#include "common/dispatch/kernel.h"
#include "common/problem/problem.h"

namespace gemm {

inline const dispatch::Device& H200() { return *dispatch::FindKnownDevice("h200"); }

inline const dispatch::KernelRow& Row(const std::string& name) {
  const dispatch::KernelTable table = dispatch::HopperKernels();
  for (std::size_t i = 0; i < table.count; ++i) {
    if (name == table.rows[i].name) return table.rows[i];
  }
  ADD_FAILURE() << "no row " << name;
  return table.rows[0];
}

inline const dispatch::KernelRow& BF16() { return Row("hopper_bf16_kk_128x256x64_s4_c2x1"); }

// Weights stored [n, k], BF16: what BF16() takes.
inline Problem Nk(std::int64_t m, std::int64_t n, std::int64_t k) {
  Problem problem;
  problem.m = m;
  problem.n = n;
  problem.k = k;
  problem.b.layout = Layout::kColumnMajor;
  return problem;
}

// The same stored [k, n].
inline Problem Kn(std::int64_t m, std::int64_t n, std::int64_t k) {
  Problem problem = Nk(m, n, k);
  problem.b.layout = Layout::kRowMajor;
  return problem;
}

// The reason, or "" where the row accepts.
inline std::string Why(const dispatch::KernelRow& row, const Problem& problem,
                       const dispatch::Device& device = H200()) {
  problem::Normalized normalized;
  const Status status = problem::Normalize(problem, &normalized);
  EXPECT_TRUE(status.ok()) << status.message();
  return row.family->reject(row, normalized, device).value_or("");
}

inline void ExpectReason(const std::string& why, const std::string& part) {
  EXPECT_NE(why.find(part), std::string::npos) << "got \"" << why << "\", expected something about " << part;
}

// With the correction.
inline double Predict(const std::string& row, const Problem& problem, const dispatch::Device& device = H200()) {
  problem::Normalized normalized;
  EXPECT_TRUE(problem::Normalize(problem, &normalized).ok());
  return Row(row).family->predict_us(Row(row), normalized, device);
}

// Without the correction.
inline double ByTheModel(const dispatch::KernelRow& row, const problem::Normalized& problem,
                         const dispatch::Device& on) {
  const dispatch::CostModel& model = *row.family->model;
  std::vector<double> constants(model.count);
  model.get(on, constants.data());
  return model.predict_us(row, problem, on, constants.data());
}

inline double ByTheModel(const std::string& name, const Problem& problem) {
  problem::Normalized normalized;
  EXPECT_TRUE(problem::Normalize(problem, &normalized).ok());
  return ByTheModel(Row(name), normalized, H200());
}

}  // namespace gemm
