// Predicted times of the tiled kernels (the skinny ones have their own: skinny/split.cc).
//
// A kernel's time is the launch plus about the longest of
// - cycles: what the busiest SM does one after the other, at the highest clock: K steps (each the longest of its wgmma, the
//   operands' way into the SM, and a load's latency over the ring's depth), and the part of epilogues that nothing hides;
// - power: at the power limit the clock falls with what is done at once, so the cycles, the FLOP of all tiles and the bytes
//   from memory add up. By today's constants that is always longer than the cycles alone. What comes from the L2 made no
//   difference to the fit;
// - memory: each matrix once, and longer by what is asked of the L2 at the same time (a multicast is asked for once). At M = 128 the
//   tokens are as much as the weights, or twice that;
// and for stream-K what follows the last K step, which no memory traffic hides: the exchange of partial sums and the epilogue.
// All but hanging_box were fitted together with the skinny kernels' constants (skinny/split.cc) to times of every row near the fastest
// (H200, BF16, from 2026-11-22 on) and set anew in part since: docs/perf/hopper.md, "How the predictors' constants were set", says by
// which times, and what the choice loses. Rows within 15% of the fastest deviate by 2 to 4% in long bursts, the choice loses 2.6% of
// random products, 1.2% of engines' and 4% of those with B stored [k, n], of which the bursts' own noise is a part.
// `gemm calibrate` measures and fits these constants alone anew.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "common/base/math.h"
#include "common/dispatch/cost.h"
#include "common/dispatch/cost_model.h"
#include "common/dispatch/row_start.h"
#include "hopper/config.cuh"
#include "hopper/early.h"
#include "hopper/raster.h"
#include "hopper/schedule.h"
#include "hopper/slices.h"
#include "hopper/stream_k.h"

