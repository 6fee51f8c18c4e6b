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

// Few rows times a matrix that lies by columns, by 287 times of 28 products with K in 1 to 16 parts (H200, BF16, 2026-11-30, docs/perf/unaligned.md;
// 5% root mean square).
struct ColumnsCost {
  double fixed_us = 1.9;  // from launch to the end of an otherwise instant kernel
  double memory = 1.01;   // times memory's time
  double cta_us = 2.4;  // a CTA's beginning and end, and what they cost more for each row of the short operand
  double cta_row_us = 0.17;
  double step_us = 0.55;  // a step of the busiest multiprocessor's CTAs, whether they run at a time or not
  double step_row_us = 0.008;
  double norm = 2.2;      // how memory's time and the CTAs' overlap: 1 not at all
  double part_us = 0.39;  // each part of K that a CTA adds up
};

inline constexpr dispatch::NamedConstant<ColumnsCost> kColumnsCostFields[] = {
    {"fixed_us", &ColumnsCost::fixed_us}, {"memory", &ColumnsCost::memory},
    {"cta_us", &ColumnsCost::cta_us},     {"cta_row_us", &ColumnsCost::cta_row_us},
    {"step_us", &ColumnsCost::step_us},   {"step_row_us", &ColumnsCost::step_row_us},
    {"norm", &ColumnsCost::norm},         {"part_us", &ColumnsCost::part_us},
};

inline constexpr dispatch::DeviceConstants<ColumnsCost> kColumnsCosts[] = {{"NVIDIA H200", {}}};

// Warps with rings, but for up to eight K-major rows, by 177 times of `gemm calibrate` and `gemm bench` (H200, BF16, 2026-11-30,
// docs/perf/decode.md; 6% root mean square). Two are not as fitted. fixed_us was 1.83: with 1.6 the choice lost 1.4% for 1.7% of 130 products, as
// some of Hopper's kernels for B [k, n] were predicted too short. bytes_per_clock was 47, by which 16x2112x7168 went to one of these with 10.6 us for 10.1.
struct RingCost {
  double fixed_us = 1.6;  // from launch to the end of an otherwise instant kernel
  // The part of memory's time that shows beside an SM's loads where rows of the longer operand, or its k, start at multiples of 128 bytes, of
  // 32, and of 16. Together they take memory's time at least.
  double line_rows = 0.43;
  double two_line_rows = 0.47;
  double five_sector_rows = 0.725;
  // Times that where it lies by columns and a CTA takes 32 contiguous bytes of a k, and 64.
  double quarter_lines = 1.77;
  double half_lines = 1.07;
  double bytes_per_clock = 45;  // that an SM takes in
  double uneven = 0.62;         // which part of what the busiest SM has more than the mean shows
  double sums_us = 1.34;        // adding up 1024 sums of each warp, in each round of CTAs
  double next_step_us = 0.4;    // a step of K in a round behind the first, whose CTAs come one by one
  // In chains where the longer operand may be read early and all CTAs run at a time: won where all of it is asked for at once, or CTAs are for
  // half of the SMs at most (0.4 to 1.4 in 25 products); lost elsewhere, where some of the next kernel's CTAs come early and the rest lie
  // unevenly (0.7 to 2.2 in five).
  double early_us = 0.7;
  double crowded_us = 1;
};

inline constexpr dispatch::NamedConstant<RingCost> kRingCostFields[] = {
    {"fixed_us", &RingCost::fixed_us},
    {"line_rows", &RingCost::line_rows},
    {"two_line_rows", &RingCost::two_line_rows},
    {"five_sector_rows", &RingCost::five_sector_rows},
    {"quarter_lines", &RingCost::quarter_lines},
    {"half_lines", &RingCost::half_lines},
    {"bytes_per_clock", &RingCost::bytes_per_clock},
    {"uneven", &RingCost::uneven},
    {"sums_us", &RingCost::sums_us},
    {"next_step_us", &RingCost::next_step_us},
    {"early_us", &RingCost::early_us},
    {"crowded_us", &RingCost::crowded_us},
};

inline constexpr dispatch::DeviceConstants<RingCost> kRingCosts[] = {{"NVIDIA H200", {}}};

inline const RingCost& RingCostOf(const dispatch::Device& device) {
  return dispatch::ConstantsFor(kRingCosts, device);
}

inline const ColumnsCost& ColumnsCostOf(const dispatch::Device& device) {
  return dispatch::ConstantsFor(kColumnsCosts, device);
}

inline const CostConstants& CostOf(const dispatch::Device& device) {
  return dispatch::ConstantsFor(kCosts, device);
}

}  // namespace gemm::ampere::few
