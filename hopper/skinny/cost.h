// Predicted times of the skinny kernels: rounds of tiles, each as long as about the longest of the way from memory, the way into the SM,
// issuing the wgmma, the power limit, and the FLOP at that limit; behind each its epilogue and exchange. split.cc asks for every way to
// cut a problem.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>

#include "common/base/math.h"
#include "common/dispatch/cost.h"
#include "common/dispatch/cost_model.h"
#include "common/dispatch/row_start.h"
#include "hopper/early.h"
#include "hopper/raster.h"
#include "hopper/skinny/config.cuh"
#include "hopper/skinny/split.h"

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

// Tiles of no more columns compute a batch of wgmma at a time (step_cycles).
inline constexpr int kStepColumns = 64;

// Bounds that overlap: a little above the greatest.
inline double Overlap(std::initializer_list<double> bounds) {
  constexpr double kNorm = 4;
  double sum = 0;
  for (const double bound : bounds) sum += std::pow(bound, kNorm);
  return std::pow(sum, 1 / kNorm);
}

inline const problem::Input& WideInput(const Split& split, const problem::Normalized& problem) {
  return split.wide_is_b ? problem.b : problem.a;
}

// Of an operand's way into the SM.
inline double Slowness(const CostConstants& cost, const problem::Input& input) {
  return dispatch::ByRowStart(input.ld * 2, 1, cost.two_line_rows, cost.five_sector_rows);
}

// Microseconds of the main loops of `clusters` tiles, one for each cluster.
inline double RoundUs(const CostConstants& cost, double clusters, const Split& split,
                      const dispatch::KernelRow& row, const problem::Normalized& problem,
                      const dispatch::Device& device) {
  const double clock = std::max(device.sm_clock_mhz, 1.0);
  const double steps = static_cast<double>(base::CeilDiv<std::int64_t>(split.k_steps, split.cluster));
  const double k_bytes = 2 * steps * row.tile.k;
  const double wide = k_bytes * static_cast<double>(split.wide_box);
  const double narrow = k_bytes * static_cast<double>(split.narrow_box);
  const double memory = std::max(device.memory_bandwidth_gbs, 1.0) * 1e3 * cost.stream_efficiency;
  // Tiles that share a box of an operand find it in the L2.
  const double ctas = clusters * split.cluster;
  const double wide_bytes = wide * ctas / static_cast<double>(split.tiles_narrow);
  // Each round goes through the narrow operand; one that the L2 cannot hold beside other things comes from memory again.
  const double operand = 2.0 * static_cast<double>(split.narrow_rows) * static_cast<double>(problem.k);
  const double narrow_bytes =
      dispatch::StaysInL2(operand, device)
          ? narrow * ctas / static_cast<double>(split.tiles_wide)
          : narrow * std::min(ctas, static_cast<double>(split.tiles_narrow * split.cluster));
  const bool two_blocks = row.tile.m > 64 * Consumers(row.tile.m);
  const double from_memory = (wide_bytes + narrow_bytes) / memory * (two_blocks ? cost.two_blocks : 1);
  const problem::Input& narrow_input = split.wide_is_b ? problem.a : problem.b;
  const double apart = split.cluster > 1 && split.tiles_narrow > 1 ? cost.shared_split : 1;
  const bool slow_kn = row.b_major == problem::Major::kMN && KeepsBatch(row.tile.n);
  const double wide_way = wide * Slowness(cost, WideInput(split, problem)) * (slow_kn ? cost.wide_of_kn : 1);
  const double narrow_way = narrow * Slowness(cost, narrow_input);
  const GpcReaders readers = ReadersInGpc(split.tiles_narrow, split.tiles_wide, split.band, split.cluster);
  const double merged = split.tiles <= split.clusters ? 1 : cost.merged_in_rounds;
  const double asked =
      ctas * (wide_way * AskedPart(readers.along, merged) + narrow_way * AskedPart(readers.across, merged));
  const double intake =
      apart * ((wide_way + narrow_way) / cost.intake_bytes_per_clock + asked / cost.l2_bytes_per_clock) / clock;
  // A wgmma of n columns takes n / 2 cycles, and no less than it takes to read 64 x 16 elements.
  const double wgmma = row.tile.k / 16.0 * (row.tile.m / 64.0) * std::max(row.tile.n / 2.0, 16.0);
  const bool in_flight = KeepsBatch(row.tile.n) && row.tile.m == 64;
  const double waiting = 1 + cost.short_ring * 64 / (row.stages * row.tile.k);
  const double issue =
      waiting * steps * (wgmma + (in_flight ? cost.overhead_in_flight_cycles : cost.overhead_cycles)) / clock;
  const double power = cost.power_of_cycles * std::max(intake, issue) +
                       (wide_bytes + narrow_bytes) / cost.power_memory_bytes_per_us +
                       asked / cost.power_l2_bytes_per_us +
                       (wide + narrow) * ctas / cost.power_intake_bytes_per_us;
  const auto used = static_cast<double>(split.wide_box * split.narrow_box);
  const double elements = cost.unused * row.tile.m * row.tile.n + (1 - cost.unused) * used;
  const double flop = 2 * ctas * steps * row.tile.k * elements / cost.flop_per_us;
  const double chain = row.tile.n <= kStepColumns
                           ? (steps * row.tile.k / 128 * cost.step_cycles - cost.hidden_cycles) / clock
                           : 0;
  return std::max(chain, Overlap({from_memory, intake, issue, power, flop}));
}

