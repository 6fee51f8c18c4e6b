#include "hopper/skinny/predict.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>

#include "common/base/math.h"
#include "common/dispatch/cost.h"
#include "common/dispatch/row_start.h"
#include "hopper/early.h"
#include "hopper/raster.h"
#include "hopper/skinny/config.cuh"

namespace gemm::hopper::skinny {
namespace {

// Tiles of no more columns compute a batch of wgmma at a time (step_cycles).
constexpr int kStepColumns = 64;

// Bounds that overlap: a little above the greatest.
double Overlap(std::initializer_list<double> bounds) {
  constexpr double kNorm = 4;
  double sum = 0;
  for (const double bound : bounds) sum += std::pow(bound, kNorm);
  return std::pow(sum, 1 / kNorm);
}

const problem::Input& WideInput(const Split& split, const problem::Normalized& problem) {
  return split.wide_is_b ? problem.b : problem.a;
}

// Of an operand's way into the SM.
double Slowness(const CostConstants& cost, const problem::Input& input) {
  return dispatch::ByRowStart(input.ld * 2, 1, cost.two_line_rows, cost.five_sector_rows);
}

// What each CTA does in the main loops of a round.
struct Round {
  double ctas;
  double steps;
  double wide;  // bytes of the operands that it multiplies
  double narrow;
};

// A round of `clusters` tiles, one for each cluster.
Round RoundOf(double clusters, const Split& split, const dispatch::KernelRow& row) {
  const double steps = static_cast<double>(base::CeilDiv<std::int64_t>(split.k_steps, split.cluster));
  const double k_bytes = 2 * steps * row.tile.k;
  return {clusters * split.cluster, steps, k_bytes * static_cast<double>(split.wide_box),
          k_bytes * static_cast<double>(split.narrow_box)};
}

// Of both operands, from memory. Tiles that share a box of an operand find it in the L2.
double MemoryBytes(const Round& round, const Split& split, const problem::Normalized& problem,
                   const dispatch::Device& device) {
  const double wide_bytes = round.wide * round.ctas / static_cast<double>(split.tiles_narrow);
  // Each round goes through the narrow operand; one that the L2 cannot hold beside other things comes from memory again.
  const double operand = 2.0 * static_cast<double>(split.narrow_rows) * static_cast<double>(problem.k);
  const double narrow_bytes =
      dispatch::StaysInL2(operand, device)
          ? round.narrow * round.ctas / static_cast<double>(split.tiles_wide)
          : round.narrow * std::min(round.ctas, static_cast<double>(split.tiles_narrow * split.cluster));
  return wide_bytes + narrow_bytes;
}

// The operands' way into the SM, in bytes that are brought as fast as those of rows which start lines.
struct Way {
  double wide;
  double narrow;
  double asked;  // of the L2, by all CTAs
};

Way WayOf(const CostConstants& cost, const Round& round, const Split& split, const dispatch::KernelRow& row,
          const problem::Normalized& problem) {
  const problem::Input& narrow_input = split.wide_is_b ? problem.a : problem.b;
  const bool slow_kn = row.b_major == problem::Major::kMN && KeepsBatch(row.tile.n);
  Way way;
  way.wide = round.wide * Slowness(cost, WideInput(split, problem)) * (slow_kn ? cost.wide_of_kn : 1);
  way.narrow = round.narrow * Slowness(cost, narrow_input);
  const GpcReaders readers = ReadersInGpc(split.tiles_narrow, split.tiles_wide, split.band, split.cluster);
  const double merged = split.tiles <= split.clusters ? 1 : cost.merged_in_rounds;
  way.asked = round.ctas *
              (way.wide * AskedPart(readers.along, merged) + way.narrow * AskedPart(readers.across, merged));
  return way;
}

double IssueCycles(const CostConstants& cost, const Round& round, const dispatch::KernelRow& row) {
  // A wgmma of n columns takes n / 2 cycles, and no less than it takes to read 64 x 16 elements.
  const double wgmma = row.tile.k / 16.0 * (row.tile.m / 64.0) * std::max(row.tile.n / 2.0, 16.0);
  const bool in_flight = KeepsBatch(row.tile.n) && row.tile.m == 64;
  const double waiting = 1 + cost.short_ring * 64 / (row.stages * row.tile.k);
  return waiting * round.steps * (wgmma + (in_flight ? cost.overhead_in_flight_cycles : cost.overhead_cycles));
}

double FlopUs(const CostConstants& cost, const Round& round, const Split& split,
              const dispatch::KernelRow& row) {
  const auto used = static_cast<double>(split.wide_box * split.narrow_box);
  const double elements = cost.unused * row.tile.m * row.tile.n + (1 - cost.unused) * used;
  return 2 * round.ctas * round.steps * row.tile.k * elements / cost.flop_per_us;
}

// Microseconds of a round's main loops.
double RoundUs(const CostConstants& cost, const Round& round, const Split& split,
               const dispatch::KernelRow& row, const problem::Normalized& problem,
               const dispatch::Device& device) {
  const double clock = std::max(device.sm_clock_mhz, 1.0);
  const double bandwidth = std::max(device.memory_bandwidth_gbs, 1.0) * 1e3 * cost.stream_efficiency;
  const double bytes = MemoryBytes(round, split, problem, device);
  const bool two_blocks = row.tile.m > 64 * Consumers(row.tile.m);
  const double from_memory = bytes / bandwidth * (two_blocks ? cost.two_blocks : 1);
  const Way way = WayOf(cost, round, split, row, problem);
  const double apart = split.cluster > 1 && split.tiles_narrow > 1 ? cost.shared_split : 1;
  const double intake =
      apart * ((way.wide + way.narrow) / cost.intake_bytes_per_clock + way.asked / cost.l2_bytes_per_clock) /
      clock;
  const double issue = IssueCycles(cost, round, row) / clock;
  const double power = cost.power_of_cycles * std::max(intake, issue) + bytes / cost.power_memory_bytes_per_us +
                       way.asked / cost.power_l2_bytes_per_us +
                       (round.wide + round.narrow) * round.ctas / cost.power_intake_bytes_per_us;
  const double chain = row.tile.n <= kStepColumns
                           ? (round.steps * row.tile.k / 128 * cost.step_cycles - cost.hidden_cycles) / clock
                           : 0;
  return std::max(chain, Overlap({from_memory, intake, issue, power, FlopUs(cost, round, split, row)}));
}

// Microseconds that each tile takes behind its main loop.
double AfterUs(const CostConstants& cost, const Split& split, const dispatch::KernelRow& row,
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
double WonEarlyUs(const Split& split, const dispatch::KernelRow& row, const problem::Normalized& problem,
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

// By steps of 256 of K: nothing where a CTA has one or its weights are early, all of it from 2304 of K on, less the last one's length.
double WonByLongStepsUs(const CostConstants& cost, const Split& split, const dispatch::KernelRow& row,
                        const problem::Normalized& problem) {
  if (!HasLongSteps(row)) return 0;
  const double k = static_cast<double>(split.k_steps * row.tile.k) / split.cluster;
  const double part = WideInput(split, problem).readable_early ? 0 : std::clamp((k - 256) / 2048, 0.0, 1.0);
  return cost.long_steps_win_us * part - cost.last_long_step_us;
}

}  // namespace

double PredictUs(const CostConstants& cost, const Split& split, const dispatch::KernelRow& row,
                 const problem::Normalized& problem, const dispatch::Device& device) {
  const std::int64_t full = split.tiles / split.clusters;
  const std::int64_t rest = split.tiles % split.clusters;
  double us = cost.fixed_us - WonEarlyUs(split, row, problem, device);
  us -= WonByLongStepsUs(cost, split, row, problem);
  us += static_cast<double>(full + (rest != 0)) * AfterUs(cost, split, row, problem);
  const auto round_us = [&](std::int64_t clusters) {
    return RoundUs(cost, RoundOf(static_cast<double>(clusters), split, row), split, row, problem, device);
  };
  us += static_cast<double>(full) * round_us(split.clusters);
  if (rest != 0) us += round_us(rest);
  return us;
}

}  // namespace gemm::hopper::skinny
