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

std::optional<std::string> Reject(const KernelRow& row, const Normalized& p, const Device&) {
  if (auto why = RejectInputs(row, p)) return why;
  // Without K each element of D is one.
  const double work = static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.batch) *
                      static_cast<double>(std::max<std::int64_t>(p.k, 1));
  if (work > static_cast<double>(kMostWork)) {
    return base::Concat("it is for products of up to ", kMostWork, " multiplications");
  }
  if (p.batch_invariant) return "kernels for other M do not share K among lanes";
  if (SuitsTensorCores(p)) return "rows that start at multiples of 16 bytes suit tensor cores";
  return std::nullopt;
}

// By 52 times of 26 unaligned products of 5x3x2 to 200x201x65, B stored [n, k] and [k, n] (H200, BF16, 2026-12-01; 9% root mean square). Of an A
// that is stored [k, m] nothing was timed: a fourth of what B costs there is a guess.
double PredictUs(const KernelRow& row, const Normalized& p, const Device& device) {
  constexpr double kFixedUs = 1.29;       // from launch to the end of an otherwise instant kernel
  constexpr double kLatencyUs = 0.645;    // of 128 k, one round of loads behind the other
  constexpr double kFarLatencyUs = 0.19;  // more where lanes read B at a stride
  constexpr double kCtaUs = 0.098;        // a CTA's beginning and end, of all that an SM gets
  constexpr double kRoundUs = 0.119;      // its 128 k, however many of them there are
  constexpr double kFarRoundUs = 0.292;   // more for each k of 128
  const double rounds = static_cast<double>(p.k) / row.tile.k;
  const double far = (p.b.major == problem::Major::kMN ? 1 : 0) + (p.a.major == problem::Major::kMN ? 0.25 : 0);
  const auto ctas =
      static_cast<double>(base::CeilDiv<std::int64_t>(TileCount(row, p), std::max(device.sm_count, 1)));
  const double latency = (kLatencyUs + far * kFarLatencyUs) * rounds;
  const double work = ctas * (kCtaUs + kRoundUs * std::ceil(rounds) + far * kFarRoundUs * rounds);
  return kFixedUs +
         std::max(std::hypot(latency, work), dispatch::MemoryUs(dispatch::CompulsoryBytes(p), device));
}

std::size_t WorkspaceBytes(const KernelRow&, const Normalized&, const Device&) { return 0; }

Status Prepare(const KernelRow& row, const Normalized& p, const Device&, const PlanOptions& options,
               driver::Kernel kernel, std::unique_ptr<const dispatch::Launcher>* launcher) {
  return PrepareTiles(row, p, TileCount(row, p), options.programmatic_launch, kernel, launcher);
}

}  // namespace

const dispatch::KernelFamily kDotFamily = {"simt", Reject, PredictUs, WorkspaceBytes, Prepare};

}  // namespace gemm::simt
