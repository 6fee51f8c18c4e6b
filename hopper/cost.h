// Predicted times of the tiled kernels (the skinny ones have their own: skinny/cost.h).
//
// A kernel's time is the launch plus about the longest of
// - cycles: what the busiest SM does one after the other, at the highest clock: K steps (each the longest of its wgmma, the
//   operands' way into the SM, and a load's latency over the ring's depth), and the part of epilogues that nothing hides.
//   The way into the SM is its own part, and the L2's, which serves all SMs that are at work;
// - power: at the power limit the clock falls, and the energy of an operation with it. With E the time that the energy would take at
//   the highest clock's voltage, it is cycles^(1 - x) E^x. Energy is of FLOP, of bytes from memory, from the L2 and into the SMs,
//   and of the cycles themselves;
// - memory: each matrix once, and longer by what is asked of the L2 at the same time;
// and for stream-K what follows the last K step, which no memory traffic hides: the exchange of partial sums and the epilogue.
// What is asked of the L2 counts once for the CTAs of a cluster (multicast) and of a GPC that read it together (raster.h).
// All but hanging_box and merged_... are fitted, together with the skinny kernels' constants, to times of every row near the
// fastest: docs/perf/hopper/predictors.md says by which times, and what the choice loses. `gemm calibrate` measures and fits these
// constants alone anew.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "common/base/math.h"
#include "common/dispatch/cost.h"
#include "common/dispatch/cost_model.h"
#include "common/dispatch/row_start.h"
#include "hopper/boxes.h"
#include "hopper/config.cuh"
#include "hopper/early.h"
#include "hopper/output.h"
#include "hopper/raster.h"
#include "hopper/schedule.h"
#include "hopper/sectors.h"
#include "hopper/stream_k.h"

