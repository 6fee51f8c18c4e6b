// What the cost models do not know, learned from measured times: a factor on the predicted time.
//
// The cost models (cost.h, skinny/cost.h) say how times come about, and rows near the fastest deviate from them by 4 to 10%, which is
// more than they are apart. What is left depends on the tile, the rounds and the sizes together in ways that no constant of theirs has:
// a forest of regression trees (gradient boosting) learned it from the times in docs/perf/calibrate/. docs/perf/hopper/predictors.md
// says what it is worth on products that it did not see.
#pragma once

#include "common/problem/problem.h"
#include "hopper/features.h"

namespace gemm::hopper {

// Whether there is a correction: it was learned from single products of K-major operands.
inline bool IsCorrected(const problem::Normalized& problem) {
  return problem.a.major == problem::Major::kK && problem.b.major == problem::Major::kK && problem.batch == 1;
}

// `us`, the predicted time that the features have, corrected by at most kMostCorrection either way.
inline constexpr double kMostCorrection = 0.3;
double Corrected(double us, const Features& features);

}  // namespace gemm::hopper
