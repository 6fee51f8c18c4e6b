#include "hopper/skinny/split.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

#include "common/base/math.h"
#include "common/dispatch/cost.h"
#include "common/dispatch/row_start.h"
#include "hopper/early.h"
#include "hopper/residency.h"
#include "hopper/skinny/config.cuh"

namespace gemm::hopper::skinny {
namespace {

using dispatch::Device;
using dispatch::KernelRow;
using problem::Normalized;

// The model's constants, fitted together with those of the tiled kernels (H200, 2026-11-22). Standard deviation 2 to 7% over rows
// within 15% of the fastest, by the kind of products. The fixed time, the way into the SM, rows off lines, tiles of 8 columns and the
// exchange were set anew on 2026-11-24. By which times: docs/perf/hopper.md, "How the predictors' constants were set".
constexpr double kFixedUs = 2.25;            // from launch to end of an otherwise instant kernel
constexpr double kStreamEfficiency = 0.938;  // of what the memory clock gives
constexpr double kIntakeBytesPerClock = 66;  // of one SM
// Times the way into the SM where narrow tiles share a wide one and CTAs share K. Why is not known.
constexpr double kSharedSplit = 1.3;
constexpr double kTwoLineRows = 1.25;  // times that of rows which start at multiples of 32 but not of 128 bytes
constexpr double kFiveSectorRows = 2;  // the same of 16 but not of 32
// A wide operand stored [k, n] in tiles of more than 64 columns: times its way into the SM. 64x80 and 64x96 took 10% longer than predicted in
// 24 such products of engines, fewer columns 0 to 4% (H200, 2026-11-24).
constexpr double kWideOfKn = 1.2;
// Consumers wait the more the shorter the ring: times 1 + this over the K of all stages in units of 64. This, the FLOP below and the
// constants set with them (overheads, power) were fitted to 879 times of these kernels with M from 24 to 8192, 503 of them up to 64
// (H200, 2026-11-23): standard deviation 4.0% (5.3% before), those near the fastest row counted most.
constexpr double kShortRing = 0.9;
constexpr double kOverheadCycles = 43;  // of a K step: barriers, issue
// The same where one consumer issues all and keeps a batch of wgmma in flight.
constexpr double kOverheadInFlightCycles = 32;
// Steps of 128 of K with up to 64 columns, whose wgmma wait for one another, are never shorter; the first ones lie behind the way to the first
// load. Standard deviation of 151 times of 30 small products 6% (K from 152 to 30800; H200, 2026-11-23). Without it 14x1216x2000 is
// given one CTA a tile: 6.1 us for 4.2 with four.
constexpr double kStepCycles = 440;
constexpr double kHiddenCycles = 700;
constexpr int kStepColumns = 64;
constexpr double kEpilogueUsPerKib = 0.024;  // of the FP32 tile: nothing hides it
constexpr double kScatteredUsPerKib = 0.38;  // the same where the wide operand's rows are not contiguous in D
constexpr double kFromRegistersUs = 0.17;    // of each tile of 8 columns, which no shared memory stages
constexpr double kExchangeUs = 0.37;         // of each tile that CTAs share
constexpr double kExchangeUsPerKib = 0.061;  // of what a consumer warpgroup sends
constexpr double kSecondConsumer = 1.45;     // times that where two send
// At the power limit the clock falls with what is done at once: these add up.
constexpr double kPowerOfCycles = 0.6;
constexpr double kPowerMemoryBytesPerUs = 2.62e7;
constexpr double kPowerL2BytesPerUs = 6.2e7;
// A bound of its own at that limit, where M and N are large. What a tile computes for nothing counts so much as the rest.
constexpr double kFlopPerUs = 9.9e8;
constexpr double kUnused = 0.3;

// Bounds that overlap: a little above the greatest.
double Overlap(std::initializer_list<double> bounds) {
  constexpr double kNorm = 4;
  double sum = 0;
  for (const double bound : bounds) sum += std::pow(bound, kNorm);
  return std::pow(sum, 1 / kNorm);
}

const problem::Input& WideInput(const Split& split, const Normalized& problem) {
  return split.wide_is_b ? problem.b : problem.a;
}

// Of an operand's way into the SM.
double Slowness(const problem::Input& input) {
  return dispatch::ByRowStart(input.ld * 2, 1, kTwoLineRows, kFiveSectorRows);
}

// Microseconds of the main loops of `clusters` tiles, one for each cluster.
double RoundUs(double clusters, const Split& split, const KernelRow& row, const Normalized& problem,
               const Device& device) {
  const double clock = std::max(device.sm_clock_mhz, 1.0);
  const double steps = static_cast<double>(base::CeilDiv<std::int64_t>(split.k_steps, split.cluster));
  const double k_bytes = 2 * steps * row.tile.k;
  const double wide = k_bytes * static_cast<double>(split.wide_box);
  const double narrow = k_bytes * static_cast<double>(split.narrow_box);
  const double memory = std::max(device.memory_bandwidth_gbs, 1.0) * 1e3 * kStreamEfficiency;
  // Tiles that share a box of an operand find it in the L2.
  const double ctas = clusters * split.cluster;
  const double wide_bytes = wide * ctas / static_cast<double>(split.tiles_narrow);
  // Each round goes through the narrow operand; one that the L2 cannot hold beside other things comes from memory again.
  const double operand = 2.0 * static_cast<double>(split.narrow_rows) * static_cast<double>(problem.k);
  const double narrow_bytes =
      dispatch::StaysInL2(operand, device)
          ? narrow * ctas / static_cast<double>(split.tiles_wide)
          : narrow * std::min(ctas, static_cast<double>(split.tiles_narrow * split.cluster));
  const double from_memory = (wide_bytes + narrow_bytes) / memory;
  const problem::Input& narrow_input = split.wide_is_b ? problem.a : problem.b;
  const double apart = split.cluster > 1 && split.tiles_narrow > 1 ? kSharedSplit : 1;
  const bool slow_kn = row.b_major == problem::Major::kMN && KeepsBatch(row.tile.n);
  const double wide_way = wide * Slowness(WideInput(split, problem)) * (slow_kn ? kWideOfKn : 1);
  const double intake = apart * (wide_way + narrow * Slowness(narrow_input)) / kIntakeBytesPerClock / clock;
  // A wgmma of n columns takes n / 2 cycles, and no less than it takes to read 64 x 16 elements.
  const double wgmma = row.tile.k / 16.0 * (row.tile.m / 64.0) * std::max(row.tile.n / 2.0, 16.0);
  const bool in_flight = KeepsBatch(row.tile.n) && row.tile.m == 64;
  const double waiting = 1 + kShortRing * 64 / (row.stages * row.tile.k);
  const double issue =
      waiting * steps * (wgmma + (in_flight ? kOverheadInFlightCycles : kOverheadCycles)) / clock;
  const double power = kPowerOfCycles * std::max(intake, issue) +
                       (wide_bytes + narrow_bytes) / kPowerMemoryBytesPerUs +
                       (wide + narrow) * ctas / kPowerL2BytesPerUs;
  const auto used = static_cast<double>(split.wide_box * split.narrow_box);
  const double elements = kUnused * row.tile.m * row.tile.n + (1 - kUnused) * used;
  const double flop = 2 * ctas * steps * row.tile.k * elements / kFlopPerUs;
  const double chain =
      row.tile.n <= kStepColumns ? (steps * row.tile.k / 128 * kStepCycles - kHiddenCycles) / clock : 0;
  return std::max(chain, Overlap({from_memory, intake, issue, power, flop}));
}

// Microseconds that each tile takes behind its main loop.
double AfterUs(const Split& split, const KernelRow& row, const Normalized& problem) {
  const bool in_runs = (split.wide_is_b ? problem.d.col_stride : problem.d.row_stride) == 1;
  double us = (in_runs ? kEpilogueUsPerKib : kScatteredUsPerKib) *
              static_cast<double>(split.wide_box * split.narrow_box) * 4 / 1024;
  if (row.tile.n == 8) us += kFromRegistersUs;
  if (split.cluster > 1) {
    const double sent = 64.0 * row.tile.n * 4 / 1024 * (split.cluster - 1) / split.cluster;
    us += kExchangeUs + kExchangeUsPerKib * sent * (row.tile.m > 64 ? kSecondConsumer : 1);
  }
  return us;
}

// Of the wide operand, before the predecessor has finished. Half of the ring counts, which is what was asked for so early when the
// choice lost 0.4% on 31 products of decode.txt in programmatic chains (H200, 2026-11-23); the kernels ask for the rest too since
// (producer.cuh), and what the choice loses now was not measured.
double WonEarlyUs(const Split& split, const KernelRow& row, const Normalized& problem, const Device& device) {
  if (!WideInput(split, problem).readable_early) return 0;
  const std::int64_t steps = base::CeilDiv<std::int64_t>(split.k_steps, split.cluster);
  const auto stages = static_cast<double>(std::min<std::int64_t>(steps, StagesEarly(row.stages)));
  const double bytes = stages * 2 * row.tile.k *
                       static_cast<double>(split.wide_box * split.clusters * split.cluster) /
                       static_cast<double>(split.tiles_narrow);
  constexpr double kMostUs = 1.5;
  return EarlyUs(bytes, kMostUs, device);
}

double Predict(const Split& split, const KernelRow& row, const Normalized& problem, const Device& device) {
  const std::int64_t full = split.tiles / split.clusters;
  const std::int64_t rest = split.tiles % split.clusters;
  double us = kFixedUs - WonEarlyUs(split, row, problem, device);
  us += static_cast<double>(full + (rest != 0)) * AfterUs(split, row, problem);
  us += static_cast<double>(full) * RoundUs(static_cast<double>(split.clusters), split, row, problem, device);
  if (rest != 0) us += RoundUs(static_cast<double>(rest), split, row, problem, device);
  return us;
}

// Rows of a tile: as few as keep the number of rounds that the widest tiles take.
std::int64_t WideBox(const Split& split, std::int64_t others, const KernelRow& row, const Device& device) {
  // 8 columns are stored from registers, which ask for no alignment; more of them in whole units of 8 rows (epilogue.cuh).
  const std::int64_t unit = row.b_major == problem::Major::kMN ? 64 : row.tile.n == 8 ? 4 : 8;
  const std::int64_t most = row.tile.m;
  const std::int64_t at_once = ResidentClusters(split.cluster, device);
  const std::int64_t widest = base::CeilDiv(split.wide_rows, most);
  std::int64_t all;
  if (!base::CheckedMultiply(widest, others, &all)) return most;
  const std::int64_t rounds = base::CeilDiv(all, at_once);
  const std::int64_t tiles = std::max(rounds * at_once / others, widest);
  return std::min(most, base::CeilDiv(base::CeilDiv(split.wide_rows, tiles), unit) * unit);
}

Split SplitWith(bool wide_is_b, int cluster, const KernelRow& row, const Normalized& problem,
                const Device& device) {
  Split split;
  split.cluster = cluster;
  split.wide_is_b = wide_is_b;
  split.wide_rows = split.wide_is_b ? problem.n : problem.m;
  split.narrow_rows = split.wide_is_b ? problem.m : problem.n;
  split.k_steps = base::CeilDiv<std::int64_t>(problem.k, row.tile.k);
  split.tiles_narrow = base::CeilDiv<std::int64_t>(split.narrow_rows, row.tile.n);
  split.narrow_box = base::CeilDiv(split.narrow_rows, split.tiles_narrow);
  std::int64_t others;
  const bool countable = base::CheckedMultiply(split.tiles_narrow, problem.batch, &others);
  split.wide_box = countable ? WideBox(split, others, row, device) : row.tile.m;
  split.tiles_wide = base::CeilDiv(split.wide_rows, split.wide_box);
  if (!countable || !base::CheckedMultiply(split.tiles_wide, others, &split.tiles)) {
    split.tiles = std::numeric_limits<std::int64_t>::max();
  }
  split.clusters = std::clamp<std::int64_t>(split.tiles, 1, ResidentClusters(cluster, device));
  split.microseconds = Predict(split, row, problem, device);
  return split;
}

}  // namespace

bool CanSplitBy(int cluster, const KernelRow& row, const Normalized& problem, const Device& device) {
  if (cluster == 1) return true;
  // A split of K would depend on M. Of clusters that are no power of
  // two fewer run at once than expected, and the rest wait: 20 of 6 CTAs started in two waves (H200, 2026-11-22).
  return !problem.batch_invariant && (cluster & (cluster - 1)) == 0 &&
         cluster <= MaxSplit(row.tile.m, row.tile.n) && cluster <= device.sm_count &&
         base::CeilDiv<std::int64_t>(problem.k, row.tile.k) >= cluster;
}

Split SplitBy(int cluster, const KernelRow& row, const Normalized& problem, const Device& device) {
  const Split split = SplitWith(true, cluster, row, problem, device);
  // Of operands that are not K-major the kernel takes the wide one, and B wide has the fewest tiles and D's rows contiguous.
  if (row.b_major == problem::Major::kMN || problem.n >= problem.m) return split;
  const Split other = SplitWith(false, cluster, row, problem, device);
  return other.microseconds < split.microseconds ? other : split;
}

Split ChooseSplit(const KernelRow& row, const Normalized& problem, const Device& device) {
  Split best = SplitBy(1, row, problem, device);
  for (int cluster = 2; cluster <= kMaxCluster; cluster *= 2) {
    if (!CanSplitBy(cluster, row, problem, device)) continue;
    const Split split = SplitBy(cluster, row, problem, device);
    if (split.microseconds < best.microseconds) best = split;
  }
  return best;
}

}  // namespace gemm::hopper::skinny
