#include "ampere/few/columns_plan.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <string>

#include "ampere/few/columns.h"
#include "ampere/few/columns_parts.h"
#include "ampere/few/columns_predict.h"
#include "ampere/few/product.h"
#include "ampere/few/slices.h"
#include "common/base/nonce.h"
#include "common/base/status.h"

namespace gemm::ampere::few {
namespace {

using dispatch::Device;
using dispatch::KernelRow;
using problem::Normalized;

std::optional<std::string> Reject(const KernelRow& row, const Normalized& p, const Device& device) {
  if (auto why = RejectProduct(row, p, device)) return why;
  if (WideInput(p).major == problem::Major::kK) {
    return base::Concat(WideIsB(p) ? "B" : "A", " is K-major");
  }
  // Timed with other rows alone.
  if (std::min(p.a.alignment, p.b.alignment) >= kPieceBytes) {
    return std::string("A and B are aligned to 16 bytes, which other kernels ask for");
  }
  if (SplitsK(row) && ColumnPartsOf(row, p, device) == 1) return std::string("K in one part is as fast");
  return std::nullopt;
}

// Of all parts' sums.
std::size_t PartialBytes(const KernelRow& row, const Normalized& p, int parts) {
  return static_cast<std::size_t>(ColumnTiles(row, p) * p.batch * parts * FewRows(p) * row.tile.n) *
         sizeof(float);
}

// The tiles' counters lie behind the partial sums.
std::size_t WorkspaceBytes(const KernelRow& row, const Normalized& p, const Device& device) {
  const int parts = ColumnPartsOf(row, p, device);
  if (parts == 1) return 0;
  return PartialBytes(row, p, parts) +
         static_cast<std::size_t>(ColumnTiles(row, p) * p.batch) * sizeof(std::uint64_t);
}

double PredictUs(const KernelRow& row, const Normalized& p, const Device& device) {
  return PredictColumnsUs(row, p, device, ColumnPartsOf(row, p, device));
}

class ColumnsLauncher final : public dispatch::Launcher {
 public:
  ColumnsLauncher(const KernelRow& row, const Normalized& problem, const Device& device,
                  const PlanOptions& options, driver::Kernel kernel)
      : kernel_(kernel), wide_is_b_(WideIsB(problem)) {
    const problem::Input& few = FewInput(problem);
    const bool few_by_k = few.major == problem::Major::kK;
    params_.product = ProductOf(problem);
    params_.few_row_stride = few_by_k ? few.ld : 1;
    params_.few_k_stride = few_by_k ? 1 : few.ld;
    params_.columns = ColumnsOf(row, problem);
    params_.steps = static_cast<int>(StepsOf(problem));
    params_.parts = ColumnPartsOf(row, problem, device);
    counters_at_ = PartialBytes(row, problem, params_.parts);
    shape_.grid[0] = static_cast<unsigned>(ColumnTiles(row, problem));
    shape_.grid[1] = static_cast<unsigned>(problem.batch);
    shape_.grid[2] = static_cast<unsigned>(params_.parts);
    shape_.block[0] = static_cast<unsigned>(row.threads);
    shape_.shared_bytes = static_cast<unsigned>(row.shared_bytes);
    shape_.programmatic = options.programmatic_launch && kernel.WaitsForGrids();
  }

  Status Run(const Arguments& args) const noexcept override {
    ColumnsParams params = params_;
    SetArguments(args, wide_is_b_, &params.product);
    if (params.parts > 1) {
      auto* const workspace = static_cast<unsigned char*>(args.workspace);
      params.partials = reinterpret_cast<float*>(workspace);
      params.counters = reinterpret_cast<unsigned long long*>(workspace + counters_at_);
      params.nonce = base::NextNonce();
    }
    void* parameters[] = {&params};
    return driver::Launch(kernel_, shape_, args.stream, parameters);
  }

 private:
  driver::Kernel kernel_;
  bool wide_is_b_;
  std::size_t counters_at_;  // in workspace, where there is more than one part
  driver::LaunchShape shape_;
  ColumnsParams params_ = {};  // all but the addresses, the scalars and the nonce
};

Status Prepare(const KernelRow& row, const Normalized& problem, const Device& device,
               const PlanOptions& options, driver::Kernel kernel,
               std::unique_ptr<const dispatch::Launcher>* launcher) {
  launcher->reset(new (std::nothrow) ColumnsLauncher(row, problem, device, options, kernel));
  return *launcher != nullptr ? Status() : base::HostMemoryExhausted();
}

}  // namespace

const dispatch::KernelFamily kColumnsFamily = {"ampere", Reject, PredictUs,     WorkspaceBytes,
                                               Prepare,  false,  &kColumnsModel};

}  // namespace gemm::ampere::few
