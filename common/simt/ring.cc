#include "common/simt/ring.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <string>

#include "common/base/math.h"
#include "common/base/nonce.h"
#include "common/base/status.h"
#include "common/dispatch/cost.h"
#include "common/simt/make_params.h"
#include "common/simt/params.h"
#include "common/simt/rows.h"

namespace gemm::simt {
namespace {

using dispatch::Device;
using dispatch::KernelRow;
using problem::Major;
using problem::Normalized;

// What the predictor knows of a shape, with B's K or N contiguous. Fitted to 22 problems with 1 to 13 parts of K on one H200,
// 2026-11-22 (docs/perf/simt.md), which these constants give within 0.5 to 4% (root mean square).
struct Traits {
  int ctas_per_sm;
  bool sliced;             // sums are not added in ascending k
  double full;             // part of the SM's FP32 peak that ctas_per_sm CTAs sustain together
  double alone;            // that of one CTA
  double outside_cycles;   // of each CTA, before and behind its main loop
  double exchange_cycles;  // of split K, beside its bytes
  double exchange_bytes;   // of partial sums that one SM writes or reads in a clock
};

template <typename Shape>
Traits Make(double full, double alone, double outside_cycles, double exchange_cycles, double exchange_bytes) {
  return {Shape::kCtasPerSm, Shape::kSlices > 1, full, alone, outside_cycles, exchange_cycles, exchange_bytes};
}

Traits TraitsOf(const KernelRow& row) {
  const bool kk = row.b_major == Major::kK;
  // Without a default, so that the compiler names the shape that was forgotten.
  switch (static_cast<RingVariant>(row.variant & ~kSplit)) {
    case kSquare:
      return kk ? Make<Square>(0.801, 0.786, 5700, 8900, 45) : Make<Square>(0.787, 0.786, 4600, 8900, 45);
    case kWide:
      return kk ? Make<Wide>(0.763, 0.676, 3700, 7700, 29) : Make<Wide>(0.775, 0.69, 2300, 7700, 29);
    case kSlicedSquare:
      return Make<SlicedSquare>(0.807, 0.807, 12000, 3500, 47);
    case kSlicedTall:
      return Make<SlicedTall>(0.777, 0.777, 10900, 0, 22);
    case kSlicedWide:
      return kk ? Make<SlicedWide>(0.781, 0.781, 11500, 0, 22) : Make<SlicedWide>(0.783, 0.783, 9300, 0, 18);
    case kSlicedLow:
    case kSplit:
      break;
  }
  return kk ? Make<SlicedLow>(0.625, 0.568, 4500, 8000, 100) : Make<SlicedLow>(0.69, 0.62, 3300, 8000, 100);
}

bool IsSplit(const KernelRow& row) { return (row.variant & kSplit) != 0; }

// The main loop's and the exchange's time: the busiest SM's CTAs come in rounds of ctas_per_sm.
double PredictCycles(const KernelRow& row, const Normalized& p, const Device& device, int parts) {
  const Traits traits = TraitsOf(row);
  const std::int64_t ctas = TileCount(row, p) * parts;
  const std::int64_t per_sm = base::CeilDiv<std::int64_t>(ctas, std::max(device.sm_count, 1));
  const std::int64_t steps = base::CeilDiv(base::CeilDiv<std::int64_t>(p.k, row.tile.k), std::int64_t{parts});
  const double ideal = 2.0 * row.tile.m * row.tile.n * row.tile.k / dispatch::Fp32FlopPerSmClock(device);
  const std::int64_t rest = per_sm % traits.ctas_per_sm;
  double step = static_cast<double>(per_sm - rest) * ideal / traits.full;
  if (rest != 0) step += std::max(ideal / traits.alone, static_cast<double>(rest) * ideal / traits.full);
  double cycles = static_cast<double>(steps) * step + static_cast<double>(per_sm) * traits.outside_cycles;
  if (parts > 1) {
    const double partial = 4.0 * row.tile.m * row.tile.n;
    cycles += traits.exchange_cycles + static_cast<double>(parts + per_sm) * partial / traits.exchange_bytes;
  }
  return cycles;
}

// Into how many parts the row cuts K: 1 for rows that do not, 0 where a row that does has nothing to gain. Every part has two
// panels or more, since the first one's first panel may be short.
int PartsOf(const KernelRow& row, const Normalized& p, const Device& device) {
  if (!IsSplit(row)) return 1;
  constexpr int kMostParts = 32;
  constexpr std::int64_t kMostCtasPerSm = 12;
  const std::int64_t panels = base::CeilDiv<std::int64_t>(p.k, row.tile.k);
  const std::int64_t most = std::min<std::int64_t>(
      {kMostParts, panels / 2,
       kMostCtasPerSm * std::max(device.sm_count, 1) / std::max<std::int64_t>(TileCount(row, p), 1)});
  return dispatch::CheapestParts(most, [&](int parts) { return PredictCycles(row, p, device, parts); });
}

// Why the kernel's 32-bit offsets or its copies cannot reach an operand of `extent` lines, `tile` of them in a panel.
std::optional<std::string> RejectOperand(const char* name, const problem::Input& input, std::int64_t extent,
                                         int tile, const KernelRow& row) {
  constexpr std::int64_t kOffsets = std::int64_t{1} << 30;  // in elements
  const std::int64_t strides = input.major == Major::kK ? std::min<std::int64_t>(extent, tile) : row.tile.k;
  if (input.ld >= (kOffsets - tile) / strides)
    return base::Concat("the leading dimension of ", name, " is too large");
  if (input.major == Major::kK) return std::nullopt;
  if (input.alignment < 16 || extent % 4 != 0) {
    return base::Concat("it copies ", name, " in whole 16 bytes along its contiguous dimension, and ", name,
                        " is not made of those");
  }
  return std::nullopt;
}

std::optional<std::string> Reject(const KernelRow& row, const Normalized& p, const Device& device) {
  if (auto why = RejectInputs(row, p)) return why;
  if (p.k < row.tile.k) return base::Concat("K is less than ", row.tile.k);
  if (p.k > std::numeric_limits<std::int32_t>::max() - row.tile.k) return "K is too large for 32 bits";
  if (auto why = RejectOperand("A", p.a, p.m, row.tile.m, row)) return why;
  if (auto why = RejectOperand("B", p.b, p.n, row.tile.n, row)) return why;
  if (row.shared_bytes > device.max_shared_bytes_per_block) return "its ring does not fit into shared memory";
  if (IsSplit(row) && p.batch_invariant) return "where it splits K depends on M";
  if (TraitsOf(row).sliced && p.batch_invariant) return "kernels for other M do not slice K";
  if (PartsOf(row, p, device) == 0) return "K is too short to be split, or the tiles are many";
  return std::nullopt;
}

double PredictUs(const KernelRow& row, const Normalized& p, const Device& device) {
  const double us = PredictCycles(row, p, device, PartsOf(row, p, device)) / std::max(device.sm_clock_mhz, 1.0);
  return dispatch::kLaunchUs + std::max(us, dispatch::MemoryUs(dispatch::CompulsoryBytes(p), device));
}

// Workspace of split K: the counters lie behind the partial sums.
std::size_t PartialBytes(const KernelRow& row, const Normalized& p, int parts) {
  return static_cast<std::size_t>(TileCount(row, p)) * static_cast<std::size_t>(parts) *
         static_cast<std::size_t>(row.tile.m * row.tile.n) * sizeof(float);
}

std::size_t WorkspaceBytes(const KernelRow& row, const Normalized& p, const Device& device) {
  return RingWorkspaceBytes(row, p, PartsOf(row, p, device));
}

class RingLauncher final : public dispatch::Launcher {
 public:
  RingLauncher(driver::Kernel kernel, const Params& params, int parts, std::size_t counters_at,
               const driver::LaunchShape& shape)
      : kernel_(kernel), params_(params), parts_(parts), counters_at_(counters_at), shape_(shape) {}

