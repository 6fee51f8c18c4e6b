// The suite of one backend: every row of its table runs every case of tests/cases, and a random sequence, that
// it accepts; what it refuses must be refused by a forced plan with its reason.
#pragma once

#include "common/dispatch/kernel.h"

namespace gemm::tests {

struct KernelSuite {
  const char* backend;  // "hopper"
  dispatch::KernelTable (*kernels)();
  int compute_capability;  // the least that runs any row; 90
  bool only_this_major;    // rows run on no later architecture
  // Problems that some row of the backend must accept: a table that refuses everything would pass all else.
  bool (*must_run)(const problem::Normalized& problem);
};

// main() of the suite's binary. Without a fitting GPU the one test is skipped with one line that says why, or, with
// GEMM_MUST_HAVE_GPU=1, fails. A suite whose cases and rows leave it no product fails.
// Environment: GEMM_CASE, GEMM_ROW, GEMM_SEED, GEMM_RANDOM, GEMM_CASES: see tests/cases/README.md.
// GEMM_ONCE=1: each product once, not twice. GEMM_SEEDS=N: on the emulated GPU, each once at the seeds 0 to N - 1.
// GEMM_GUARD=zones does without unmapped pages around the operands, GEMM_GUARD=exact without anything: for what watches
// allocations itself.
int RunKernelSuite(int argc, char** argv, const KernelSuite& suite);

}  // namespace gemm::tests
