#include "hopper/predict.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "common/base/data_type.h"
#include "common/base/math.h"
#include "common/dispatch/cost.h"
#include "hopper/cycles.h"
#include "hopper/early.h"
#include "hopper/early_operand.h"
#include "hopper/output.h"
#include "hopper/schedule.h"
#include "hopper/sectors.h"

namespace gemm::hopper {
namespace {

// Bytes from and to memory. What tiles share is read once where the clusters go through K together. In stream-K's ranges
// neighbours are apart: what all operands bring while the last tile of a band follows the first must stay in the L2, beside
// other things, or the operand is read for each of its tiles.
double MemoryBytes(const dispatch::KernelRow& row, const problem::Normalized& p, const dispatch::Device& device,
                   const Raster& raster, const Share& share) {
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

// Of all CTAs' K, for so many rows.
double OperandBytes(const dispatch::KernelRow& row, const problem::Normalized& p, const Raster& raster,
                    const TileRows& rows) {
  return CtaTiles(row, raster) * (rows.a + rows.b) * static_cast<double>(p.k) *
         static_cast<double>(base::ElementBytes(p.input_type));
}

// What each byte of D counts more than one of whole sectors.
double MoreForHalfSectors(const CostConstants& cost, const dispatch::KernelRow& row,
                          const problem::Normalized& p, const Share& share) {
  if (!HasHalfSectors(p)) return 0;
  return StoresSectors(row, p, share.rounds > 1) ? cost.whole_sectors : cost.half_sectors;
}

// A ping-pong consumer's whole epilogue, which the other's main loop hides where that is as long: each chunk waits until the copy
// engine has read what lay in its buffer before.
double OwnEpilogueCycles(const CostConstants& cost, const dispatch::KernelRow& row, double more) {
  const double buffers = BuffersBeside(row);
  const double chunks = row.tile.m / 64 * std::ceil(row.tile.n / 64.0);
  const double waiting = (cost.chunk_write_cycles + cost.chunk_latency_cycles) / buffers;
  return chunks * std::max(cost.chunk_write_cycles, waiting) * (1 + more);
}

double CyclesUs(const CostConstants& cost, const dispatch::KernelRow& row, const problem::Normalized& p,
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

// After the last K step.
double TailUs(const CostConstants& cost, const dispatch::KernelRow& row, const dispatch::Device& device,
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
constexpr double kZeros = 0.3;
constexpr double kStaleRows = 0.8;

// The part of the rows of all tiles that counts as data. Warpgroups wholly beyond M multiply nothing.
double UsedRows(const dispatch::KernelRow& row, const problem::Normalized& p, const Raster& raster) {
  const int of_warpgroup = ScheduleOf(row) == Schedule::kPingpong ? row.tile.m : 64;
  const auto rows = static_cast<double>(p.m);
  const auto multiplied = static_cast<double>(base::CeilDiv<std::int64_t>(p.m, of_warpgroup) * of_warpgroup);
  const double covered =
      static_cast<double>(std::max<std::int64_t>(raster.tiles_m, 1)) * row.tile.m * row.cluster_m;
  const double beyond = p.a.major == problem::Major::kMN ? kZeros : kStaleRows;
  return (rows + beyond * (multiplied - rows)) / covered;
}

// The same of columns. Beyond N are the last tile's and those of CTAs of a cluster that have none.
double UsedColumns(const dispatch::KernelRow& row, const problem::Normalized& p, const Raster& raster) {
  const double covered =
      static_cast<double>(std::max<std::int64_t>(raster.tiles_n, 1)) * row.tile.n * row.cluster_n;
  return kZeros + (1 - kZeros) * static_cast<double>(p.n) / covered;
}

// Of all tiles and `bytes` from memory.
double PowerUs(const CostConstants& cost, const dispatch::KernelRow& row, const problem::Normalized& p,
               const Raster& raster, const TileRows& asked, double bytes, double cycles_us) {
  const double flop = 2.0 * CtaTiles(row, raster) * row.tile.m * row.tile.n * static_cast<double>(p.k) *
                      UsedRows(row, p, raster) * UsedColumns(row, p, raster);
  const double energy = flop / cost.power_flop_per_us + bytes / cost.power_memory_bytes_per_us +
                        OperandBytes(row, p, raster, asked) / cost.power_l2_bytes_per_us +
                        OperandBytes(row, p, raster, TileRowsOf(row, p)) / cost.power_intake_bytes_per_us +
                        cost.power_of_cycles * cycles_us;
  return std::pow(cycles_us, 1 - cost.power_exponent) * std::pow(energy, cost.power_exponent);
}

// Of the early operand, before the predecessor has finished (producer.cuh): the first steps of every cluster, as far as they are
// different ones. Between edges of either kind on one chip 64x7168x2048 differed by 1.0 us, 64x7168x8192 by 0.4, 64x6144x4096 by nothing,
// and 64x10240x8192 was 2 us slower in chains (H200, 2026-11-23; why is not known). kMostUs was set by hand.
double WonEarlyUs(const dispatch::KernelRow& row, const problem::Normalized& p, const dispatch::Device& device,
                  const Raster& raster, const Share& share) {
  const int operand = EarlyOperand(row, p);
  if (operand == 0) return 0;
  const bool of_a = operand == kEarlyA;
  const double steps = std::min(share.steps / share.rounds, static_cast<double>(StagesEarly(row.stages)));
  const std::int64_t extent = of_a ? row.tile.m * row.cluster_m : row.tile.n * row.cluster_n;  // of a cluster
  const std::int64_t sharers =
      of_a ? raster.tiles_n : raster.tiles_m;  // clusters that read the same of the operand
  const double rows = static_cast<double>(extent) * static_cast<double>(raster.clusters) /
                      static_cast<double>(std::max<std::int64_t>(std::min(sharers, raster.clusters), 1));
  constexpr double kMostUs = 0.9;
  return EarlyUs(steps * rows * row.tile.k * base::ElementBytes(p.input_type), kMostUs, device);
}

}  // namespace

double PredictUs(const CostConstants& cost, const dispatch::KernelRow& row, const problem::Normalized& p,
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
  const double by_threads = StartsAnywhere(row) && OwnsTiles(ScheduleOf(row)) ? cost.anywhere_tiles_us : 0;
  const double launch =
      cost.launch_us + (clusters ? cost.cluster_us : 0) + (wide ? cost.wide_cluster_us : 0) + by_threads;
  const double power = PowerUs(cost, row, p, raster, asked, bytes, cycles);
  const bool in_pieces = IsTransposed(row) && !StoresPanels(row, p) && !IsParallelSplitK(row);
  const double transposed = in_pieces ? d_bytes / cost.transposed_bytes_per_us : 0;
  return launch - WonEarlyUs(row, p, device, raster, share) + SmoothMaximum(cycles, power, memory) +
         TailUs(cost, row, device, share) + transposed;
}

}  // namespace gemm::hopper
