// Which operand a tiled kernel asks for before earlier work in the stream has finished.
#pragma once

#include "common/dispatch/kernel.h"
#include "common/problem/problem.h"
#include "hopper/config.cuh"
#include "hopper/params.h"
#include "hopper/schedule.h"

namespace gemm::hopper {

// Params::early of a launch; `computed` is the problem as the row's kernel sees it. What is asked for early each CTA of a cluster loads
// for itself, and behind it the other operand too. Where parallel split K leaves a CTA few steps, that is much of its work: without, such
// kernels in clusters take 0.982 of the time where rows start off lines (53 times of 13 products of 5 to 57 us); split K takes
// 1.01, whole tiles 1.02 to 1.08, on lines 1.01 and 1.01 to 1.03 (H200, 2026-11-29, docs/perf/hopper/loaders.md).
inline int EarlyOperand(const dispatch::KernelRow& row, const problem::Normalized& computed) {
  if (StartsAnywhere(row)) return 0;
  if (IsParallelSplitK(row) && row.cluster_m * row.cluster_n > 1) return 0;
  if (computed.b.readable_early) return kEarlyB;
  const bool may_have_a = MayHaveAEarly(computed.b.major == problem::Major::kMN);
  return computed.a.readable_early && may_have_a ? kEarlyA : 0;
}

}  // namespace gemm::hopper
