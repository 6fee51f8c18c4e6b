// The constants of the skinny kernels' predicted times (skinny/predict.h), by device.
#pragma once

#include "common/dispatch/cost_model.h"

namespace gemm::hopper::skinny {

// Fitted together with those of the tiled kernels: by which times, docs/perf/hopper/predictors.md.
struct CostConstants {
  double fixed_us = 2.25;              // from launch to end of an otherwise instant kernel
  double stream_efficiency = 0.938;    // of what the memory clock gives
  double intake_bytes_per_clock = 86;  // of one SM
  double l2_bytes_per_clock = 18800;   // of all SMs, beside that
  double merged_in_rounds = 0.7;       // hopper/cost.h
  // Times the way into the SM where narrow tiles share a wide one and CTAs share K: beyond that requests of clusters are not merged. H100s
  // ask for 1.26; the H200's times fit 1.02 and 1.2 alike.
  double shared_split = 1.2;
  double two_line_rows = 1.25;  // times that of rows which start at multiples of 32 but not of 128 bytes
  double five_sector_rows = 2;  // the same of 16 but not of 32
  // A wide operand stored [k, n] in tiles of more than 64 columns: times its way into the SM. 64x80 and 64x96 took 10% longer than predicted in
  // 24 such products of engines, fewer columns 0 to 4% (H200, 2026-11-24).
  double wide_of_kn = 1.2;
  // Consumers wait the more the shorter the ring: times 1 + this over the K of all stages in units of 64. This and the overheads
  // were fitted to 879 times of these kernels with M from 24 to 8192, 503 of them up to 64 (H200, 2026-11-23), those near the fastest
  // row counted most.
  double short_ring = 0.9;
  // Times the way from memory where a consumer has two blocks of 64 wide rows; why it is longer is not known. On H100s such rows took
  // 2% longer beside the others than without it (108 times that memory bounds, 2026-11-25), on H200s 3% in 12 times, too few: the
  // two choices that it would change there were 3 and 4% faster as they are.
  double two_blocks = 1;
  double overhead_cycles = 43;  // of a K step: barriers, issue
  // The same where one consumer issues all and keeps a batch of wgmma in flight.
  double overhead_in_flight_cycles = 32;
  // Steps of 128 of K with up to 64 columns, whose wgmma wait for one another, are never shorter; the first ones lie behind the way to the first
  // load. Standard deviation of 151 times of 30 small products 6% (K from 152 to 30800; H200, 2026-11-23). Without it 14x1216x2000 is
  // given one CTA a tile: 6.1 us for 4.2 with four.
  double step_cycles = 440;
  double hidden_cycles = 700;
  // Steps of 256 of K for 128, which consumers wait for half as often: what a CTA with enough of them wins, but not where weights are early,
  // where such kernels take as long. By 375 times of both (H200, 2026-12-01) 0.98 where products take 6 to 20 us, 0.991 from 20 to 50, 0.996
  // above, 0.999 from 3 to 4 and 1.006 below. Not timed on an H100.
  double long_steps_win_us = 0.25;
  double last_long_step_us = 0.03;     // it is longer
  double epilogue_us_per_kib = 0.024;  // of the FP32 tile: nothing hides it
  double scattered_us_per_kib = 0.38;  // the same where the wide operand's rows are not contiguous in D
  double from_registers_us = 0.17;     // of each tile of 8 columns, which no shared memory stages
  double exchange_us = 0.37;           // of each tile that CTAs share
  double exchange_us_per_kib = 0.061;  // of what a consumer warpgroup sends
  double second_consumer = 1.45;       // times that where two send
  // At the power limit the clock falls with what is done at once: these add up.
  double power_of_cycles = 0.618;
  double power_memory_bytes_per_us = 2.16e7;
  double power_l2_bytes_per_us = 6.5e7;
  double power_intake_bytes_per_us = 1.21e8;
  // A bound of its own at that limit, where M and N are large. What a tile computes for nothing counts so much as the rest.
  double flop_per_us = 1.12e9;
  double unused = 0.3;
};

inline constexpr dispatch::NamedConstant<CostConstants> kCostFields[] = {
    {"fixed_us", &CostConstants::fixed_us},
    {"stream_efficiency", &CostConstants::stream_efficiency},
    {"intake_bytes_per_clock", &CostConstants::intake_bytes_per_clock},
    {"l2_bytes_per_clock", &CostConstants::l2_bytes_per_clock},
    {"merged_in_rounds", &CostConstants::merged_in_rounds},
    {"shared_split", &CostConstants::shared_split},
    {"two_line_rows", &CostConstants::two_line_rows},
    {"five_sector_rows", &CostConstants::five_sector_rows},
    {"wide_of_kn", &CostConstants::wide_of_kn},
    {"short_ring", &CostConstants::short_ring},
    {"two_blocks", &CostConstants::two_blocks},
    {"overhead_cycles", &CostConstants::overhead_cycles},
    {"overhead_in_flight_cycles", &CostConstants::overhead_in_flight_cycles},
    {"step_cycles", &CostConstants::step_cycles},
    {"hidden_cycles", &CostConstants::hidden_cycles},
    {"long_steps_win_us", &CostConstants::long_steps_win_us},
    {"last_long_step_us", &CostConstants::last_long_step_us},
    {"epilogue_us_per_kib", &CostConstants::epilogue_us_per_kib},
    {"scattered_us_per_kib", &CostConstants::scattered_us_per_kib},
    {"from_registers_us", &CostConstants::from_registers_us},
    {"exchange_us", &CostConstants::exchange_us},
    {"exchange_us_per_kib", &CostConstants::exchange_us_per_kib},
    {"second_consumer", &CostConstants::second_consumer},
    {"power_of_cycles", &CostConstants::power_of_cycles},
    {"power_memory_bytes_per_us", &CostConstants::power_memory_bytes_per_us},
    {"power_l2_bytes_per_us", &CostConstants::power_l2_bytes_per_us},
    {"power_intake_bytes_per_us", &CostConstants::power_intake_bytes_per_us},
    {"flop_per_us", &CostConstants::flop_per_us},
    {"unused", &CostConstants::unused},
};

// By device; `gemm calibrate` fits them.
inline constexpr dispatch::DeviceConstants<CostConstants> kCosts[] = {
    {"NVIDIA H200", {}},
    {"NVIDIA H100",
     {.stream_efficiency = 0.898,
      .intake_bytes_per_clock = 85.9,
      .l2_bytes_per_clock = 21900,
      .shared_split = 1.26,
      .two_line_rows = 1.38,
      .five_sector_rows = 2.1,
      .short_ring = 1.2,
      .two_blocks = 1.06,
      .overhead_cycles = 45.7,
      .overhead_in_flight_cycles = 29.5,
      .step_cycles = 386,
      .epilogue_us_per_kib = 0.0269,
      .exchange_us = 0.357,
      .exchange_us_per_kib = 0.0644,
      .second_consumer = 1.47,
      .power_of_cycles = 0.577,
      .power_memory_bytes_per_us = 2.14e7,
      .power_l2_bytes_per_us = 6.86e7,
      .power_intake_bytes_per_us = 1.26e8,
      .flop_per_us = 1.18e9}},
};

inline const CostConstants& CostOf(const dispatch::Device& device) {
  return dispatch::ConstantsFor(kCosts, device);
}

// Not fitted, and a factor behind the correction of predictions: what that leaves of K-major operands between plain edges, where up to 64 rows
// meet kernels with room for 64 and more, beside tiled kernels. With 1.02 the choice loses 0.99% of 1420 products of H200s with 17 to 64 rows,
// with 1 1.10%; the 65 products of the shape files and others whose choice is another with it take 0.988 of the time in turn (deviation
// of the mean 0.002, 2026-12-01), and 6 with B stored [k, n] took 1.005 (0.008). On H100s it was not run.
// The forest is where this belongs: learned with calibrate/2026-12-01-h200-m64, which it has not seen, the factor is to go, or counts twice.
inline constexpr dispatch::DeviceConstants<double> kBesideTiled[] = {{"NVIDIA H200", 1.02}, {"NVIDIA H100", 1}};

}  // namespace gemm::hopper::skinny
