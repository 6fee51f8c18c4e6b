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

// The model's constants: fitted by least squares of logarithms to 1341 times of one H200 with 132 SMs, M = 1 to 512
// (2026-11-21, docs/perf/decode.md), standard deviation 16%. Among these kernels the choice by it lost 3.7% against the best
// in the geometric mean.
constexpr double kFixedUs = 2.53;           // from launch to end of an otherwise instant kernel
constexpr double kStreamEfficiency = 0.88;  // of what the memory clock gives
constexpr double kL2BytesPerUs = 9.0e6;     // that all SMs together take from the L2
constexpr double kOverheadCycles = 165;     // of a K step: barriers, issue
constexpr double kEpilogueUsPerKib = 0.23;  // of the FP32 tile of one consumer warpgroup: nothing hides it
constexpr double kReduceUs = 0.16;          // of each tile that CTAs share
constexpr double kReduceUsPerKib = 0.058;   // of what a consumer warpgroup sends
constexpr double kUnevenReduction = 7;      // where the CTAs' shares are not alike

double Steps(const Split& split) {
  return static_cast<double>(base::CeilDiv<std::int64_t>(split.k_steps, split.cluster));
}

// Bounds that overlap nearly perfectly: a little above the greatest.
double Overlap(std::initializer_list<double> bounds) {
  constexpr double kNorm = 6;
  double sum = 0;
  for (const double bound : bounds) sum += std::pow(bound, kNorm);
  return std::pow(sum, 1 / kNorm);
}

// Microseconds of the main loops of `clusters` tiles, one for each cluster.
double RoundUs(double clusters, const Split& split, const KernelRow& row, const Device& device) {
  const double ctas = clusters * split.cluster;
  const double wide = 2.0 * row.tile.m * row.tile.k;
  const double narrow =
      2.0 * static_cast<double>(std::min<std::int64_t>(split.narrow_rows, row.tile.n)) * row.tile.k;
  const double memory = std::max(device.memory_bandwidth_gbs, 1.0) * 1e3 * kStreamEfficiency;
  // Narrow tiles that share a wide one find it in the L2.
  const double from_memory = wide * ctas / static_cast<double>(split.tiles_narrow) / memory;
  const double from_l2 = (wide + narrow) * ctas / kL2BytesPerUs;
  // A wgmma of n columns takes n / 2 cycles, and no less than it takes to read 64 x 16 elements.
  const double wgmma = row.tile.k / 16.0 * (row.tile.m / 64.0) * std::max(row.tile.n / 2.0, 16.0);
  const double compute = (wgmma + kOverheadCycles) / std::max(device.sm_clock_mhz, 1.0);
  return Steps(split) * Overlap({from_memory, from_l2, compute});
}

// Microseconds that each tile takes behind its main loop.
double AfterUs(const Split& split, const KernelRow& row) {
  const double columns = static_cast<double>(std::min<std::int64_t>(split.narrow_rows, row.tile.n));
  const double kib = 64 * columns * 4 / 1024;  // of one consumer warpgroup
  double us = kEpilogueUsPerKib * kib;
  if (split.cluster > 1) {
    const bool even = (split.cluster & (split.cluster - 1)) == 0;
    const double sent = kib * (split.cluster - 1) / split.cluster;
    us += kReduceUs + kReduceUsPerKib * sent * (even ? 1 : kUnevenReduction);
  }
  return us;
}

double Predict(const Split& split, const KernelRow& row, const Device& device) {
  const std::int64_t full = split.tiles / split.clusters;
  const std::int64_t rest = split.tiles % split.clusters;
  double us = kFixedUs + static_cast<double>(full + (rest != 0)) * AfterUs(split, row);
  us += static_cast<double>(full) * RoundUs(static_cast<double>(split.clusters), split, row, device);
  if (rest != 0) us += RoundUs(static_cast<double>(rest), split, row, device);
  return us;
}

// K-major both: the longer one is wide. Else the one that the kernel takes transposed.
bool WideIsB(const KernelRow& row, const Normalized& problem) {
  return row.b_major == problem::Major::kMN || problem.n >= problem.m;
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

bool CanSplitBy(int cluster, const KernelRow& row, const Normalized& problem) {
  const int granules = row.tile.m / 8;
  return cluster == 1 || (cluster <= kMaxCluster && cluster <= granules &&
                          SlotGranules(granules, cluster) <= SlotCapacity(row.tile.m, row.tile.n) &&
                          base::CeilDiv<std::int64_t>(problem.k, row.tile.k) >= cluster);
}

Split SplitBy(int cluster, const KernelRow& row, const Normalized& problem, const Device& device) {
  Split split;
  split.wide_is_b = WideIsB(row, problem);
  split.wide_rows = split.wide_is_b ? problem.n : problem.m;
  split.narrow_rows = split.wide_is_b ? problem.m : problem.n;
  split.k_steps = base::CeilDiv<std::int64_t>(problem.k, row.tile.k);
  split.tiles_wide = base::CeilDiv<std::int64_t>(split.wide_rows, row.tile.m);
  split.tiles_narrow = base::CeilDiv<std::int64_t>(split.narrow_rows, row.tile.n);
  if (!base::CheckedMultiply(split.tiles_wide, split.tiles_narrow, &split.tiles) ||
      !base::CheckedMultiply(split.tiles, problem.batch, &split.tiles)) {
    split.tiles = std::numeric_limits<std::int64_t>::max();
  }
  split.cluster = cluster;
  split.clusters = std::clamp<std::int64_t>(split.tiles, 1, ResidentClusters(cluster, device));
  split.microseconds = Predict(split, row, device);
  return split;
}

Split ChooseSplit(const KernelRow& row, const Normalized& problem, const Device& device) {
  Split best = SplitBy(1, row, problem, device);
  // A split of K would depend on M.
  if (problem.batch_invariant) return best;
  for (int cluster = 2; cluster <= std::min(kMaxCluster, device.sm_count); ++cluster) {
    if (!CanSplitBy(cluster, row, problem)) continue;
    const Split split = SplitBy(cluster, row, problem, device);
    if (split.microseconds < best.microseconds) best = split;
  }
  return best;
}

}  // namespace gemm::hopper::skinny
