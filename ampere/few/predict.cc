#include "ampere/few/predict.h"

#include <algorithm>
#include <cmath>

#include "ampere/few/cost.h"
#include "ampere/few/slices.h"
#include "common/base/data_type.h"
#include "common/dispatch/cost.h"
#include "common/dispatch/row_start.h"

namespace gemm::ampere::few {
namespace {

using dispatch::Device;
using dispatch::KernelRow;
using problem::Normalized;

double StreamUs(const CostConstants& cost, const KernelRow& row, const Normalized& p, const Device& device,
                int bits) {
  constexpr double kUnused = 0.3;  // of the time that pieces beyond K would take
  const double memory = dispatch::MemoryUs(StreamedBytes(p, device), device);
  if (IsGemv(row)) return memory * (1 + (p.k > 0 ? kUnused * (1 / Used(row, p, bits) - 1) : 0));
  return memory * dispatch::ByRowStart(WideInput(p).ld * base::ElementBytes(p.input_type), cost.line_rows,
                                       cost.two_line_rows, cost.five_sector_rows);
}

// Won where the longer operand may be read early, in chains; code for other architectures has no griddepcontrol. With mma.sync and
// more CTAs than run at a time nothing is (4x24576x1536 20.1 us for 19.5, 4x7168x2048 9.7 for 9.7; why is not known). One row
// loses where its CTAs fill more than half of the device but not all of it: of the next kernel's those that fit beside them come
// early, and the rest lie unevenly (1x1280x8192 7.5 us for 6.7).
double WonEarlyUs(const KernelRow& row, const Normalized& p, const Device& device, double ctas,
                  double at_once) {
  if (device.compute_capability() != 90 || !WideInput(p).readable_early) return 0;
  if (!IsGemv(row)) return ctas > at_once ? 0 : 1.2;
  constexpr double kFull = 0.9;
  if (ctas > 0.5 * at_once && ctas < kFull * at_once) return -0.8;
  return ctas > at_once ? 0.8 : 1.1;
}

// Turns of the ring that a CTA, and those after it on the SM, wait for one after the other. A ring that K does not fill takes less, but
// not where CTAs follow one another; the first turn of one row is in CostConstants::fixed_us.
double WaitedTurns(const KernelRow& row, const Normalized& p, double rounds, int bits) {
  const double turns = static_cast<double>(Turns(row, p, bits)) / row.stages;
  if (IsGemv(row)) return std::max(0.0, rounds * turns - 1);
  return rounds * std::max(rounds > 1 ? 1.0 : 0.0, turns);
}

// What is won where the longer operand may be read early was not timed.
double AnywhereUs(const CostConstants& cost, const KernelRow& row, const Normalized& p, const Device& device) {
  const int bits = SliceBits(row, p, device);
  const double rounds =
      std::ceil(static_cast<double>(Ctas(row, p, bits)) / static_cast<double>(CtasAtOnce(row, device)));
  const double turns = static_cast<double>(Turns(row, p, bits));
  const double waited = rounds * (cost.anywhere_cta_us + cost.anywhere_cta_row_us * row.tile.m +
                                  turns * (cost.anywhere_turn_us + cost.anywhere_turn_row_us * row.tile.m));
  const double memory = cost.anywhere_rows * dispatch::MemoryUs(StreamedBytes(p, device), device);
  const double flop = 2.0 * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k) *
                      static_cast<double>(p.batch);
  const double clocks = flop / (cost.anywhere_flop_per_clock * std::max(device.sm_count, 1));
  return cost.fixed_us + Overlapped(memory, waited, cost.norm) + clocks / std::max(device.sm_clock_mhz, 1.0);
}

}  // namespace

double Overlapped(double a, double b, double norm) {
  return std::pow(std::pow(a, norm) + std::pow(b, norm), 1 / norm);
}

double StreamedBytes(const Normalized& p, const Device& device) {
  const double bytes = dispatch::CompulsoryBytes(p);
  const double wide = static_cast<double>(WideRows(p)) * static_cast<double>(p.k) *
                      static_cast<double>(base::ElementBytes(p.input_type));
  const bool again = WideInput(p).batch_stride == 0 && !dispatch::StaysInL2(wide, device);
  return bytes + (again ? wide * static_cast<double>(p.batch - 1) : 0);
}

double PredictUs(const CostConstants& cost, const KernelRow& row, const Normalized& p, const Device& device) {
  if (StartsAnywhere(row)) return AnywhereUs(cost, row, p, device);
  const int bits = SliceBits(row, p, device);
  const auto ctas = static_cast<double>(Ctas(row, p, bits));
  const auto at_once = static_cast<double>(CtasAtOnce(row, device));
  const double rounds = std::ceil(ctas / at_once);
  // What the busiest SM gets beyond the mean. Not where all CTAs are resident: an SM with more of them gets more of the memory. One
  // row's CTAs are too many for it to count.
  const double each = ctas / std::max(device.sm_count, 1);
  const double uneven = rounds > 1 && !IsGemv(row) ? std::sqrt(std::ceil(each) / each) : 1;
  const double memory = uneven * StreamUs(cost, row, p, device, bits);
  const double waited =
      WaitedTurns(row, p, rounds, bits) * (IsGemv(row) ? cost.gemv_turn_us : cost.few_turn_us);
  const double us = Overlapped(memory, waited, cost.norm);
  return cost.fixed_us + std::max(0.5 * us, us - WonEarlyUs(row, p, device, ctas, at_once));
}

}  // namespace gemm::ampere::few
