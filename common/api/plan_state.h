// What a plan holds, and the two things done with it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "common/dispatch/device.h"
#include "common/dispatch/kernel.h"
#include "common/dispatch/select.h"
#include "common/problem/problem.h"
#include "gemm/gemm.h"

namespace gemm::api {

// A row that was chosen and made ready on the plan's device.
struct Ready {
  const dispatch::KernelRow* row = nullptr;
  std::unique_ptr<const dispatch::Launcher> launcher;
  std::size_t workspace_bytes = 0;
};

// Immutable once made. An empty problem has no rows, no device and needs no driver.
//
// Whether C is read is known only at Run. So the kernel is chosen for the problem with C described like D; only
// if that kernel cannot read the C of the caller's description, or would be slow at it (Normalized::reads_c), is a
// second one made ready, for the runs with beta != 0.
struct PlanState {
  problem::Normalized problem;  // with the caller's C where c_status is OK
  int device_ordinal = 0;
  dispatch::Device device;
  dispatch::SelectOptions select;
  Ready kernel;
  Ready kernel_with_c;  // row is null where `kernel` serves these runs too
  Status c_status;      // why beta must be 0, or OK
  bool c_is_laid_out_as_d = false;
  std::size_t workspace_bytes = 0;  // enough for either kernel
  // Every PlanOptions::max_workspace in this range leads to the same plan.
  std::size_t workspace_least = 0;
  std::size_t workspace_most = SIZE_MAX;
};

// Plan::Create, but for its environment variables being read here too. May throw std::bad_alloc; on failure
// *state is unspecified.
Status MakePlanState(const Problem& problem, const PlanOptions& options, PlanState* state);

// Plan::Run.
Status RunPlan(const PlanState& state, const Arguments& args) noexcept;

// Plan::Explain. May throw std::bad_alloc.
std::string ExplainPlan(const PlanState& state);

}  // namespace gemm::api
