#include "hopper/skinny/split.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

#include "common/base/math.h"
#include "hopper/skinny/config.cuh"

namespace gemm::hopper::skinny {
namespace {

using dispatch::Device;
using dispatch::KernelRow;
using problem::Normalized;

constexpr double kFixedUs = 2.2;             // from launch to end of an otherwise instant kernel
constexpr double kStreamEfficiency = 0.93;   // of what the memory clock gives
constexpr double kL2BytesPerUs = 6.0e6;      // that all SMs together take from the L2
constexpr double kIntakeBytesPerClock = 64;  // of one SM
constexpr double kOverheadCycles = 165;      // of a K step of a consumer: barriers, issue
constexpr double kEpilogueUsPerKib = 0.03;   // of the FP32 tile
constexpr double kExchangeUs = 0.6;          // of each tile that CTAs share
constexpr double kShareUs = 0.1;             // of CTAs that wait for each other's loads

std::int64_t RoundUp(std::int64_t value, std::int64_t unit) { return base::CeilDiv(value, unit) * unit; }

// Bounds that overlap nearly perfectly: a little above the greatest.
double Overlap(std::initializer_list<double> bounds) {
  constexpr double kNorm = 6;
  double sum = 0;
  for (const double bound : bounds) sum += std::pow(bound, kNorm);
  return std::pow(sum, 1 / kNorm);
}

// Microseconds of the main loops of `clusters` clusters, a tile for each CTA or those that share it.
double RoundUs(double clusters, const Split& split, const KernelRow& row, const Device& device) {
  const double clock = std::max(device.sm_clock_mhz, 1.0);
  const double steps =
      static_cast<double>(base::CeilDiv<std::int64_t>(split.k_steps, split.team.split)) * row.tile.k;
  const double ctas = clusters * split.team.size();
  const double wide = 2.0 * static_cast<double>(split.wide_box) * steps;
  const double narrow =
      2.0 * static_cast<double>(std::min<std::int64_t>(split.narrow_rows, row.tile.n)) * steps;
  const double memory = std::max(device.memory_bandwidth_gbs, 1.0) * 1e3 * kStreamEfficiency;
  // Narrow tiles that share a wide one find it in the L2.
  const double from_memory = wide * ctas / static_cast<double>(split.tiles_narrow) / memory;
  const double from_l2 = (wide + narrow / split.team.share) * ctas / kL2BytesPerUs;
  const double intake = (wide + narrow) / kIntakeBytesPerClock / clock;
  // A wgmma of n columns takes n / 2 cycles, and no less than it takes to read 64 x 16 elements.
  const double wgmma = steps / 16 * (row.tile.m / 64.0) * std::max(row.tile.n / 2.0, 16.0);
  const double overhead = steps / row.tile.k * kOverheadCycles / split.step_groups;
  return Overlap({from_memory, from_l2, intake, (wgmma + overhead) / clock});
}

// Microseconds that each tile takes behind its main loop.
double AfterUs(const Split& split, const KernelRow& row) {
  const double columns = static_cast<double>(std::min<std::int64_t>(split.narrow_rows, row.tile.n));
  const double kib = static_cast<double>(split.wide_box) * columns * 4 / 1024;
  return kEpilogueUsPerKib * kib * (split.team.split == 1 ? 1 : 2) + (split.team.split == 1 ? 0 : kExchangeUs);
}

double Predict(const Split& split, const KernelRow& row, const Device& device) {
  const std::int64_t full = split.groups / split.clusters;
  const std::int64_t rest = split.groups % split.clusters;
  double us = kFixedUs + static_cast<double>(full + (rest != 0)) * AfterUs(split, row);
  if (split.team.share > 1) us += kShareUs;
  us += static_cast<double>(full) * RoundUs(static_cast<double>(split.clusters), split, row, device);
  if (rest != 0) us += RoundUs(static_cast<double>(rest), split, row, device);
  return us;
}

// K-major both: the longer one is wide. Else the one that the kernel takes transposed.
bool WideIsB(const KernelRow& row, const Normalized& problem) {
  return row.b_major == problem::Major::kMN || problem.n >= problem.m;
}

// Rows of a tile: as few as keep the number of rounds that the widest tiles take.
std::int64_t WideBox(const Split& split, std::int64_t others, const KernelRow& row, const Device& device) {
  const std::int64_t unit = row.b_major == problem::Major::kMN ? 64 : 8;
  const std::int64_t most = row.tile.m;
  const std::int64_t at_once = std::int64_t{ResidentClusters(split.team.size(), device)} * split.team.share;
  const std::int64_t widest = base::CeilDiv(split.wide_rows, most);
  std::int64_t all;
  if (!base::CheckedMultiply(widest, others, &all)) return most;
  const std::int64_t rounds = base::CeilDiv(all, at_once);
  const std::int64_t tiles = std::max(rounds * at_once / others, widest);
  return std::min(most, RoundUp(base::CeilDiv(split.wide_rows, tiles), unit));
}

// The narrow rows that a CTA loads, of `live` that a tile has at most.
void CutNarrow(std::int64_t live, Split* split) {
  split->narrow_box =
      split->team.share == 1 ? live : RoundUp(base::CeilDiv<std::int64_t>(live, split->team.share), 8);
  split->loaders = base::CeilDiv(live, split->narrow_box);
}

}  // namespace

int ResidentClusters(int cluster, const Device& device) {
  // An H200 held 66 clusters of 2, 30 of 4 and 15 of 8 (2026-11-21). GPCs of these sizes would.
  constexpr int kSizes[] = {18, 18, 18, 18, 18, 16, 16, 10};
  int clusters = 0;
  if (device.sm_count == 132) {
    for (const int size : kSizes) clusters += size / cluster;
  } else {
    clusters = device.sm_count / 18 * (18 / cluster) + device.sm_count % 18 / cluster;
  }
  return std::max(clusters, 1);
}

bool CanSplitBy(Team team, const KernelRow& row, const Normalized& problem, const Device& device) {
  if (team.size() == 1) return true;
  // A split of K would depend on M.
  if (problem.batch_invariant && team.split > 1) return false;
  if (team.size() > kMaxCluster || team.size() > device.sm_count) return false;
  if (base::CeilDiv<std::int64_t>(problem.k, row.tile.k) < team.split) return false;
  const Split split = SplitBy(team, row, problem, device);
  return split.loaders * split.narrow_box <= row.tile.n &&
         (team.share == 1 || base::CeilDiv(split.wide_rows, split.wide_box) >= team.share);
}

Split SplitBy(Team team, const KernelRow& row, const Normalized& problem, const Device& device) {
  Split split;
  split.team = team;
  split.wide_is_b = WideIsB(row, problem);
  split.wide_rows = split.wide_is_b ? problem.n : problem.m;
  split.narrow_rows = split.wide_is_b ? problem.m : problem.n;
  split.k_steps = base::CeilDiv<std::int64_t>(problem.k, row.tile.k);
  split.tiles_narrow = base::CeilDiv<std::int64_t>(split.narrow_rows, row.tile.n);
  CutNarrow(std::min<std::int64_t>(split.narrow_rows, row.tile.n), &split);
  // Consumers that take steps by turns add up in another order than one alone.
  split.step_groups = row.tile.m == 64 && !problem.batch_invariant ? 2 : 1;
  std::int64_t others;
  const bool countable = base::CheckedMultiply(split.tiles_narrow, problem.batch, &others);
  split.wide_box = countable ? WideBox(split, others, row, device) : row.tile.m;
  split.groups_wide = base::CeilDiv<std::int64_t>(base::CeilDiv(split.wide_rows, split.wide_box), team.share);
  if (!countable || !base::CheckedMultiply(split.groups_wide, others, &split.groups)) {
    split.groups = std::numeric_limits<std::int64_t>::max();
  }
  split.clusters = std::clamp<std::int64_t>(split.groups, 1, ResidentClusters(team.size(), device));
  split.microseconds = Predict(split, row, device);
  return split;
}

Split ChooseSplit(const KernelRow& row, const Normalized& problem, const Device& device) {
  Split best = SplitBy({1, 1}, row, problem, device);
  for (const int share : {1, 2, 4}) {
    for (int cut = 1; cut <= kMaxCluster / share; ++cut) {
      const Team team = {cut, share};
      if (!CanSplitBy(team, row, problem, device)) continue;
      const Split split = SplitBy(team, row, problem, device);
      if (split.microseconds < best.microseconds) best = split;
    }
  }
  return best;
}

}  // namespace gemm::hopper::skinny
