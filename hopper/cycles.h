// Predicted cycles of a CTA of a tiled kernel, at the highest clock: of its K steps, and of what passes sums from one CTA to another.
// Beside the prediction (predict.h), which has the model, the schedules that split K choose their parts by them (k_parts.h).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "common/base/data_type.h"
#include "common/dispatch/kernel.h"
#include "common/dispatch/row_start.h"
#include "hopper/boxes.h"
#include "hopper/cost.h"
#include "hopper/raster.h"
#include "hopper/schedule.h"

namespace gemm::hopper {

inline constexpr double kWgmmaFlopPerClock = 4096;  // of one SM, by design

inline double CtaTiles(const dispatch::KernelRow& row, const Raster& raster) {
  return static_cast<double>(raster.tiles) * row.cluster_m * row.cluster_n;
}

// Rows of a CTA's tile that there are.
struct TileRows {
  double a;
  double b;
};

inline TileRows TileRowsOf(const dispatch::KernelRow& row, const problem::Normalized& p) {
  const int of_b = RowsInBoxes(p.b.major == problem::Major::kMN, row.tile.n);
  return {static_cast<double>(std::min<std::int64_t>(p.m, row.tile.m)),
          static_cast<double>(std::min<std::int64_t>(p.n, of_b))};
}

// Of these, a CTA's part of what is asked of the L2. `together`: neighbours are at the same part of K.
inline TileRows AskedOf(const CostConstants& cost, const dispatch::KernelRow& row, const problem::Normalized& p,
                        const Raster& raster, bool together) {
  TileRows rows = TileRowsOf(row, p);
  rows.a /= row.cluster_n;
  rows.b /= row.cluster_m;
  if (!together || ScheduleOf(row) == Schedule::kSplitK) return rows;
  const GpcReaders readers =
      ReadersInGpc(raster.Across(), raster.Along(), raster.band, row.cluster_m * row.cluster_n);
  // Multicast requests are answered each for itself.
  const double in_rounds = row.cluster_m * row.cluster_n == 1 ? cost.merged_in_rounds : cost.merged_of_clusters;
  const double merged = raster.tiles <= raster.resident ? 1 : in_rounds;
  if (row.cluster_n == 1) rows.a *= AskedPart(raster.bands_across_n ? readers.along : readers.across, merged);
  if (row.cluster_m == 1) rows.b *= AskedPart(raster.bands_across_n ? readers.across : readers.along, merged);
  return rows;
}

inline double SmoothMaximum(double a, double b, double c) {
  constexpr double kNorm = 12;
  return std::pow(std::pow(a, kNorm) + std::pow(b, kNorm) + std::pow(c, kNorm), 1 / kNorm);
}

// Whether a box of every tile of A hangs over the edge. Of a larger operand the last tile's may; that is not counted. Boxes
// of K-major operands end at the edge (boxes.h).
inline bool HangsOver(const dispatch::KernelRow& row, const problem::Normalized& p) {
  return p.a.major == problem::Major::kMN && p.m < row.tile.m && p.m % kMnBox != 0;
}

// `asked` of AskedOf; `at_once` CTAs are at work.
inline double StepCycles(const CostConstants& cost, const dispatch::KernelRow& row,
                         const problem::Normalized& p, const TileRows& asked, double at_once) {
  const TileRows rows = TileRowsOf(row, p);
  const std::int64_t element = base::ElementBytes(p.input_type);
  const auto row_cycles = [&](const problem::Input& input) {
    return dispatch::ByRowStart(input.ld * element, 0, cost.two_line_row_cycles, cost.five_sector_row_cycles);
  };
  const double wgmma = 2.0 * row.tile.m * row.tile.n * row.tile.k / kWgmmaFlopPerClock;
  const double intake = row.tile.k * static_cast<double>(element) *
                        ((rows.a + rows.b) / cost.intake_bytes_per_clock +
                         at_once * (asked.a + asked.b) / cost.l2_bytes_per_clock);
  if (StartsAnywhere(row)) {
    const double loading = cost.anywhere_step_cycles + cost.anywhere_row_cycles * at_once * (rows.a + rows.b);
    return SmoothMaximum(wgmma, intake, loading);
  }
  const double asking = rows.a / row.cluster_n * row_cycles(p.a) + rows.b / row.cluster_m * row_cycles(p.b);
  const double hanging = HangsOver(row, p) ? cost.hanging_box : 1;
  const double latency = cost.load_latency_cycles / row.stages;
  return hanging * SmoothMaximum(wgmma, std::max(intake, asking), latency);
}

// In tiles of 128 x 256.
inline double TileArea(const dispatch::KernelRow& row) { return row.tile.m * row.tile.n / (128.0 * 256.0); }

// Of the K steps of stream-K's ranges, times those of whole tiles.
inline double RangeSteps(const CostConstants& cost, bool even, double shared) {
  return even ? cost.even_steps : 1 + (cost.uneven - 1) * shared;
}

// A tile's sums.
inline double SumsKiB(const dispatch::KernelRow& row) { return 4.0 * row.tile.m * row.tile.n / 1024; }

// Of what a CTA hands over where each of `parts` stores its share of the tile's rows.
inline double HandedOverKiB(const dispatch::KernelRow& row, double parts) {
  return SumsKiB(row) * (parts - 1) / parts;
}

// Split K's exchange, of `parts` CTAs.
inline double SplitKCycles(const CostConstants& cost, const dispatch::KernelRow& row, double parts) {
  return cost.split_fixed_cycles + cost.split_kib_cycles * HandedOverKiB(row, parts);
}

// How much longer than the others a stream-K part goes on multiplying that finishes a tile. Handing over takes longer: by stamps
// 128x128 takes 1.1 us to write its sums, 1.0 until they are released and 0.4 until they are seen. But of 4, 8, 12 and 16 K steps more
// 4 and 8 were best, by 0.4 to 1.0 us (256x4096 and 512x1280, K from 2048 to 8192, H200, 2026-11-26); why not more is not known. Set
// by hand from that one tile; an H100 was not asked.
inline double HandOverCycles(const dispatch::KernelRow& row) { return 1400 + 20 * SumsKiB(row); }

// What follows the last K step of parallel split K: the sums are written, read by the second kernel and added up.
inline double ParallelSplitKCycles(const CostConstants& cost, const dispatch::KernelRow& row) {
  return cost.parallel_fixed_cycles + cost.parallel_kib_cycles * SumsKiB(row);
}

// Stream-K's exchange and epilogue. `hides_hand_over`: Share's.
inline double StreamKTailCycles(const CostConstants& cost, const dispatch::KernelRow& row, double parts,
                                bool scatters, bool hides_hand_over, double rounds) {
  const double area = TileArea(row);
  if (scatters) {
    return cost.scatter_fixed_cycles + cost.scatter_kib_cycles * HandedOverKiB(row, parts) +
           area * cost.epilogue_stream_k_cycles / parts;
  }
  // All parts together have as many steps as before, so one part's share of what the finisher has more is won. Less where K is so short
  // that it has not as many (StreamK::finisher_more), which is not counted.
  const double hidden = hides_hand_over ? HandOverCycles(row) / parts : 0;
  return std::log2(parts) * (cost.exchange_fixed_cycles + area * cost.exchange_cycles) - hidden +
         area * rounds * cost.epilogue_stream_k_cycles;
}

}  // namespace gemm::hopper
