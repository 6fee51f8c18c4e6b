// What the cost models do not know, learned from measured times: a factor on the predicted time.
//
// The cost models (hopper/predict.h, hopper/skinny/predict.h, ampere/few/predict.h) say how times come about, and rows near the fastest
// deviate from them by 4 to 10%, which is more than they are apart. What is left depends on the tile, the rounds and the sizes together
// in ways that no constant of theirs has: a forest of regression trees (gradient boosting) learned it from the times in
// docs/perf/calibrate/. docs/perf/hopper/predictors.md says what it is worth on products that it did not see.
#pragma once

#include "common/correction/features.h"
#include "common/dispatch/device.h"
#include "common/problem/problem.h"

namespace gemm::correction {

// Whether there is a correction: it was learned on Hopper GPUs from products of a row-major A that is not read before the predecessor has
// ended (B may be). No batch was among them, but of 103 of 2 to 128 products the choice loses 1.5% with it and 2.1% by the models, and 91 whose
// kernel is another with it take 0.99 of the time (H200, 2026-11-29).
inline bool IsCorrected(const problem::Normalized& problem, const dispatch::Device& device) {
  return device.compute_capability_major == 9 && problem.a.major == problem::Major::kK &&
         !problem.a.readable_early;
}

// Where the operands' rows start at multiples of 128 bytes: the whole correction of products up to the first, none from the second on, in
// microseconds. By 216 such products of 80 us and more, timed in bursts of 15 ms, the forest chooses no better than the models (2.75% behind
// the fastest row for 2.53%, kept out); of prefill.txt it lost 0.3% to 0.6% (2026-11-26). Of 233 and of 100 whose rows start elsewhere the
// models lose 3.05% and 3.19%, corrected 2.07% and 2.62%, and at worst 50% and 19% (H200s, 2026-11-27), of 68 timed on H100s 3.04% and
// 2.27%: these are corrected at any length.
inline constexpr double kWhollyCorrectedUs = 80;
inline constexpr double kUncorrectedUs = 160;

// `us`, the predicted time that the features have, corrected by at most kMostCorrection either way.
inline constexpr double kMostCorrection = 0.3;
double Corrected(double us, const Features& features);

}  // namespace gemm::correction
