// The choice of a kernel: a pure function of a problem, a device's numbers, options and a list of rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/dispatch/device.h"
#include "common/dispatch/registry.h"
#include "common/problem/problem.h"
#include "gemm/status.h"

namespace gemm::dispatch {

struct SelectOptions {
  std::string tuned;  // name of the row that a tuning file prefers, if it can run; empty for none
  std::size_t max_workspace = SIZE_MAX;
  std::string kernel;                            // name of the row that must run; empty lets the times decide
  const char* kernel_origin = "options.kernel";  // what to call `kernel` in a refusal; static storage
};

struct Candidate {
  const KernelRow* row = nullptr;
  double predicted_us = 0;          // of a row that can run
  std::size_t workspace_bytes = 0;  // likewise, and of one rejected for its workspace
  std::string rejection;            // empty: it can run
};

struct Selection {
  const Candidate* chosen() const { return &candidates[index]; }

  std::size_t index = 0;              // of the chosen one
  bool tuned = false;                 // it was chosen by SelectOptions::tuned
  std::vector<Candidate> candidates;  // one per row, in the order of the rows
  // Every max_workspace in [workspace_least, workspace_most] leads to the same choice as the one given.
  std::size_t workspace_least = 0;
  std::size_t workspace_most = SIZE_MAX;
};

// The row with the least predicted time among those that accept the problem and stay within the workspace; of equals the
// first; but the tuned row where it is among them. Where `problem` is batch-invariant, the rows of one backend alone, the
// first in the order of `rows` that has such a row, since instructions of different backends round differently; and under
// any limit those that need no workspace. `problem` is not empty. Errors: kArchitectureTooOld below compute capability 8.0;
// kInvalidArgument for a forced name that no row has; kUnsupported for a forced row that cannot run, or when no row can. On
// failure *selection holds the candidates as far as they were looked at, for people to read.
Status Select(const Rows& rows, const problem::Normalized& problem, const Device& device,
              const SelectOptions& options, Selection* selection);

// Refuses a forced name that no row has; OK when nothing is forced.
Status CheckForcedName(const Rows& rows, const SelectOptions& options);

}  // namespace gemm::dispatch
