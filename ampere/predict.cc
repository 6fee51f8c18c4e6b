#include "ampere/predict.h"

#include <algorithm>
#include <cstdint>

#include "ampere/config.h"
#include "ampere/row.h"
#include "common/base/math.h"
#include "common/dispatch/cost.h"

namespace gemm::ampere {
namespace {

using dispatch::Device;
using dispatch::KernelRow;
using problem::Normalized;

// How fast a tile's main loop was seen to run on one H200 (docs/perf/ampere.md); other devices are assumed to reach the same
// part of their own ceiling. `part`: 2026-11-21, of 160x256 in proportion to 128x256 on 2026-11-22. `cycles_per_k`: 2026-11-22, of
// 128x256, 160x256 (in proportion), 64x128 and Copy::kAny before the main loop lost its branch.
struct Pace {
  int area;  // tile.m * tile.n
  Copy copy;
  double part;          // of MmaSyncFlopPerSmClock, an SM full of CTAs
  double cycles_per_k;  // of one CTA alone on its SM, for each element of K
};
constexpr Pace kPaces[] = {
    {160 * 256, Copy::kAligned, 0.855, 39.6}, {128 * 256, Copy::kAligned, 0.826, 32.5},
    {128 * 128, Copy::kAligned, 0.754, 17.2}, {64 * 128, Copy::kAligned, 0.631, 15.8},
    {64 * 64, Copy::kAligned, 0.532, 8.7},    {32 * 64, Copy::kAligned, 0.37, 5.9},
    {16 * 64, Copy::kAligned, 0.24, 4.5},     {128 * 128, Copy::kAny, 0.51, 26.4},
    {64 * 64, Copy::kAny, 0.375, 15.2},
};

// Outside the main loop: of each round of CTAs, of each tile, and of each element of a tile, whose epilogue nothing hides. Least
// squares over 834 times of 166 random products, K from 128 to 32768 (H200, 2026-11-22); the standard deviation is 16%.
constexpr double kPrologueCycles = 190;
constexpr double kEpilogueCycles = 1500;
constexpr double kEpilogueCyclesPerElement = 0.21;

// The part of the pace for 16-bit elements that TF32 has: instructions of half the FLOP, and a multiplication for each register of
// fragments. 128x256 at 4096^3 and 8192^3, as kn 0.44 (H200, 2026-11-22).
constexpr double kTF32Factor = 0.47;

// The pace of the largest tile that is not above the row's.
const Pace& FindPace(const KernelRow& row) {
  const Pace* best = nullptr;
  for (const Pace& pace : kPaces) {
    if (pace.copy != CopyOf(row)) continue;
    if (best == nullptr || (pace.area <= row.tile.m * row.tile.n &&
                            (best->area < pace.area || best->area > row.tile.m * row.tile.n))) {
      best = &pace;
    }
  }
  return *best;
}

// The part of the pace for 16-byte copies that is left with narrower ones: of 128x128 by 4096^3, as above, and by 14 products with rows at
// multiples of 8 bytes; of 64x64 by 48 of 56 products with up to 256 rows; of B stored [k, n] by 16 times of 13 (H200, 2026-11-29,
// docs/perf/unaligned.md).
double NarrowCopyFactor(const KernelRow& row, const Normalized& p) {
  const std::int32_t alignment = std::min(p.a.alignment, p.b.alignment);
  const bool small = row.tile.m * row.tile.n < 128 * 128;
  if (alignment >= 16) return 1;
  const double of_layout = p.b.major == problem::Major::kMN ? 0.7 : 1;
  if (alignment >= 8) return of_layout * (small ? 0.52 : 0.6);
  if (alignment >= 4) return of_layout * (small ? 0.5 : 0.53);
  return of_layout * (small ? 0.29 : 0.45);
}

// What the busiest SM gets where K is split into `parts`. As above.
dispatch::TiledShare ShareOfParts(const KernelRow& row, const Normalized& p, const Device& device, int parts) {
  const std::int64_t ctas = SplitTiles(row, p, device) * parts;
  const auto per_sm = base::CeilDiv<std::int64_t>(ctas, std::max(device.sm_count, 1));
  const auto rounds = base::CeilDiv<std::int64_t>(per_sm, ResidentCtas(row, device));
  const auto steps = base::CeilDiv<std::int64_t>(base::CeilDiv<std::int64_t>(p.k, row.tile.k), parts);
  return {static_cast<double>(rounds), static_cast<double>(per_sm), static_cast<double>(per_sm * steps),
          static_cast<double>(rounds * steps)};
}

// The same, and the whole tiles beside them.
dispatch::TiledShare ShareOfRest(const KernelRow& row, const Normalized& p, const Device& device, int parts) {
  dispatch::TiledShare share = ShareOfParts(row, p, device, parts);
  const std::int64_t tiles = TilesPerMatrix(row, p) * p.batch;
  const auto whole = static_cast<double>(tiles / std::max(device.sm_count, 1));  // one CTA an SM
  const auto steps = static_cast<double>(base::CeilDiv<std::int64_t>(p.k, row.tile.k));
  share.rounds += whole;
  share.tiles += whole;
  share.steps += whole * steps;
  share.chain += whole * steps;
  return share;
}

// What handing partial sums over costs: a store, a count and a load one after the other, and the bytes.
double ExchangeUs(const KernelRow& row, const dispatch::TiledShare& share, const Device& device, int parts) {
  // Fitted to 24 times with 2 to 19 parts on one H200, 2026-11-22: 8% root mean square.
  constexpr double kCycles = 6000;
  constexpr double kBytesPerCycle = 30;
  const double bytes = 4.0 * row.tile.m * row.tile.n * (parts + share.tiles);
  return (kCycles + bytes / kBytesPerCycle) / std::max(device.sm_clock_mhz, 1.0);
}

// What handing partial sums over costs where helpers finish the tiles: the sums of a part are written, and a slice of all parts
// is read. From one product: 4096^3 by 160x256 in 0.98 to 0.99 of the time of 128x256
// (H200, 2026-11-22).
double RestExchangeUs(const KernelRow& row, const Device& device, int parts) {
  constexpr double kCycles = 2000;
  constexpr double kBytesPerCycle = 60;
  const double area = 4.0 * row.tile.m * row.tile.n;
  return (kCycles + area * (1 + static_cast<double>(parts) / kMostSlices) / kBytesPerCycle) /
         std::max(device.sm_clock_mhz, 1.0);
}

}  // namespace

double PredictPartsUs(const KernelRow& row, const Normalized& p, const Device& device, int parts) {
  const Pace& pace = FindPace(row);
  const double factor = Rounds(row) ? kTF32Factor : CopyOf(row) == Copy::kAny ? NarrowCopyFactor(row, p) : 1;
  dispatch::TiledCost cost;
  cost.tile = row.tile;
  cost.stages = row.stages;
  cost.ctas_per_sm = ResidentCtas(row, device);
  cost.flop_per_sm_clock = dispatch::MmaSyncFlopPerSmClock(device) * pace.part * factor;
  cost.prologue_cycles = kPrologueCycles;
  cost.epilogue_cycles = kEpilogueCycles + kEpilogueCyclesPerElement * row.tile.m * row.tile.n;
  // The model divides a stage's latency by the number of stages; the pace is already per step.
  cost.latency_cycles = row.stages * row.tile.k * pace.cycles_per_k / factor;
  const dispatch::TiledShare share = parts == 1        ? dispatch::BusiestShare(cost, p, device)
                                     : SplitsRest(row) ? ShareOfRest(row, p, device, parts)
                                                       : ShareOfParts(row, p, device, parts);
  dispatch::TiledTime time = dispatch::PredictShare(cost, share, p, device);
  // One row of A against 57344 x 8192 took 315 us where the memory needs 210 (H200, 2026-11-21).
  constexpr double kStreamFactor = 1.5;
  time.memory *= kStreamFactor;
  if (parts == 1) return time.total();
  return time.total() +
         (SplitsRest(row) ? RestExchangeUs(row, device, parts) : ExchangeUs(row, share, device, parts));
}

}  // namespace gemm::ampere
