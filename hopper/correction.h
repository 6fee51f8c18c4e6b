// What the cost models do not know, learned from measured times: a factor on the predicted time.
//
// The cost models (predict.h, skinny/predict.h) say how times come about, and rows near the fastest deviate from them by 4 to 10%, which is
// more than they are apart. What is left depends on the tile, the rounds and the sizes together in ways that no constant of theirs has:
// a forest of regression trees (gradient boosting) learned it from the times in docs/perf/calibrate/. docs/perf/hopper/predictors.md
// says what it is worth on products that it did not see.
#pragma once

#include <algorithm>
#include <cstdint>

#include "common/dispatch/cost_model.h"
#include "common/dispatch/device.h"
#include "common/problem/problem.h"
#include "hopper/features.h"

namespace gemm::hopper {

// Where the forest's corrections hold.
struct CorrectedProducts {
  std::int64_t least_extent = 1;  // of M and N
};

// By products that it did not see the forest chooses hardly better than the models among 185 of up to 4 rows or columns on H200s (1.54%
// behind the fastest for 1.69%; 1.76% for 2.44% of 160 of 5 to 8), and no better among 49 of up to 8 on H100s (1.64% for 1.63%; 0.70% for
// 1.57% of 53 of 9 to 16), 2026-11-28.
inline constexpr dispatch::DeviceConstants<CorrectedProducts> kCorrectedProducts[] = {
    {"NVIDIA H200", {.least_extent = 5}},
    {"NVIDIA H100", {.least_extent = 9}},
};

// Whether there is a correction: it was learned from single products of a row-major A whose kernels begin when their predecessors have
// ended.
inline bool IsCorrected(const problem::Normalized& problem, const dispatch::Device& device) {
  return problem.a.major == problem::Major::kK && problem.batch == 1 && !problem.a.readable_early &&
         !problem.b.readable_early &&
         std::min(problem.m, problem.n) >= dispatch::ConstantsFor(kCorrectedProducts, device).least_extent;
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

}  // namespace gemm::hopper
