#include "ampere/few/plan.h"

#include <algorithm>
#include <climits>
#include <memory>
#include <new>
#include <optional>
#include <string>

#include "ampere/few/config.h"
#include "ampere/few/model.h"
#include "ampere/few/params.h"
#include "ampere/few/slices.h"
#include "common/base/data_type.h"
#include "common/base/status.h"

namespace gemm::ampere::few {
namespace {

using dispatch::Device;
using dispatch::KernelRow;
using problem::Normalized;

// The kernels count rows and K in int, and go a few tiles past either.
constexpr std::int64_t kMostExtent = INT_MAX - (1 << 16);
constexpr std::int64_t kMostBatch = 65535;  // CTAs that CUDA takes in the second dimension of a grid

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
  return std::nullopt;
}

// Rows of whole pieces are for the kernels that ask for them, on whatever device: those that do not were timed with other rows alone.
std::optional<std::string> RejectPieces(const KernelRow& row, const Normalized& p) {
  const int alignment = std::min(p.a.alignment, p.b.alignment);
  if (StartsAnywhere(row)) {
    if (alignment < kPieceBytes || p.k % kPiece != 0) return std::nullopt;
    return base::Concat("A and B are aligned to 16 bytes and K is a multiple of ", kPiece,
                        ", which other kernels ask for");
  }
  if (alignment < kPieceBytes) {
    return base::Concat(p.a.alignment < kPieceBytes ? "A" : "B", " is aligned to ", alignment,
                        " bytes, not 16");
  }
  if (p.k % kPiece != 0) return base::Concat("K = ", p.k, " is no multiple of ", kPiece);
  return std::nullopt;
}

std::optional<std::string> Reject(const KernelRow& row, const Normalized& p, const Device& device) {
  if (device.compute_capability_major < 8) {
    return base::Concat("compute capability ", device.compute_capability_major, '.',
                        device.compute_capability_minor, " is below 8.0");
  }
  if (auto why = RejectOperands(row, p)) return why;
  if (auto why = RejectPieces(row, p)) return why;
  if (FewRows(p) > row.tile.m) {
    return base::Concat("M and N, ", p.m, " and ", p.n, ", are both above ", row.tile.m);
  }
  if (std::max(WideRows(p), p.k) > kMostExtent) return base::Concat("M, N or K is above ", kMostExtent);
  if (p.batch > kMostBatch) return base::Concat("the batch, ", p.batch, ", is above ", kMostBatch);
  if (row.shared_bytes > device.max_shared_bytes_per_block) {
    return base::Concat("it needs ", row.shared_bytes, " bytes of shared memory, the device has ",
                        device.max_shared_bytes_per_block);
  }
  if (p.batch_invariant) return std::string("other numbers of rows go to kernels that sum K in another order");
  return std::nullopt;
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
    params_.period = Period(row, problem);
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

const dispatch::KernelFamily kFamily = {"ampere", Reject, PredictMicroseconds, NoWorkspace,
                                        Prepare,  false,  &kFewModel};

}  // namespace gemm::ampere::few