namespace gemm::hopper {

struct CostConstants {
  double launch_us = 1.75;               // from launch to end of an otherwise instant kernel
  double cluster_us = 0.3;               // more in a launch with clusters
  double intake_bytes_per_clock = 70.7;  // of one SM
  // Of one SM, to ask for 128 bytes of a row that start at no multiple of 128: two lines of the L2, and five of its sectors of
  // 32 bytes where the row starts at an odd multiple of 16. A CTA asks for its slice only of what the cluster shares.
  double two_line_row_cycles = 2.1;
  double five_sector_row_cycles = 3.4;
  double load_latency_cycles = 2745;  // of a K step, over the stages
  double shared_columns = 0.4;  // saved of columns' way where many tiles of one consumer read them at once
  // The same two where B is stored [k, n]: times that latency, and what is saved then. 111 products of engines with M from 1 to 4096,
  // those rows within 30% of the chosen one: with the others' constants the choice loses 4.7%, with these 4.0%, of which the noise of two
  // bursts of 10 ms is a part (H200, 2026-11-24).
  double latency_of_kn = 0.9;
  double shared_columns_of_kn = 0.2;
  // Times a K step whose box of A hangs over the edge (slices.h says where boxes still do).
  double hanging_box = 1.23;
  // Of a tile of 128 x 256; others by their area.
  double epilogue_cooperative_cycles = 4797;
  double epilogue_pingpong_cycles = 1490;
  double epilogue_stream_k_cycles = 4250;
  double exchange_cycles = 6600;        // times log2 of the parts of a tile
  double exchange_fixed_cycles = 2100;  // the same of a tile of any size
  // Where the sums are scattered (scattered_sums.cuh): of a tile of any size, and of each KiB of sums that a CTA hands over.
  double scatter_fixed_cycles = 6000;
  double scatter_kib_cycles = 125;
  double split_fixed_cycles = 1950;  // of split K's exchange between the CTAs of a cluster
  double split_kib_cycles = 72;      // the same, of each KiB of sums that a CTA sends
  // Times stream-K's K steps where all tiles are cut alike and neighbours read the same part of K.
  double even_steps = 0.9;
  // Of D's transpose, which leaves in pieces of 32 bytes: behind all else. 6475x2680x192 took 8 us longer than by the same kernel as it
  // lies, 1677x26776x224 19 us (H200, 2026-11-24).
  double transposed_bytes_per_us = 5e6;
  double uneven = 1.06;                // times K steps of ranges that begin anywhere (StreamK::even)
  double power_of_cycles = 1.049;      // times the time that the cycles take
  double power_flop_per_us = 2.431e9;  // at the power limit, were nothing else done
  double power_bytes_per_us = 4.98e7;  // from memory, likewise
  double memory_efficiency = 0.84;
  double l2_bytes_per_us = 2e8;  // asked for by all SMs: time beside the memory's
};

inline constexpr double kWgmmaFlopPerClock = 4096;  // of one SM, by design

inline constexpr dispatch::NamedConstant<CostConstants> kCostFields[] = {
    {"launch_us", &CostConstants::launch_us},
    {"cluster_us", &CostConstants::cluster_us},
    {"intake_bytes_per_clock", &CostConstants::intake_bytes_per_clock},
    {"two_line_row_cycles", &CostConstants::two_line_row_cycles},
    {"five_sector_row_cycles", &CostConstants::five_sector_row_cycles},
    {"load_latency_cycles", &CostConstants::load_latency_cycles},
    {"shared_columns", &CostConstants::shared_columns},
    {"latency_of_kn", &CostConstants::latency_of_kn},
    {"shared_columns_of_kn", &CostConstants::shared_columns_of_kn},
    {"hanging_box", &CostConstants::hanging_box},
    {"epilogue_cooperative_cycles", &CostConstants::epilogue_cooperative_cycles},
    {"epilogue_pingpong_cycles", &CostConstants::epilogue_pingpong_cycles},
    {"epilogue_stream_k_cycles", &CostConstants::epilogue_stream_k_cycles},
    {"exchange_cycles", &CostConstants::exchange_cycles},
    {"exchange_fixed_cycles", &CostConstants::exchange_fixed_cycles},
    {"scatter_fixed_cycles", &CostConstants::scatter_fixed_cycles},
    {"scatter_kib_cycles", &CostConstants::scatter_kib_cycles},
    {"split_fixed_cycles", &CostConstants::split_fixed_cycles},
    {"split_kib_cycles", &CostConstants::split_kib_cycles},
    {"even_steps", &CostConstants::even_steps},
    {"transposed_bytes_per_us", &CostConstants::transposed_bytes_per_us},
    {"uneven", &CostConstants::uneven},
    {"power_of_cycles", &CostConstants::power_of_cycles},
    {"power_flop_per_us", &CostConstants::power_flop_per_us},
    {"power_bytes_per_us", &CostConstants::power_bytes_per_us},
    {"memory_efficiency", &CostConstants::memory_efficiency},
    {"l2_bytes_per_us", &CostConstants::l2_bytes_per_us},
};

// By device; `gemm calibrate` fits them.
inline constexpr dispatch::DeviceConstants<CostConstants> kCosts[] = {
    {"NVIDIA H200", {}},
    // 64x144 took 17% and 31% longer than predicted with the H200's shared_columns at 320x14336x4096 and 320x27648x5120, one H100,
    // 2026-11-23. The latency by 241 products there, 2026-11-25: fitted to half of them, the choice among the others lost 4.1% and 3.9%
    // for 4.3% and 4.5%. The other constants are the H200's.
    {"NVIDIA H100", {.load_latency_cycles = 2200, .shared_columns = 0, .shared_columns_of_kn = 0}},
};

inline const CostConstants& CostOf(const dispatch::Device& device) {
  return dispatch::ConstantsFor(kCosts, device);
}

// What the busiest SM gets.
struct Share {
  double rounds = 1;      // tiles, one after the other
  double steps = 1;       // K steps of all of them
  double parts = 1;       // of the tile that is split most
  bool even = true;       // all clusters are at the same part of K together
  bool scatters = false;  // StreamK::scatters
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
      share.apart * static_cast<double>(raster.group) * row.tile.k * element * static_cast<double>(p.m + p.n);
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

// What all CTAs ask the L2 for, of the operands' rows that there are.
inline double AskedBytes(const dispatch::KernelRow& row, const problem::Normalized& p, const Raster& raster) {
  const double a = static_cast<double>(std::min<std::int64_t>(p.m, row.tile.m)) / row.cluster_n;
  const double b = static_cast<double>(std::min<std::int64_t>(p.n, row.tile.n)) / row.cluster_m;
  const auto k_bytes = static_cast<double>(p.k) * static_cast<double>(base::ElementBytes(p.input_type));
  return CtaTiles(row, raster) * (a + b) * k_bytes;
}

inline double SmoothMaximum(double a, double b, double c) {
  constexpr double kNorm = 12;
  return std::pow(std::pow(a, kNorm) + std::pow(b, kNorm) + std::pow(c, kNorm), 1 / kNorm);
}

// Whether a box of every tile of A hangs over the edge. Of a larger operand the last tile's may; that is not counted. Boxes
// of K-major operands end at the edge (slices.h).
inline bool HangsOver(const dispatch::KernelRow& row, const problem::Normalized& p) {
  return p.a.major == problem::Major::kMN && p.m < row.tile.m && p.m % kMnBox != 0;
}

// What remains of the columns' way into the SM where tiles of one consumer along M read them at once: the first is served by the
// memory, the others by the L2 or by the same answer. 243 times of such tiles of 96 to 160 columns with M from 72 to 8192 deviate
// by 2.8% from the predictions with it and by 13% from those without (H200, 2026-11-23; an H100 saves nothing). 64x64 gains where
// two read and not where more do: 256x2112x7168 took 12% more than was predicted so. Nor do two consumers, whose wgmma take about
// as long as the way: with it 128x96 was predicted 10% to 15% too fast at 2048x10240x8192 and 4096x10240x8192. In stream-K the
// readers are at different K.
inline double SharedColumns(const CostConstants& cost, const dispatch::KernelRow& row,
                            const problem::Normalized& p) {
  const bool stream_k = ScheduleOf(row) == Schedule::kStreamK;
  if (row.tile.m != 64 || row.cluster_n > 1 || stream_k) return 1;
  const std::int64_t tiles = base::CeilDiv<std::int64_t>(p.m, row.tile.m);
  if (row.tile.n <= 64 && tiles > 2) return 1;
  const auto readers = static_cast<double>(std::clamp<std::int64_t>(tiles, 1, kBand));
  const bool kn = p.b.major == problem::Major::kMN;
  return 1 - (kn ? cost.shared_columns_of_kn : cost.shared_columns) * (1 - 1 / readers);
}

inline double StepCycles(const CostConstants& cost, const dispatch::KernelRow& row,
                         const problem::Normalized& p) {
  const auto rows = [](std::int64_t extent, int tile) {
    return static_cast<double>(std::min<std::int64_t>(extent, tile));
  };
  const std::int64_t element = base::ElementBytes(p.input_type);
  const auto row_cycles = [&](const problem::Input& input) {
    return dispatch::ByRowStart(input.ld * element, 0, cost.two_line_row_cycles, cost.five_sector_row_cycles);
  };
  const double a = rows(p.m, row.tile.m);
  const double b = rows(p.n, row.tile.n);
  const double wgmma = 2.0 * row.tile.m * row.tile.n * row.tile.k / kWgmmaFlopPerClock;
  const double shared = SharedColumns(cost, row, p);
  const double intake =
      (a + shared * b) * row.tile.k * static_cast<double>(element) / cost.intake_bytes_per_clock;
  const double asking = a / row.cluster_n * row_cycles(p.a) + b / row.cluster_m * row_cycles(p.b);
  const double hanging = HangsOver(row, p) ? cost.hanging_box : 1;
  const double latency =
      cost.load_latency_cycles * (p.b.major == problem::Major::kMN ? cost.latency_of_kn : 1) / row.stages;
  return hanging * SmoothMaximum(wgmma, std::max(intake, asking), shared * latency);
}

// In tiles of 128 x 256.
inline double TileArea(const dispatch::KernelRow& row) { return row.tile.m * row.tile.n / (128.0 * 256.0); }

// Of the K steps of stream-K's ranges, times those of whole tiles.
inline double RangeSteps(const CostConstants& cost, bool even, double shared) {
  return even ? cost.even_steps : 1 + (cost.uneven - 1) * shared;
}

inline double CyclesUs(const CostConstants& cost, const dispatch::KernelRow& row, const problem::Normalized& p,
                       const dispatch::Device& device, const Share& share) {
  const double area = TileArea(row);
  double cycles = share.steps * StepCycles(cost, row, p);
  if (ScheduleOf(row) == Schedule::kStreamK) cycles *= RangeSteps(cost, share.even, share.shared);
  switch (ScheduleOf(row)) {
    case Schedule::kCooperative: {
      // A tile of 64 rows is one consumer's, which stores alone what two share. It shows before a further tile (14% at few K
      // steps) and not behind the last, in 1100 times of such rows (H200, 2026-11-23); why not there is not known.
      const double alone = row.tile.m == 64 ? share.rounds - 1 : 0;
      cycles += (share.rounds + alone) * area * cost.epilogue_cooperative_cycles;
      break;
    }
    case Schedule::kPingpong:  // behind the last one runs no other main loop
      cycles += area * (share.rounds * cost.epilogue_pingpong_cycles + cost.epilogue_cooperative_cycles);
      break;
    case Schedule::kStreamK:  // TailUs
    case Schedule::kSplitK:
      break;
  }
  return cycles / std::max(device.sm_clock_mhz, 1.0);
}

// Of what a CTA hands over where each of `parts` stores its share of the tile's rows.
inline double HandedOverKiB(const dispatch::KernelRow& row, double parts) {
  return 4.0 * row.tile.m * row.tile.n / 1024 * (parts - 1) / parts;
}

// Split K's exchange, of `parts` CTAs.
inline double SplitKCycles(const CostConstants& cost, const dispatch::KernelRow& row, double parts) {
  return cost.split_fixed_cycles + cost.split_kib_cycles * HandedOverKiB(row, parts);
}

// Stream-K's exchange and epilogue.
inline double StreamKTailCycles(const CostConstants& cost, const dispatch::KernelRow& row, double parts,
                                bool scatters, double rounds) {
  const double area = TileArea(row);
  if (scatters) {
    return cost.scatter_fixed_cycles + cost.scatter_kib_cycles * HandedOverKiB(row, parts) +
           area * cost.epilogue_stream_k_cycles / parts;
  }
  return std::log2(parts) * (cost.exchange_fixed_cycles + area * cost.exchange_cycles) +
         area * rounds * cost.epilogue_stream_k_cycles;
}

// After the last K step.
inline double TailUs(const CostConstants& cost, const dispatch::KernelRow& row, const dispatch::Device& device,
                     const Share& share) {
  double cycles = 0;
  switch (ScheduleOf(row)) {
    case Schedule::kStreamK:
      cycles = StreamKTailCycles(cost, row, share.parts, share.scatters, share.rounds);
      break;
    case Schedule::kSplitK:
      cycles =
          SplitKCycles(cost, row, share.parts) + TileArea(row) * cost.epilogue_stream_k_cycles / share.parts;
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
                      const Raster& raster, double bytes, double cycles_us) {
  const double flop = 2.0 * CtaTiles(row, raster) * row.tile.m * row.tile.n * static_cast<double>(p.k) *
                      UsedRows(row, p, raster) * UsedColumns(row, p, raster);
  return cost.power_of_cycles * cycles_us + flop / cost.power_flop_per_us + bytes / cost.power_bytes_per_us;
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
  const double memory = bytes / (std::max(device.memory_bandwidth_gbs, 1.0) * cost.memory_efficiency) * 1e-3 +
                        AskedBytes(row, p, raster) / cost.l2_bytes_per_us;
  const double cycles = CyclesUs(cost, row, p, device, share);
  const bool clusters = row.cluster_m * row.cluster_n > 1 || ScheduleOf(row) == Schedule::kSplitK;
  const double launch = cost.launch_us + (clusters ? cost.cluster_us : 0);
  const double power = PowerUs(cost, row, p, raster, bytes, cycles);
  const double transposed =
      IsTransposed(row)
          ? static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.batch) *
                static_cast<double>(base::ElementBytes(p.output_type)) / cost.transposed_bytes_per_us
          : 0;
  return launch - WonEarlyUs(row, p, device, raster, share) + SmoothMaximum(cycles, power, memory) +
         TailUs(cost, row, device, share) + transposed;
}

}  // namespace gemm::hopper