namespace gemm::hopper {

struct CostConstants {
  double launch_us = 1.75;              // from launch to end of an otherwise instant kernel
  double cluster_us = 0.3;              // more in a launch with clusters
  double wide_cluster_us = 0.3;         // more where they multicast to four CTAs and more
  double intake_bytes_per_clock = 163;  // of one SM, were it alone
  double l2_bytes_per_clock = 19600;    // of all SMs, beside that
  // The part of a GPC's requests for the same line that are answered once where CTAs compute several tiles, and drift apart; in one
  // round it is all. Set by hand among a dozen pairs from 0 to 1: refitted with each, the choice loses 2.7% to 3.6% of 269 products of
  // H100s, 2.7% with these (2026-11-25).
  double merged_in_rounds = 0.7;
  double merged_of_clusters = 0.3;  // the same of clusters
  // Of one SM, to ask for 128 bytes of a row that start at no multiple of 128: two lines of the L2, and five of its sectors of
  // 32 bytes where the row starts at an odd multiple of 16. Of what a cluster shares a CTA asks for its part, one box in several.
  double two_line_row_cycles = 1.98;
  double five_sector_row_cycles = 3.47;
  double load_latency_cycles = 2470;  // of a K step, over the stages
  // Times a K step whose box of A hangs over the edge (boxes.h says where boxes still do).
  double hanging_box = 1.23;
  // Of a tile of 128 x 256; others by their area.
  double epilogue_cooperative_cycles = 4797;
  double epilogue_pingpong_cycles = 1490;
  double epilogue_stream_k_cycles = 4250;
  // Of a chunk of a ping-pong consumer's epilogue: until it is handed to the copy engine, and from then on until its buffer is free.
  double chunk_write_cycles = 195;
  double chunk_latency_cycles = 800;
  // Where D's rows start within sectors of the L2 by turns (sectors.h): what each of its bytes counts more to the memory, stored as it
  // lies and by whole sectors, and the cycles of a tile of 128 x 256 for each 1 of that.
  double half_sectors = 0.42;
  double whole_sectors = 0.15;
  double half_sector_cycles = 630;
  double exchange_cycles = 6400;        // times log2 of the parts of a tile
  double exchange_fixed_cycles = 2460;  // the same of a tile of any size
  // Where the sums are scattered (scattered_sums.cuh): of a tile of any size, and of each KiB of sums that a CTA hands over.
  double scatter_fixed_cycles = 6000;
  double scatter_kib_cycles = 125;
  double split_fixed_cycles = 2030;  // of split K's exchange between the CTAs of a cluster
  double split_kib_cycles = 63;      // the same, of each KiB of sums that a CTA sends
  // Of parallel split K's second kernel, and of each KiB of sums that a CTA of the first leaves it.
  double parallel_fixed_cycles = 3110;
  double parallel_kib_cycles = 91;
  // Times stream-K's K steps where all tiles are cut alike and neighbours read the same part of K.
  double even_steps = 0.941;
  // Of D's transpose where it leaves in pieces of 32 bytes: behind all else (transposed_store.cuh; panels cost nothing). 6475x2680x192 took 8 us longer than by the same kernel as it
  // lies, 1677x26776x224 19 us (H200, 2026-11-24), but halves of 403 products ask for 9e6 and 12e6, and H100s for 9e6 (2026-11-26).
  double transposed_bytes_per_us = 9e6;
  double uneven = 1.05;  // times K steps of ranges that begin anywhere (StreamK::even)
  double power_exponent = 0.416;
  // At the power limit, with the highest clock's voltage, were nothing else done: the next four.
  double power_flop_per_us = 5.63e8;
  double power_memory_bytes_per_us = 5.6e6;
  double power_l2_bytes_per_us = 7.88e7;
  double power_intake_bytes_per_us = 2.98e8;
  double power_of_cycles = 0.357;  // what the time of the cycles counts beside them
  double memory_efficiency = 0.813;
  double l2_bytes_per_us = 2.06e8;  // asked for by all SMs: time beside the memory's
};

inline constexpr double kWgmmaFlopPerClock = 4096;  // of one SM, by design

inline constexpr dispatch::NamedConstant<CostConstants> kCostFields[] = {
    {"launch_us", &CostConstants::launch_us},
    {"cluster_us", &CostConstants::cluster_us},
    {"wide_cluster_us", &CostConstants::wide_cluster_us},
    {"intake_bytes_per_clock", &CostConstants::intake_bytes_per_clock},
    {"l2_bytes_per_clock", &CostConstants::l2_bytes_per_clock},
    {"merged_in_rounds", &CostConstants::merged_in_rounds},
    {"merged_of_clusters", &CostConstants::merged_of_clusters},
    {"two_line_row_cycles", &CostConstants::two_line_row_cycles},
    {"five_sector_row_cycles", &CostConstants::five_sector_row_cycles},
    {"load_latency_cycles", &CostConstants::load_latency_cycles},
    {"hanging_box", &CostConstants::hanging_box},
    {"epilogue_cooperative_cycles", &CostConstants::epilogue_cooperative_cycles},
    {"epilogue_pingpong_cycles", &CostConstants::epilogue_pingpong_cycles},
    {"epilogue_stream_k_cycles", &CostConstants::epilogue_stream_k_cycles},
    {"chunk_write_cycles", &CostConstants::chunk_write_cycles},
    {"chunk_latency_cycles", &CostConstants::chunk_latency_cycles},
    {"half_sectors", &CostConstants::half_sectors},
    {"whole_sectors", &CostConstants::whole_sectors},
    {"half_sector_cycles", &CostConstants::half_sector_cycles},
    {"exchange_cycles", &CostConstants::exchange_cycles},
    {"exchange_fixed_cycles", &CostConstants::exchange_fixed_cycles},
    {"scatter_fixed_cycles", &CostConstants::scatter_fixed_cycles},
    {"scatter_kib_cycles", &CostConstants::scatter_kib_cycles},
    {"split_fixed_cycles", &CostConstants::split_fixed_cycles},
    {"parallel_fixed_cycles", &CostConstants::parallel_fixed_cycles},
    {"parallel_kib_cycles", &CostConstants::parallel_kib_cycles},
    {"split_kib_cycles", &CostConstants::split_kib_cycles},
    {"even_steps", &CostConstants::even_steps},
    {"transposed_bytes_per_us", &CostConstants::transposed_bytes_per_us},
    {"uneven", &CostConstants::uneven},
    {"power_exponent", &CostConstants::power_exponent},
    {"power_flop_per_us", &CostConstants::power_flop_per_us},
    {"power_memory_bytes_per_us", &CostConstants::power_memory_bytes_per_us},
    {"power_l2_bytes_per_us", &CostConstants::power_l2_bytes_per_us},
    {"power_intake_bytes_per_us", &CostConstants::power_intake_bytes_per_us},
    {"power_of_cycles", &CostConstants::power_of_cycles},
    {"memory_efficiency", &CostConstants::memory_efficiency},
    {"l2_bytes_per_us", &CostConstants::l2_bytes_per_us},
};

// By device; `gemm calibrate` fits them.
inline constexpr dispatch::DeviceConstants<CostConstants> kCosts[] = {
    {"NVIDIA H200", {}},
    {"NVIDIA H100",
     {.cluster_us = 0.329,
      .wide_cluster_us = 0.05,
      .intake_bytes_per_clock = 110,
      .l2_bytes_per_clock = 12500,
      .two_line_row_cycles = 2.2,
      .five_sector_row_cycles = 3.75,
      .load_latency_cycles = 2290,
      .epilogue_cooperative_cycles = 5280,
      .epilogue_pingpong_cycles = 1560,
      .epilogue_stream_k_cycles = 3920,
      .exchange_cycles = 6380,
      .exchange_fixed_cycles = 2700,
      .scatter_fixed_cycles = 5690,
      .scatter_kib_cycles = 127,
      .split_fixed_cycles = 1400,
      .split_kib_cycles = 63.1,
      .even_steps = 0.953,
      .uneven = 0.974,
      .power_exponent = 0.406,
      .power_flop_per_us = 5.65e8,
      .power_memory_bytes_per_us = 6.01e6,
      .power_l2_bytes_per_us = 6.4e7,
      .power_intake_bytes_per_us = 2.94e8,
      .power_of_cycles = 0.375,
      .memory_efficiency = 0.819,
      .l2_bytes_per_us = 2.3e8}},
};

inline const CostConstants& CostOf(const dispatch::Device& device) {
  return dispatch::ConstantsFor(kCosts, device);
}

// What the busiest SM gets.
struct Share {
  double rounds = 1;             // tiles, one after the other
  double steps = 1;              // K steps of all of them
  double at_once = 1;            // CTAs at work in a round
  double in_last_round = 1;      // the same of the last round
  double parts = 1;              // of the tile that is split most
  bool even = true;              // all clusters are at the same part of K together
  bool scatters = false;         // StreamK::scatters
  bool hides_hand_over = false;  // StreamK::finisher_more is not 0
  // Where they are not, of stream-K (stream_k.h): the part of the tiles whose K is shared, and by how many K steps clusters
  // with neighbouring tiles are apart.
  double shared = 0;
  double apart = 0;
};

// Bytes from and to memory. What tiles share is read once where the clusters go through K together. In stream-K's ranges
// neighbours are apart: what all operands bring while the last tile of a band follows the first must stay in the L2, beside
// other things, or the operand is read for each of its tiles.
inline double MemoryBytes(const dispatch::KernelRow& row, const problem::Normalized& p,
                          const dispatch::Device& device, const Raster& raster, const Share& share) {
  double bytes = dispatch::CompulsoryBytes(p);
  if (share.even) return bytes;
  const double element = base::ElementBytes(p.input_type);
  const double meanwhile =
      share.apart * static_cast<double>(raster.band) * row.tile.k * element * static_cast<double>(p.m + p.n);
  const auto again = [&](std::int64_t rows, std::int64_t readers) {
    const double operand = static_cast<double>(rows) * static_cast<double>(p.k) * element;
    const bool stays = dispatch::StaysInL2(std::min(operand, meanwhile), device);
    return stays ? 0 : operand * static_cast<double>(readers - 1) * static_cast<double>(p.batch);
  };
  return bytes + share.shared * (again(p.m, raster.tiles_n) + again(p.n, raster.tiles_m));
}

inline double CtaTiles(const dispatch::KernelRow& row, const Raster& raster) {
  return static_cast<double>(raster.tiles) * row.cluster_m * row.cluster_n;
}

// Rows of a CTA's tile that there are.
struct TileRows {
  double a;
  double b;
};

inline TileRows TileRowsOf(const dispatch::KernelRow& row, const problem::Normalized& p) {
  return {static_cast<double>(std::min<std::int64_t>(p.m, row.tile.m)),
          static_cast<double>(std::min<std::int64_t>(p.n, row.tile.n))};
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

// Of all CTAs' K, for so many rows.
inline double OperandBytes(const dispatch::KernelRow& row, const problem::Normalized& p, const Raster& raster,
                           const TileRows& rows) {
  return CtaTiles(row, raster) * (rows.a + rows.b) * static_cast<double>(p.k) *
         static_cast<double>(base::ElementBytes(p.input_type));
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

// What each byte of D counts more than one of whole sectors.
inline double MoreForHalfSectors(const CostConstants& cost, const dispatch::KernelRow& row,
                                 const problem::Normalized& p, const Share& share) {
  if (!HasHalfSectors(p)) return 0;
  return StoresSectors(row, p, share.rounds > 1) ? cost.whole_sectors : cost.half_sectors;
}

// A ping-pong consumer's whole epilogue, which the other's main loop hides where that is as long: each chunk waits until the copy
// engine has read what lay in its buffer before.
inline double OwnEpilogueCycles(const CostConstants& cost, const dispatch::KernelRow& row, double more) {
  const double buffers = BuffersBeside(row);
  const double chunks = row.tile.m / 64 * std::ceil(row.tile.n / 64.0);
  const double waiting = (cost.chunk_write_cycles + cost.chunk_latency_cycles) / buffers;
  return chunks * std::max(cost.chunk_write_cycles, waiting) * (1 + more);
}

inline double CyclesUs(const CostConstants& cost, const dispatch::KernelRow& row, const problem::Normalized& p,
                       const dispatch::Device& device, const TileRows& asked, const Share& share) {
  const double area = TileArea(row);
  const double more = MoreForHalfSectors(cost, row, p, share);
  double cycles = share.steps / share.rounds *
                  ((share.rounds - 1) * StepCycles(cost, row, p, asked, share.at_once) +
                   StepCycles(cost, row, p, asked, share.in_last_round));
  if (CutsAcrossGrid(ScheduleOf(row))) cycles *= RangeSteps(cost, share.even, share.shared);
  switch (ScheduleOf(row)) {
    case Schedule::kCooperative: {
      // A tile of 64 rows is one consumer's, which stores alone what two share. It shows before a further tile (14% at few K
      // steps) and not behind the last, in 1100 times of such rows (H200, 2026-11-23); why not there is not known.
      const double alone = row.tile.m == 64 ? share.rounds - 1 : 0;
      cycles += (share.rounds + alone) * area * cost.epilogue_cooperative_cycles;
      break;
    }
    case Schedule::kPingpong: {  // behind the last one runs no other main loop
      const double loop = cycles / share.rounds;
      const double by_turns = (loop + OwnEpilogueCycles(cost, row, more)) / 2;
      cycles = share.rounds * std::max(loop + area * cost.epilogue_pingpong_cycles, by_turns) +
               area * cost.epilogue_cooperative_cycles;
      break;
    }
    case Schedule::kStreamK:  // TailUs
    case Schedule::kSplitK:
    case Schedule::kParallelSplitK:
      break;
  }
  cycles += share.rounds * area * more * cost.half_sector_cycles;
  return cycles / std::max(device.sm_clock_mhz, 1.0);
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

// After the last K step.
inline double TailUs(const CostConstants& cost, const dispatch::KernelRow& row, const dispatch::Device& device,
                     const Share& share) {
  double cycles = 0;
  switch (ScheduleOf(row)) {
    case Schedule::kStreamK:
      cycles = StreamKTailCycles(cost, row, share.parts, share.scatters, share.hides_hand_over, share.rounds);
      break;
    case Schedule::kSplitK:
      cycles =
          SplitKCycles(cost, row, share.parts) + TileArea(row) * cost.epilogue_stream_k_cycles / share.parts;
      break;
    case Schedule::kParallelSplitK:
      cycles = ParallelSplitKCycles(cost, row);
      break;
    case Schedule::kCooperative:  // CyclesUs
    case Schedule::kPingpong:
      break;
  }
  return cycles / std::max(device.sm_clock_mhz, 1.0);
}

// How much of what is multiplied beyond D's edge counts as data: zeros, and rows of a K-major A, which no box brings and which hold
// what was there. A K-major B's columns do so too; they count as zeros because they were fitted so.
inline constexpr double kZeros = 0.3;
inline constexpr double kStaleRows = 0.8;

// The part of the rows of all tiles that counts as data. Warpgroups wholly beyond M multiply nothing.
inline double UsedRows(const dispatch::KernelRow& row, const problem::Normalized& p, const Raster& raster) {
  const int of_warpgroup = ScheduleOf(row) == Schedule::kPingpong ? row.tile.m : 64;
  const auto rows = static_cast<double>(p.m);
  const auto multiplied = static_cast<double>(base::CeilDiv<std::int64_t>(p.m, of_warpgroup) * of_warpgroup);
  const double covered =
      static_cast<double>(std::max<std::int64_t>(raster.tiles_m, 1)) * row.tile.m * row.cluster_m;
  const double beyond = p.a.major == problem::Major::kMN ? kZeros : kStaleRows;
  return (rows + beyond * (multiplied - rows)) / covered;
}

// The same of columns. Beyond N are the last tile's and those of CTAs of a cluster that have none.
inline double UsedColumns(const dispatch::KernelRow& row, const problem::Normalized& p, const Raster& raster) {
  const double covered =
      static_cast<double>(std::max<std::int64_t>(raster.tiles_n, 1)) * row.tile.n * row.cluster_n;
  return kZeros + (1 - kZeros) * static_cast<double>(p.n) / covered;
}

// Of all tiles and `bytes` from memory.
inline double PowerUs(const CostConstants& cost, const dispatch::KernelRow& row, const problem::Normalized& p,
                      const Raster& raster, const TileRows& asked, double bytes, double cycles_us) {
  const double flop = 2.0 * CtaTiles(row, raster) * row.tile.m * row.tile.n * static_cast<double>(p.k) *
                      UsedRows(row, p, raster) * UsedColumns(row, p, raster);
  const double energy = flop / cost.power_flop_per_us + bytes / cost.power_memory_bytes_per_us +
                        OperandBytes(row, p, raster, asked) / cost.power_l2_bytes_per_us +
                        OperandBytes(row, p, raster, TileRowsOf(row, p)) / cost.power_intake_bytes_per_us +
                        cost.power_of_cycles * cycles_us;
  return std::pow(cycles_us, 1 - cost.power_exponent) * std::pow(energy, cost.power_exponent);
}

// Of B, before the predecessor has finished (producer.cuh): the first steps of every cluster, as far as they are different ones.
// Between edges of either kind on one chip 64x7168x2048 differed by 1.0 us, 64x7168x8192 by 0.4, 64x6144x4096 by nothing, and 64x10240x8192
// was 2 us slower in chains (H200, 2026-11-23; why is not known). kMostUs was set by hand.
inline double WonEarlyUs(const dispatch::KernelRow& row, const problem::Normalized& p,
                         const dispatch::Device& device, const Raster& raster, const Share& share) {
  if (!p.b.readable_early) return 0;
  const double steps = std::min(share.steps / share.rounds, static_cast<double>(StagesEarly(row.stages)));
  const double columns =
      static_cast<double>(row.tile.n) * row.cluster_n * static_cast<double>(raster.clusters) /
      static_cast<double>(std::max<std::int64_t>(std::min(raster.tiles_m, raster.clusters), 1));
  constexpr double kMostUs = 0.9;
  return EarlyUs(steps * columns * row.tile.k * base::ElementBytes(p.input_type), kMostUs, device);
}

inline double PredictUs(const CostConstants& cost, const dispatch::KernelRow& row, const problem::Normalized& p,
                        const dispatch::Device& device, const Raster& raster, const Share& share) {
  const double bytes = MemoryBytes(row, p, device, raster, share);
  const TileRows asked = AskedOf(cost, row, p, raster, share.even);
  const double d_bytes = static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.batch) *
                         static_cast<double>(base::ElementBytes(p.output_type));
  const double moved = bytes + d_bytes * MoreForHalfSectors(cost, row, p, share);
  const double memory = moved / (std::max(device.memory_bandwidth_gbs, 1.0) * cost.memory_efficiency) * 1e-3 +
                        OperandBytes(row, p, raster, asked) / cost.l2_bytes_per_us;
  const double cycles = CyclesUs(cost, row, p, device, asked, share);
  const bool clusters = row.cluster_m * row.cluster_n > 1 || ScheduleOf(row) == Schedule::kSplitK;
  const bool wide = row.cluster_m * row.cluster_n >= 4;
  const double launch = cost.launch_us + (clusters ? cost.cluster_us : 0) + (wide ? cost.wide_cluster_us : 0);
  const double power = PowerUs(cost, row, p, raster, asked, bytes, cycles);
  const bool in_pieces = IsTransposed(row) && !StoresPanels(row, p) && !IsParallelSplitK(row);
  const double transposed = in_pieces ? d_bytes / cost.transposed_bytes_per_us : 0;
  return launch - WonEarlyUs(row, p, device, raster, share) + SmoothMaximum(cycles, power, memory) +
         TailUs(cost, row, device, share) + transposed;
}

}  // namespace gemm::hopper
