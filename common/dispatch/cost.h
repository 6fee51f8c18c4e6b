// A model of a tiled kernel, simple enough to be believed, by which Ampere's tiled rows and most of SIMT's predict their times; and
// pieces of it (the launch, memory, in how many parts K is cut) that the other rows' models use too.
//
// A kernel's time is the launch plus the longest of
// - memory: what must come from and go to device memory once, over the part of the device's bandwidth that a
//   kernel reaches;
// - compute: the tiles that the busiest SM gets, each at the kernel's sustained rate of FLOP per SM and clock;
// - loads: the same tiles' operands, over what one SM takes in per clock;
// - latency: K steps one after the other, each no faster than a load's latency over the ring's depth;
// plus what each round of CTAs spends outside its main loop. Every term grows with m, n, k and batch, so the
// prediction never falls when a problem grows. Measured times need not: the model knows no cache reuse and no
// power limit beyond what flop_per_sm_clock includes. Rows whose model is fitted by `gemm calibrate` (cost_model.h)
// have another.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "common/base/data_type.h"
#include "common/base/math.h"
#include "common/dispatch/device.h"
#include "common/dispatch/kernel.h"
#include "common/problem/problem.h"

namespace gemm::dispatch {

// From launch to the end of an otherwise instant kernel between plain graph edges, measured on one H200,
// 2026-11-21 (a kernel that only streams B takes bytes / 4.62 TB/s + 1.9 us).
inline constexpr double kLaunchUs = 1.9;

// The part of Device::memory_bandwidth_gbs that a kernel reaches, a little below what was read: 4.55 TB/s of
// 4.81 on one H200, 3.25 of 3.35 on one H100, 2026-11-21. Not measured on other devices.
inline constexpr double kMemoryEfficiency = 0.93;

// Bytes that one SM takes in per clock from the L2: 64 by NVIDIA's description of A100 and H100; about 3/4 is
// reached under load (a lead, not measured here).
inline constexpr double kLoadBytesPerSmClock = 48;

// FLOP per SM and clock of mma.sync with FP16 or BF16 operands and FP32 accumulation, dense. From the
// datasheets: A100 312 TFLOP/s on 108 SMs at 1410 MHz; GeForce 3090 71 on 82 at 1695, 4090 165 on 128 at 2520,
// 5070 Ti 88 on 70 at 2452 (professional cards of those generations do twice that). On 9.0 measured: 637
// TFLOP/s sustained on 132 SMs, 2026-11-20, which at the 1.98 GHz of Device::sm_clock_mhz is 2437.
inline double MmaSyncFlopPerSmClock(const Device& device) {
  switch (device.compute_capability_major) {
    case 8:
      return device.compute_capability_minor == 0 ? 2048 : 512;
    case 9:
      return 2437;
    case 10:
    case 11:
      return 2048;  // not known here: tcgen05 is the fast path there
    default:
      return 512;
  }
}

// FLOP per SM and clock of FP32 fused multiply-add: 64 lanes on 8.0, 128 on every later SM (CUDA C++
// Programming Guide, arithmetic instructions table).
inline double Fp32FlopPerSmClock(const Device& device) { return device.compute_capability() == 80 ? 128 : 256; }

// Whether an operand of so many bytes is still in the L2 when it is read again, beside what else is read. The half is a guess.
inline bool StaysInL2(double bytes, const Device& device) {
  return bytes <= 0.5 * static_cast<double>(device.l2_bytes);
}

// Bytes that any kernel moves: each matrix of A, B and D once. C is left out: whether it is read is known only
// at Run.
inline double CompulsoryBytes(const problem::Normalized& p) {
  const double in = base::ElementBytes(p.input_type);
  const double out = base::ElementBytes(p.output_type);
  const double a = in * static_cast<double>(p.m) * static_cast<double>(p.k);
  const double b = in * static_cast<double>(p.n) * static_cast<double>(p.k);
  const double d = out * static_cast<double>(p.m) * static_cast<double>(p.n);
  const double batch = static_cast<double>(p.batch);
  return a * (p.a.batch_stride == 0 ? 1 : batch) + b * (p.b.batch_stride == 0 ? 1 : batch) + d * batch;
}

inline double MemoryUs(double bytes, const Device& device) {
  return bytes / (std::max(device.memory_bandwidth_gbs, 1.0) * kMemoryEfficiency) * 1e-3;
}

// One kernel as the model sees it. `tile` and `stages` as in its row.
struct TiledCost {
  Tile tile;
  int stages = 1;
  int ctas_per_sm = 1;           // that are resident together
  double flop_per_sm_clock = 0;  // sustained by the main loop when its operands arrive in time; at sm_clock_mhz
  double latency_cycles = 1000;  // from asking for a stage's operands to having them; per stage of the ring
  double prologue_cycles = 1500;  // of each round of CTAs: start, barriers, filling the ring
  double epilogue_cycles = 1000;  // of each tile: what the kernel does not hide behind another tile's main loop
};

// The terms in microseconds, for tests and reports.
struct TiledTime {
  double launch = 0;
  double memory = 0;
  double compute = 0;
  double loads = 0;
  double latency = 0;
  double outside = 0;  // prologues and epilogues
  double total() const { return launch + std::max({memory, compute, loads, latency}) + outside; }
};

// What the busiest SM gets.
struct TiledShare {
  double rounds = 1;  // of CTAs, one after the other
  double tiles = 1;   // that it finishes
  double steps = 1;   // K steps of all its tiles
  double chain = 1;   // K steps one after the other, where CTAs run together
};

inline TiledShare BusiestShare(const TiledCost& cost, const problem::Normalized& p, const Device& device) {
  const double sms = std::max(device.sm_count, 1);
  const std::int64_t tiles_m = base::CeilDiv<std::int64_t>(p.m, cost.tile.m);
  const std::int64_t tiles_n = base::CeilDiv<std::int64_t>(p.n, cost.tile.n);
  const double tiles =
      static_cast<double>(tiles_m) * static_cast<double>(tiles_n) * static_cast<double>(p.batch);
  // Doubles hold integers exactly up to 2^53, far beyond what a device finishes.
  const double per_sm = static_cast<double>(static_cast<std::int64_t>((tiles + sms - 1) / sms));
  const double rounds = static_cast<double>(
      base::CeilDiv<std::int64_t>(static_cast<std::int64_t>(per_sm), std::max(cost.ctas_per_sm, 1)));
  const double steps = static_cast<double>(base::CeilDiv<std::int64_t>(p.k, cost.tile.k));
  return {rounds, per_sm, per_sm * steps, rounds * steps};
}

inline TiledTime PredictShare(const TiledCost& cost, const TiledShare& share, const problem::Normalized& p,
                              const Device& device) {
  const double us_per_cycle = 1 / std::max(device.sm_clock_mhz, 1.0);
  const double flop = 2.0 * cost.tile.m * cost.tile.n * cost.tile.k;
  const double rows = static_cast<double>(std::min<std::int64_t>(p.m, cost.tile.m)) +
                      static_cast<double>(std::min<std::int64_t>(p.n, cost.tile.n));
  const double bytes = rows * cost.tile.k * base::ElementBytes(p.input_type);

  TiledTime time;
  time.launch = kLaunchUs;
  time.memory = MemoryUs(CompulsoryBytes(p), device);
  time.compute = share.steps * flop / std::max(cost.flop_per_sm_clock, 1.0) * us_per_cycle;
  time.loads = share.steps * bytes / kLoadBytesPerSmClock * us_per_cycle;
  time.latency = share.chain * cost.latency_cycles / std::max(cost.stages, 1) * us_per_cycle;
  time.outside = (share.rounds * cost.prologue_cycles + share.tiles * cost.epilogue_cycles) * us_per_cycle;
  return time;
}

inline TiledTime PredictTiled(const TiledCost& cost, const problem::Normalized& p, const Device& device) {
  return PredictShare(cost, BusiestShare(cost, p, device), p, device);
}

// Into how many parts, from 2 to `most`, K is cut at the least `cost(parts)`, infinity where it cannot be: the fewest of equal ones; 0 where
// there is no such number.
template <class Cost>
int CheapestParts(std::int64_t most, const Cost& cost) {
  int best = 0;
  double best_cost = std::numeric_limits<double>::infinity();
  for (int parts = 2; parts <= most; ++parts) {
    const double of_parts = cost(parts);
    if (of_parts >= best_cost) continue;
    best = parts;
    best_cost = of_parts;
  }
  return best;
}

}  // namespace gemm::dispatch
