// The constants of the predicted times of the kernels for few rows (few/predict.h), by device.
#pragma once

#include "common/dispatch/cost_model.h"

namespace gemm::ampere::few {

// How the kernels were seen to run on one H200 (BF16, 50 products, 2026-11-23, docs/perf/decode.md), set once more together with the Hopper
// kernels' (2026-11-24, docs/perf/hopper/predictors.md); other devices are assumed to reach the same part of their memory's rate.
struct CostConstants {
  double fixed_us = 1.8;  // from launch to the end of an otherwise instant kernel
  // Up to eight rows: times memory's time where rows of the longer operand start at multiples of 128 bytes, of 32, and of 16.
  double line_rows = 1;
  double two_line_rows = 1.1;
  double five_sector_rows = 1.2;
  double few_turn_us = 1.3;    // from asking for all stages to having them
  double gemv_turn_us = 0.55;  // the same of one row
  double norm = 4;             // how memory's time and the turns' overlap: 1 not at all
  // Rows that start anywhere, by 150 times of 66 products (H200, 2026-11-29, docs/perf/unaligned.md; 8% root mean square): memory's time, a
  // CTA's beginning and end, a turn of its warps, and what these cost more for each row of the short operand that there is room for; and
  // the FLOP an SM does in a clock beside that, of a short operand that comes from the L2.
  double anywhere_rows = 1.24;
  double anywhere_cta_us = 2;
  double anywhere_cta_row_us = 0.039;
  double anywhere_turn_us = 0.33;
  double anywhere_turn_row_us = 0.0154;
  double anywhere_flop_per_clock = 720;
};

inline constexpr dispatch::NamedConstant<CostConstants> kCostFields[] = {
    {"fixed_us", &CostConstants::fixed_us},
    {"line_rows", &CostConstants::line_rows},
    {"two_line_rows", &CostConstants::two_line_rows},
    {"five_sector_rows", &CostConstants::five_sector_rows},
    {"few_turn_us", &CostConstants::few_turn_us},
    {"gemv_turn_us", &CostConstants::gemv_turn_us},
    {"norm", &CostConstants::norm},
    {"anywhere_rows", &CostConstants::anywhere_rows},
    {"anywhere_cta_us", &CostConstants::anywhere_cta_us},
    {"anywhere_cta_row_us", &CostConstants::anywhere_cta_row_us},
    {"anywhere_turn_us", &CostConstants::anywhere_turn_us},
    {"anywhere_turn_row_us", &CostConstants::anywhere_turn_row_us},
    {"anywhere_flop_per_clock", &CostConstants::anywhere_flop_per_clock},
};

// An H100's slower memory hides most of what rows off lines cost. By 85 times, which deviated by 2% in the mean and by up to 19% from
// what an H200's constants give (2026-11-25).
inline constexpr dispatch::DeviceConstants<CostConstants> kCosts[] = {
    {"NVIDIA H200", {}},
    {"NVIDIA H100", {.line_rows = 1.04, .two_line_rows = 1.05, .five_sector_rows = 1.07}},
};

inline const CostConstants& CostOf(const dispatch::Device& device) {
  return dispatch::ConstantsFor(kCosts, device);
}

}  // namespace gemm::ampere::few