  Status Run(const Arguments& args) const noexcept override {
    Params params = ForRun(params_, args);
    SplitK split{};
    split.parts = parts_;
    if (parts_ > 1) {
      split.partials = static_cast<float*>(args.workspace);
      split.counters = reinterpret_cast<unsigned long long*>(static_cast<char*>(args.workspace) + counters_at_);
      split.nonce = base::NextNonce();
    }
    void* list[] = {&params, &split};
    return driver::Launch(kernel_, shape_, args.stream, list);
  }

 private:
  const driver::Kernel kernel_;
  const Params params_;
  const int parts_;
  const std::size_t counters_at_;  // in workspace
  const driver::LaunchShape shape_;
};

Status Prepare(const KernelRow& row, const Normalized& p, const Device& device, const PlanOptions& options,
               driver::Kernel kernel, std::unique_ptr<const dispatch::Launcher>* launcher) {
  return PrepareRing(row, p, PartsOf(row, p, device), options.programmatic_launch, kernel, launcher);
}

}  // namespace

std::size_t RingWorkspaceBytes(const KernelRow& row, const Normalized& p, int parts) {
  if (parts <= 1) return 0;
  return PartialBytes(row, p, parts) + static_cast<std::size_t>(TileCount(row, p)) * sizeof(std::uint64_t);
}

Status PrepareRing(const KernelRow& row, const Normalized& p, int parts, bool programmatic,
                   driver::Kernel kernel, std::unique_ptr<const dispatch::Launcher>* launcher) {
  auto* made =
      new (std::nothrow) RingLauncher(kernel, MakeParams(p), parts, parts > 1 ? PartialBytes(row, p, parts) : 0,
                                      MakeLaunchShape(row, TileCount(row, p) * parts, programmatic, kernel));
  if (made == nullptr) return base::HostMemoryExhausted();
  launcher->reset(made);
  return Status();
}

const dispatch::KernelFamily kRingFamily = {"simt", Reject, PredictUs, WorkspaceBytes, Prepare};

}  // namespace gemm::simt
