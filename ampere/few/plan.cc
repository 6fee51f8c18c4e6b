#include "ampere/few/plan.h"

#include <algorithm>
#include <memory>
#include <new>
#include <optional>
#include <string>

#include "ampere/few/config.h"
#include "ampere/few/model.h"
#include "ampere/few/product.h"
#include "ampere/few/ring_predict.h"
#include "ampere/few/slices.h"
#include "common/base/status.h"

namespace gemm::ampere::few {
namespace {

using dispatch::Device;
using dispatch::KernelRow;
using problem::Normalized;

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

std::optional<std::string> RejectLayouts(const KernelRow& row, const Normalized& p) {
  if (row.b_major == problem::Major::kK) {
    if (p.a.major == problem::Major::kK && p.b.major == problem::Major::kK) return std::nullopt;
    return std::string("A and B are not both K-major");
  }
  const char* const wide = WideIsB(p) ? "B" : "A";
  if (WideInput(p).major == problem::Major::kK) return base::Concat(wide, " is K-major");
  if (FewInput(p).major != problem::Major::kK) {
    return base::Concat(WideIsB(p) ? "A" : "B", " is not K-major");
  }
  if (WideRows(p) % kPiece == 0) return std::nullopt;
  return base::Concat(WideIsB(p) ? "N" : "M", " = ", WideRows(p), " is no multiple of ", kPiece);
}

// Half of the room, and so of what is multiplied, would be empty.
std::optional<std::string> RejectRoom(const KernelRow& row, const Normalized& p) {
  if (StartsAnywhere(row) || row.tile.m <= kFewOfMma || FewRows(p) > row.tile.m / 2) return std::nullopt;
  return base::Concat("M and N, ", p.m, " and ", p.n, ", are not both above ", row.tile.m / 2,
                      ", and other kernels have room for as many");
}

std::optional<std::string> Reject(const KernelRow& row, const Normalized& p, const Device& device) {
  if (auto why = RejectProduct(row, p, device)) return why;
  if (auto why = RejectRoom(row, p)) return why;
  if (auto why = RejectLayouts(row, p)) return why;
  return RejectPieces(row, p);
}

class FewLauncher final : public dispatch::Launcher {
 public:
  FewLauncher(const KernelRow& row, const Normalized& problem, const Device& device, const PlanOptions& options,
              driver::Kernel kernel)
      : kernel_(kernel), wide_is_b_(WideIsB(problem)), params_(ProductOf(problem)) {
    const int bits = SliceBits(row, problem, device);
    params_.slice_bits = bits;
    params_.period = Period(row, problem);
    shape_.grid[0] = static_cast<unsigned>(CtasOfMatrix(row, problem, bits));
    shape_.grid[1] = static_cast<unsigned>(problem.batch);
    shape_.block[0] = static_cast<unsigned>(row.threads);
    shape_.shared_bytes = static_cast<unsigned>(row.shared_bytes);
    shape_.programmatic = options.programmatic_launch && kernel.WaitsForGrids();
  }

  Status Run(const Arguments& args) const noexcept override {
    Params params = params_;
    SetArguments(args, wide_is_b_, &params);
    void* parameters[] = {&params};
    return driver::Launch(kernel_, shape_, args.stream, parameters);
  }

 private:
  driver::Kernel kernel_;
  bool wide_is_b_;
  driver::LaunchShape shape_;
  Params params_;  // all but the addresses and the scalars
};

Status Prepare(const KernelRow& row, const Normalized& problem, const Device& device,
               const PlanOptions& options, driver::Kernel kernel,
               std::unique_ptr<const dispatch::Launcher>* launcher) {
  launcher->reset(new (std::nothrow) FewLauncher(row, problem, device, options, kernel));
  return *launcher != nullptr ? Status() : base::HostMemoryExhausted();
}

}  // namespace

const dispatch::KernelFamily kFamily = {"ampere", Reject, PredictMicroseconds, dispatch::NoWorkspace,
                                        Prepare,  false,  &kFewModel};
const dispatch::KernelFamily kRingFamily = {"ampere", Reject, PredictRingUs, dispatch::NoWorkspace,
                                            Prepare,  false,  &kRingModel};

}  // namespace gemm::ampere::few
