#include "common/simt/dot.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "common/base/math.h"
#include "common/base/status.h"
#include "common/dispatch/cost.h"
#include "common/simt/dot_config.h"
#include "common/simt/rows.h"

namespace gemm::simt {
namespace {

using dispatch::Device;
using dispatch::KernelRow;
using problem::Normalized;

// An SM reads each element of A and B as often as its warps multiply it, without a copy for all of them: beyond so many multiplications, the
// most that were timed, other kernels are ahead.
constexpr std::int64_t kMostWork = std::int64_t{1} << 22;

// Whether tensor cores may multiply, by kernels that copy 16 bytes at a time: those take 1.4 to 2.7 us at 1x16x128 to 128x128x128, as long as
// the first form of this one or less (H200, BF16, 2026-12-01, docs/perf/unaligned.md).
bool SuitsTensorCores(const Normalized& p) {
  const bool tensor =
      p.input_type == DataType::kFP32 ? p.compute == ComputeType::kTF32 : p.compute == ComputeType::kTensor;
  return tensor && p.a.alignment >= 16 && p.b.alignment >= 16;
}

std::int64_t CtasOfAnSm(const KernelRow& row, const Normalized& p, const Device& device) {
  return base::CeilDiv<std::int64_t>(TileCount(row, p), std::max(device.sm_count, 1));
}

// Asking for several rounds together wins where an SM has few warps. With more CTAs than it holds at a time 20x511x301 took 4.7 us for 3.7
// (H200, 2026-12-01).
std::optional<std::string> RejectSeveralRounds(const KernelRow& row, const Normalized& p,
                                               const Device& device) {
  constexpr int kResident = 4;  // by registers
  if (row.tile.k == DotShape<1>::kTileK) return std::nullopt;
  if (p.k <= DotShape<1>::kTileK) return "K is one round, for which the kernel that asks for one is enough";
  if (CtasOfAnSm(row, p, device) > kResident) {
    return base::Concat("an SM would get more than ", kResident, " CTAs, more than it holds at a time");
  }
  return std::nullopt;
}

std::optional<std::string> Reject(const KernelRow& row, const Normalized& p, const Device& device) {
  if (auto why = RejectInputs(row, p)) return why;
  // Without K each element of D is one.
  const double work = static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.batch) *
                      static_cast<double>(std::max<std::int64_t>(p.k, 1));
  if (work > static_cast<double>(kMostWork)) {
    return base::Concat("it is for products of up to ", kMostWork, " multiplications");
  }
  if (p.batch_invariant) return "kernels for other M do not share K among lanes";
  if (SuitsTensorCores(p)) return "rows that start at multiples of 16 bytes suit tensor cores";
  return RejectSeveralRounds(row, p, device);
}

// Microseconds.
struct DotCost {
  double fixed;        // from launch to the end of an otherwise instant kernel
  double latency;      // of the k that are asked for together, one such group behind the other
  double far_latency;  // more where lanes read B at a stride
  double cta;          // a CTA's beginning and end, of all that an SM gets
  double group;        // its k that are asked for together, however many of them there are
  double far_group;    // more for all of them
};

// By 52 times of 26 unaligned products of 5x3x2 to 200x201x65, B stored [n, k] and [k, n] (H200, BF16, 2026-12-01; 9% root mean square; 9% too of
// 122 times of 1x17x5 to 200x201x65 and 1x2000x2001, half of them in FP32, taken later).
constexpr DotCost kOneRound = {1.29, 0.645, 0.19, 0.098, 0.119, 0.292};
// By those 42 of the 122 with more than 128 k whose CTAs are on the SMs at the same time (the same day; 8.5%).
constexpr DotCost kThreeRounds = {1.426, 1.073, 0.515, 0.031, 0.223, 1.08};

// Of an A that is stored [k, m] nothing was timed: a fourth of what B costs there is a guess.
double PredictUs(const KernelRow& row, const Normalized& p, const Device& device) {
  const DotCost& cost = row.tile.k == DotShape<1>::kTileK ? kOneRound : kThreeRounds;
  const double groups = static_cast<double>(p.k) / row.tile.k;
  const double far = (p.b.major == problem::Major::kMN ? 1 : 0) + (p.a.major == problem::Major::kMN ? 0.25 : 0);
  const double latency = (cost.latency + far * cost.far_latency) * groups;
  const double work = static_cast<double>(CtasOfAnSm(row, p, device)) *
                      (cost.cta + cost.group * std::ceil(groups) + far * cost.far_group * groups);
  return cost.fixed +
         std::max(std::hypot(latency, work), dispatch::MemoryUs(dispatch::CompulsoryBytes(p), device));
}

Status Prepare(const KernelRow& row, const Normalized& p, const Device&, const PlanOptions& options,
               driver::Kernel kernel, std::unique_ptr<const dispatch::Launcher>* launcher) {
  return PrepareTiles(row, p, TileCount(row, p), options.programmatic_launch, kernel, launcher);
}

}  // namespace

const dispatch::KernelFamily kDotFamily = {"simt", Reject, PredictUs, dispatch::NoWorkspace, Prepare};

}  // namespace gemm::simt