// Microseconds that each tile takes behind its main loop.
inline double AfterUs(const CostConstants& cost, const Split& split, const dispatch::KernelRow& row,
                      const problem::Normalized& problem) {
  const bool in_runs = (split.wide_is_b ? problem.d.col_stride : problem.d.row_stride) == 1;
  double us = (in_runs ? cost.epilogue_us_per_kib : cost.scattered_us_per_kib) *
              static_cast<double>(split.wide_box * split.narrow_box) * 4 / 1024;
  if (row.tile.n == 8) us += cost.from_registers_us;
  if (split.cluster > 1) {
    const double sent = 64.0 * row.tile.n * 4 / 1024 * (split.cluster - 1) / split.cluster;
    us += cost.exchange_us + cost.exchange_us_per_kib * sent * (row.tile.m > 64 ? cost.second_consumer : 1);
  }
  return us;
}

// Of the wide operand, before the predecessor has finished. Half of the ring counts, which is what was asked for so early when the
// choice lost 0.4% on 31 products of decode.txt in programmatic chains (H200, 2026-11-23); the kernels ask for the rest too since
// (producer.cuh), and what the choice loses now was not measured.
inline double WonEarlyUs(const Split& split, const dispatch::KernelRow& row, const problem::Normalized& problem,
                         const dispatch::Device& device) {
  if (!WideInput(split, problem).readable_early) return 0;
  const std::int64_t steps = base::CeilDiv<std::int64_t>(split.k_steps, split.cluster);
  const auto stages = static_cast<double>(std::min<std::int64_t>(steps, StagesEarly(row.stages)));
  const double bytes = stages * 2 * row.tile.k *
                       static_cast<double>(split.wide_box * split.clusters * split.cluster) /
                       static_cast<double>(split.tiles_narrow);
  constexpr double kMostUs = 1.5;
  return EarlyUs(bytes, kMostUs, device);
}

inline double PredictUs(const CostConstants& cost, const Split& split, const dispatch::KernelRow& row,
                        const problem::Normalized& problem, const dispatch::Device& device) {
  const std::int64_t full = split.tiles / split.clusters;
  const std::int64_t rest = split.tiles % split.clusters;
  double us = cost.fixed_us - WonEarlyUs(split, row, problem, device);
  us += static_cast<double>(full + (rest != 0)) * AfterUs(cost, split, row, problem);
  us += static_cast<double>(full) *
        RoundUs(cost, static_cast<double>(split.clusters), split, row, problem, device);
  if (rest != 0) us += RoundUs(cost, static_cast<double>(rest), split, row, problem, device);
  return us;
}

}  // namespace gemm::hopper::skinny
