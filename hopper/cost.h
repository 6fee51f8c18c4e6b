// Predicted times of the tiled kernels (the skinny ones have their own: skinny/split.cc).
//
// A kernel's time is the launch plus about the longest of
// - cycles: what the busiest SM does one after the other, at the highest clock: K steps (each the longest of its wgmma, the
//   operands' way into the SM, and a load's latency over the ring's depth), the part of epilogues that nothing hides, and
//   the exchange of partial sums;
// - power: the FLOP of all tiles at a rate that falls with the bytes moved for each FLOP. At the power limit a chip that has
//   more to move runs at a lower clock;
// - memory: each matrix once.
// The constants were fitted by least squares of logarithms to 1000 times of one H200 (M = 64 to 16384, 17 rows, bursts of 4
// and 20 ms, 2026-11-21; docs/perf/hopper.md): standard deviation 14%; the choice by them lost 2.0% against the best row in
// the geometric mean of those products. `gemm calibrate` measures and fits them anew.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "common/base/math.h"
#include "common/dispatch/cost.h"
#include "common/dispatch/cost_model.h"
#include "hopper/config.cuh"
#include "hopper/raster.h"
#include "hopper/slices.h"
#include "hopper/stream_k.h"

namespace gemm::hopper {

struct CostConstants {
  double launch_us = 2.09;             // from launch to end of an otherwise instant kernel
  double flop_per_sm_clock = 3400;     // of the main loop: 4096 by design
  double intake_bytes_per_clock = 98;  // of one SM
  // Times the intake of an operand whose rows do not start at multiples of 128 bytes.
  double unaligned_rows = 2.9;
  double load_latency_cycles = 285;  // of a K step, over the stages
  // Times a K step whose box of A hangs over the edge: 8192x3584 took 28.6 us for M = 64 and 18.8 for 128, 4096x4096 20.8
  // and 13.8, with the same kernels and boxes of 128 rows (H200, 2026-11-21). Boxes are sized to M since
  // (slices.h); those that still hang over were not measured by themselves.
  double hanging_box = 1.5;
  // Of a tile of 128 x 256; others by their area.
  double epilogue_cooperative_cycles = 5150;
  double epilogue_pingpong_cycles = 2790;
  double epilogue_stream_k_cycles = 9000;
  double exchange_cycles = 4270;          // times log2 of the parts of a tile
  double power_flop_per_sm_clock = 4790;  // at the power limit, were nothing moved
  double power_intensity = 51.6;          // tile_m tile_n / (tile_m + tile_n) at which half of it is reached
  double memory_efficiency = 0.72;
};

inline constexpr dispatch::NamedConstant<CostConstants> kCostFields[] = {
    {"launch_us", &CostConstants::launch_us},
    {"flop_per_sm_clock", &CostConstants::flop_per_sm_clock},
    {"intake_bytes_per_clock", &CostConstants::intake_bytes_per_clock},
    {"unaligned_rows", &CostConstants::unaligned_rows},
    {"load_latency_cycles", &CostConstants::load_latency_cycles},
    {"hanging_box", &CostConstants::hanging_box},
    {"epilogue_cooperative_cycles", &CostConstants::epilogue_cooperative_cycles},
    {"epilogue_pingpong_cycles", &CostConstants::epilogue_pingpong_cycles},
    {"epilogue_stream_k_cycles", &CostConstants::epilogue_stream_k_cycles},
    {"exchange_cycles", &CostConstants::exchange_cycles},
    {"power_flop_per_sm_clock", &CostConstants::power_flop_per_sm_clock},
    {"power_intensity", &CostConstants::power_intensity},
    {"memory_efficiency", &CostConstants::memory_efficiency},
};

// By device; `gemm calibrate` fits them.
inline constexpr dispatch::DeviceConstants<CostConstants> kCosts[] = {{"NVIDIA H200", {}}};

inline const CostConstants& CostOf(const dispatch::Device& device) {
  return dispatch::ConstantsFor(kCosts, device);
}

// What the busiest SM gets.
struct Share {
  double rounds = 1;  // tiles, one after the other
  double steps = 1;   // K steps of all of them
  double parts = 1;   // of the tile that is split most
};

inline double SmoothMaximum(double a, double b, double c) {
  constexpr double kNorm = 7;
  return std::pow(std::pow(a, kNorm) + std::pow(b, kNorm) + std::pow(c, kNorm), 1 / kNorm);
}

// Whether a box of every tile of A hangs over the edge. Of a larger operand the last tile's may; that is not counted.
inline bool HangsOver(const dispatch::KernelRow& row, const problem::Normalized& p) {
  return p.m < row.tile.m && SlicesOf(p.a.major, p.m, row.tile.m, row.cluster_n).loaded > p.m;
}

inline double StepCycles(const CostConstants& cost, const dispatch::KernelRow& row,
                         const problem::Normalized& p) {
  const auto rows = [](std::int64_t extent, int tile) {
    return static_cast<double>(std::min<std::int64_t>(extent, tile));
  };
  const double element = base::ElementBytes(p.input_type);
  const auto slowness = [&](const problem::Input& input) {
    return static_cast<std::int64_t>(input.ld * element) % 128 == 0 ? 1 : cost.unaligned_rows;
  };
  const double wgmma = 2.0 * row.tile.m * row.tile.n * row.tile.k / cost.flop_per_sm_clock;
  const double intake = (rows(p.m, row.tile.m) * slowness(p.a) + rows(p.n, row.tile.n) * slowness(p.b)) *
                        row.tile.k * element / cost.intake_bytes_per_clock;
  const double hanging = HangsOver(row, p) ? cost.hanging_box : 1;
  return hanging * SmoothMaximum(wgmma, intake, cost.load_latency_cycles / row.stages);
}

inline double CyclesUs(const CostConstants& cost, const dispatch::KernelRow& row, const problem::Normalized& p,
                       const dispatch::Device& device, const Share& share) {
  const double area = row.tile.m * row.tile.n / (128.0 * 256.0);
  double cycles = share.steps * StepCycles(cost, row, p) + cost.exchange_cycles * std::log2(share.parts);
  switch (static_cast<Schedule>(row.variant)) {
    case Schedule::kCooperative:
      cycles += share.rounds * area * cost.epilogue_cooperative_cycles;
      break;
    case Schedule::kPingpong:  // behind the last one runs no other main loop
      cycles += area * (share.rounds * cost.epilogue_pingpong_cycles + cost.epilogue_cooperative_cycles);
      break;
    case Schedule::kStreamK:
      cycles += share.rounds * area * cost.epilogue_stream_k_cycles;
      break;
  }
  return cycles / std::max(device.sm_clock_mhz, 1.0);
}

// Of `tiles` CTA tiles. What lies beyond D's edge is zeros, which cost less.
inline double PowerUs(const CostConstants& cost, const dispatch::KernelRow& row, const problem::Normalized& p,
                      const dispatch::Device& device, double tiles) {
  const auto used = [](std::int64_t extent, int tile) {
    return 0.3 + 0.7 * static_cast<double>(std::min<std::int64_t>(extent, tile)) / tile;
  };
  const double flop = 2.0 * tiles * row.tile.m * row.tile.n * static_cast<double>(p.k) * used(p.m, row.tile.m) *
                      used(p.n, row.tile.n);
  const double intensity = static_cast<double>(row.tile.m) * row.tile.n / (row.tile.m + row.tile.n);
  const double rate = cost.power_flop_per_sm_clock / (1 + cost.power_intensity / intensity);
  return flop / (rate * std::max(device.sm_count, 1) * std::max(device.sm_clock_mhz, 1.0));
}

inline double PredictUs(const CostConstants& cost, const dispatch::KernelRow& row, const problem::Normalized& p,
                        const dispatch::Device& device, const Raster& raster, const Share& share) {
  const double tiles = static_cast<double>(raster.tiles) * row.cluster_m * row.cluster_n;
  const double memory = dispatch::CompulsoryBytes(p) /
                        (std::max(device.memory_bandwidth_gbs, 1.0) * cost.memory_efficiency) * 1e-3;
  return cost.launch_us +
         SmoothMaximum(CyclesUs(cost, row, p, device, share), PowerUs(cost, row, p, device, tiles), memory);
}

}  // namespace gemm::hopper
