#include "ampere/few/plan.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <memory>
#include <new>
#include <optional>
#include <string>

#include "ampere/few/config.h"
#include "ampere/few/params.h"
#include "common/base/data_type.h"
#include "common/base/math.h"
#include "common/base/status.h"
#include "common/dispatch/cost.h"
#include "common/dispatch/cost_model.h"
#include "common/dispatch/row_start.h"

namespace gemm::ampere::few {
namespace {

using dispatch::Device;
using dispatch::KernelRow;
using problem::Normalized;

// The kernels count rows and K in int, and go a few tiles past either.
constexpr std::int64_t kMostExtent = INT_MAX - (1 << 16);
constexpr std::int64_t kMostBatch = 65535;  // CTAs that CUDA takes in the second dimension of a grid

bool IsGemv(const KernelRow& row) { return row.tile.m == 1; }
bool WideIsB(const Normalized& p) { return p.n >= p.m; }
std::int64_t WideRows(const Normalized& p) { return std::max(p.m, p.n); }
std::int64_t FewRows(const Normalized& p) { return std::min(p.m, p.n); }
const problem::Input& WideInput(const Normalized& p) { return WideIsB(p) ? p.b : p.a; }

int Warps(const KernelRow& row) { return row.threads / kWarpThreads; }

// CTAs of one matrix, and of a product, whose rows of the longer operand are taken by 2^bits warps each.
std::int64_t CtasOfMatrix(const KernelRow& row, const Normalized& p, int bits) {
  return base::CeilDiv<std::int64_t>(WideRows(p), (Warps(row) >> bits) * row.tile.n);
}
std::int64_t Ctas(const KernelRow& row, const Normalized& p, int bits) {
  return CtasOfMatrix(row, p, bits) * p.batch;
}

// CTAs that the device runs at a time.
std::int64_t CtasAtOnce(const KernelRow& row, const Device& device) {
  constexpr int kSystemBytes = 1024;  // of shared memory, of each CTA
  // Of an SM: CUDA C++ Programming Guide, technical specifications per compute capability.
  const int cc = device.compute_capability();
  const int threads = cc == 80 || cc == 90 || cc == 100 || cc == 103 ? 2048 : 1536;
  const std::int64_t by_shared = device.max_shared_bytes_per_block / (row.shared_bytes + kSystemBytes);
  const std::int64_t most = std::min(row.variant, threads / row.threads);
  return std::max(device.sm_count, 1) * std::clamp<std::int64_t>(by_shared, 1, most);
}

// Pieces of K that a warp loads one after the other where 2^bits share it.
std::int64_t Turns(const KernelRow& row, const Normalized& p, int bits) {
  return base::CeilDiv<std::int64_t>(base::CeilDiv<std::int64_t>(p.k, row.tile.k), std::int64_t{1} << bits);
}

// The part of what all warps could load in those turns that there is.
double Used(const KernelRow& row, const Normalized& p, int bits) {
  return static_cast<double>(p.k) / static_cast<double>((Turns(row, p, bits) * row.tile.k) << bits);
}

// Log2 of the warps of a CTA that take slices of K. All do where there is mma.sync; otherwise as many as load twice (half of
// these where much of the last turn would be empty), and all that load once where CTAs are fewer than run at a time.
// (1x8192x1024 with 4 slices for 2 took 5.9 us for 5.6, 1x4096x4096 with 4 for 8 10.0 for 9.6; H200, 2026-11-23.)
int SliceBits(const KernelRow& row, const Normalized& p, const Device& device) {
  int bits = 0;
  const auto can_double = [&] { return 2 << bits <= Warps(row); };
  if (!IsGemv(row)) {
    while (can_double()) ++bits;
    return bits;
  }
  constexpr double kLeastUsed = 0.85;
  while (can_double() && p.k >= 2 * kWarpK << (bits + 1)) ++bits;
  if (bits > 0 && Used(row, p, bits) < kLeastUsed) --bits;
  while (can_double() && Turns(row, p, bits) > 1 && Ctas(row, p, bits + 1) <= CtasAtOnce(row, device)) ++bits;
  return bits;
}

std::optional<std::string> RejectOperands(const KernelRow& row, const Normalized& p) {
  if (p.compute != ComputeType::kTensor) {
    return base::Concat("the compute type is ", Name(p.compute), ", not ", Name(ComputeType::kTensor));
  }
  if (p.input_type != row.input_type) {
    return base::Concat("A and B are ", Name(p.input_type), ", not ", Name(row.input_type));
  }
  if (p.a.major != problem::Major::kK || p.b.major != problem::Major::kK) {
    return std::string("A and B are not both K-major");
  }
  const int alignment = std::min(p.a.alignment, p.b.alignment);
  if (alignment < kPieceBytes) {
    return base::Concat(p.a.alignment < kPieceBytes ? "A" : "B", " is aligned to ", alignment,
                        " bytes, not 16");
  }
  return std::nullopt;
}

std::optional<std::string> Reject(const KernelRow& row, const Normalized& p, const Device& device) {
  if (device.compute_capability_major < 8) {
    return base::Concat("compute capability ", device.compute_capability_major, '.',
                        device.compute_capability_minor, " is below 8.0");
  }
  if (auto why = RejectOperands(row, p)) return why;
  if (FewRows(p) > row.tile.m) {
    return base::Concat("M and N, ", p.m, " and ", p.n, ", are both above ", row.tile.m);
  }
  if (p.k % kPiece != 0) return base::Concat("K = ", p.k, " is no multiple of ", kPiece);
  if (std::max(WideRows(p), p.k) > kMostExtent) return base::Concat("M, N or K is above ", kMostExtent);
  if (p.batch > kMostBatch) return base::Concat("the batch, ", p.batch, ", is above ", kMostBatch);
  if (row.shared_bytes > device.max_shared_bytes_per_block) {
    return base::Concat("it needs ", row.shared_bytes, " bytes of shared memory, the device has ",
                        device.max_shared_bytes_per_block);
  }
  if (p.batch_invariant) return std::string("other numbers of rows go to kernels that sum K in another order");
  return std::nullopt;
}

// From launch to the end of an otherwise instant kernel. This and what follows is how the kernels were seen to run on one H200 (BF16,
// 50 products, 2026-11-23, docs/perf/decode.md), set once more together with the Hopper kernels' (2026-11-24,
// docs/perf/hopper/predictors.md); other devices are assumed to reach the same part of their memory's rate.
constexpr double kFixedUs = 1.8;

struct Pace {
  // Times memory's time where rows start at multiples of 128 bytes, of 32, and of 16.
  double line_rows;
  double two_line_rows;
  double five_sector_rows;
  double turn_us;  // from asking for all stages to having them
  double norm;     // how memory's time and the turns' overlap: 1 not at all
};
constexpr Pace kGemvPace = {1, 1, 1, 0.55, 4};
constexpr Pace kFewPace = {1, 1.1, 1.2, 1.3, 4};
// An H100's slower memory hides most of what rows off lines cost. By 85 times, which deviated by 2% in the mean and by up to 19% from
// what the above gives (2026-11-25).
constexpr Pace kFewPaceOfH100 = {1.04, 1.05, 1.07, 1.3, 4};
constexpr dispatch::DeviceConstants<Pace> kFewPaces[] = {{"NVIDIA H200", kFewPace},
                                                         {"NVIDIA H100", kFewPaceOfH100}};

const Pace& PaceOf(const KernelRow& row, const Device& device) {
  return IsGemv(row) ? kGemvPace : dispatch::ConstantsFor(kFewPaces, device);
}

// What comes from memory and goes there. CTAs walk the batch outermost, so one matrix for all of it comes again where the L2 cannot
// hold it.
double Bytes(const Normalized& p, const Device& device) {
  const double bytes = dispatch::CompulsoryBytes(p);
  const double wide = static_cast<double>(WideRows(p)) * static_cast<double>(p.k) *
                      static_cast<double>(base::ElementBytes(p.input_type));
  const bool again = WideInput(p).batch_stride == 0 && !dispatch::StaysInL2(wide, device);
  return bytes + (again ? wide * static_cast<double>(p.batch - 1) : 0);
}

double StreamUs(const KernelRow& row, const Normalized& p, const Device& device, const Pace& pace, int bits) {
  constexpr double kUnused = 0.3;  // of the time that pieces beyond K would take
  const double rows = dispatch::ByRowStart(WideInput(p).ld * base::ElementBytes(p.input_type), pace.line_rows,
                                           pace.two_line_rows, pace.five_sector_rows);
  const double unused = IsGemv(row) && p.k > 0 ? kUnused * (1 / Used(row, p, bits) - 1) : 0;
  return dispatch::MemoryUs(Bytes(p, device), device) * rows * (1 + unused);
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
// not where CTAs follow one another; the first turn of one row is in kFixedUs.
double WaitedTurns(const KernelRow& row, const Normalized& p, double rounds, int bits) {
  const double turns = static_cast<double>(Turns(row, p, bits)) / row.stages;
  if (IsGemv(row)) return std::max(0.0, rounds * turns - 1);
  return rounds * std::max(rounds > 1 ? 1.0 : 0.0, turns);
}

double PredictUs(const KernelRow& row, const Normalized& p, const Device& device) {
  const Pace& pace = PaceOf(row, device);
  const int bits = SliceBits(row, p, device);
  const auto ctas = static_cast<double>(Ctas(row, p, bits));
  const auto at_once = static_cast<double>(CtasAtOnce(row, device));
  const double rounds = std::ceil(ctas / at_once);
  // What the busiest SM gets beyond the mean. Not where all CTAs are resident: an SM with more of them gets more of the memory. One
  // row's CTAs are too many for it to count.
  const double each = ctas / std::max(device.sm_count, 1);
  const double uneven = rounds > 1 && !IsGemv(row) ? std::sqrt(std::ceil(each) / each) : 1;
  const double memory = uneven * StreamUs(row, p, device, pace, bits);
  const double waited = WaitedTurns(row, p, rounds, bits) * pace.turn_us;
  const double us = std::pow(std::pow(memory, pace.norm) + std::pow(waited, pace.norm), 1 / pace.norm);
  return kFixedUs + std::max(0.5 * us, us - WonEarlyUs(row, p, device, ctas, at_once));
}

std::size_t NoWorkspace(const KernelRow&, const Normalized&, const Device&) { return 0; }

Operand MakeOperand(const problem::Input& input) { return {nullptr, input.ld, input.batch_stride}; }

OutputAt At(const problem::Output& output, bool wide_is_b) {
  return {wide_is_b ? output.col_stride : output.row_stride, wide_is_b ? output.row_stride : output.col_stride,
          output.batch_stride};
}

class FewLauncher final : public dispatch::Launcher {
 public:
  FewLauncher(const KernelRow& row, const Normalized& problem, const Device& device, const PlanOptions& options,
              driver::Kernel kernel)
      : kernel_(kernel), wide_is_b_(WideIsB(problem)) {
    params_.wide = MakeOperand(WideInput(problem));
    params_.few = MakeOperand(wide_is_b_ ? problem.a : problem.b);
    params_.c_at = At(problem.c, wide_is_b_);
    params_.d_at = At(problem.d, wide_is_b_);
    params_.wide_rows = static_cast<int>(WideRows(problem));
    params_.few_rows = static_cast<int>(FewRows(problem));
    params_.k = static_cast<int>(problem.k);
    const int bits = SliceBits(row, problem, device);
    params_.slice_bits = bits;
    params_.wide_early = WideInput(problem).readable_early ? 1 : 0;
    params_.output_type = static_cast<int>(problem.output_type);
    shape_.grid[0] = static_cast<unsigned>(CtasOfMatrix(row, problem, bits));
    shape_.grid[1] = static_cast<unsigned>(problem.batch);
    shape_.block[0] = static_cast<unsigned>(row.threads);
    shape_.shared_bytes = static_cast<unsigned>(row.shared_bytes);
    // Older code has no griddepcontrol.wait, so it must not start before its predecessor has ended.
    shape_.programmatic = options.programmatic_launch && kernel.compiled_for >= 90;
  }

  Status Run(const Arguments& args) const noexcept override {
    Params params = params_;
    params.wide.base = wide_is_b_ ? args.b : args.a;
    params.few.base = wide_is_b_ ? args.a : args.b;
    params.c = args.c;
    params.d = args.d;
    params.scalars = {args.alpha, args.beta, args.alpha_device, args.beta_device};
    void* parameters[] = {&params};
    return driver::Launch(kernel_, shape_, args.stream, parameters);
  }

 private:
  driver::Kernel kernel_;
  bool wide_is_b_;
  driver::LaunchShape shape_;
  Params params_ = {};  // all but the addresses and the scalars
};

Status Prepare(const KernelRow& row, const Normalized& problem, const Device& device,
               const PlanOptions& options, driver::Kernel kernel,
               std::unique_ptr<const dispatch::Launcher>* launcher) {
  launcher->reset(new (std::nothrow) FewLauncher(row, problem, device, options, kernel));
  return *launcher != nullptr ? Status() : base::HostMemoryExhausted();
}

}  // namespace

const dispatch::KernelFamily kFamily = {"ampere", Reject, PredictUs, NoWorkspace, Prepare};

}  // namespace gemm::ampere::few
