#include "ampere/plan.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "ampere/config.h"
#include "ampere/k_parts.h"
#include "ampere/predict.h"
#include "ampere/reject.h"
#include "ampere/row.h"
#include "common/base/math.h"
#include "common/base/nonce.h"
#include "common/base/status.h"
#include "common/device/type_number.h"

namespace gemm::ampere {
namespace {

using dispatch::Device;
using dispatch::KernelRow;
using problem::Normalized;

double PredictUs(const KernelRow& row, const Normalized& p, const Device& device) {
  return PredictPartsUs(row, p, device, PartsOf(row, p, device));
}

// Workspace of split K: the tiles' counters lie behind the partial sums.
std::size_t PartialBytes(const Params& params, const dispatch::Tile& tile) {
  return static_cast<std::size_t>(params.split.tiles) * static_cast<std::size_t>(params.split.parts) *
         static_cast<std::size_t>(tile.m * tile.n) * sizeof(float);
}

std::size_t WorkspaceBytes(const KernelRow& row, const Normalized& p, const Device& device) {
  if (!IsSplit(row)) return 0;
  const Params params = MakeParams(row, p, device);
  const int counters = SplitsRest(row) ? kMostSlices : 1;
  return PartialBytes(params, row.tile) +
         static_cast<std::size_t>(params.split.tiles) * counters * sizeof(std::uint64_t);
}

OperandParams MakeOperand(const problem::Input& input) {
  return {nullptr, input.ld, input.batch_stride, std::min(input.alignment, 16)};
}

OutputParams MakeOutput(const problem::Output& output) {
  return {output.row_stride, output.col_stride, output.batch_stride,
          output.col_stride == 1 && output.alignment >= 16 ? 1 : 0};
}

// Rows of tiles walked together such that a wave of CTAs touches about as much of A as of B.
int Raster(const KernelRow& row, const Device& device) {
  const double wave = CtasAtOnce(row, device);
  const double rows = std::sqrt(wave * row.tile.n / row.tile.m);
  int raster = 1;
  while (2 * raster <= rows) raster *= 2;
  return raster;
}

class AmpereLauncher final : public dispatch::Launcher {
 public:
  // counters_at: in workspace.
  AmpereLauncher(const Params& params, std::size_t counters_at, const driver::LaunchShape& shape,
                 driver::Kernel kernel)
      : params_(params), counters_at_(counters_at), shape_(shape), kernel_(kernel) {}

  Status Run(const Arguments& args) const noexcept override {
    Params params = params_;
    params.a.base = args.a;
    params.b.base = args.b;
    params.c = args.c;
    params.d = args.d;
    params.scalars = {args.alpha, args.beta, args.alpha_device, args.beta_device};
    if (params.split.parts > 1) {
      params.split.partials = static_cast<float*>(args.workspace);
      params.split.counters =
          reinterpret_cast<unsigned long long*>(static_cast<char*>(args.workspace) + counters_at_);
      params.split.nonce = base::NextNonce();
    }
    void* parameters[] = {&params};
    return driver::Launch(kernel_, shape_, args.stream, parameters);
  }

 private:
  Params params_;
  std::size_t counters_at_;
  driver::LaunchShape shape_;
  driver::Kernel kernel_;
};

Status Prepare(const KernelRow& row, const Normalized& problem, const Device& device,
               const PlanOptions& options, driver::Kernel kernel,
               std::unique_ptr<const dispatch::Launcher>* launcher) {
  const Params params = MakeParams(row, problem, device);
  driver::LaunchShape shape;
  const Grid grid = MakeGrid(row, params, device);
  shape.grid[0] = grid.x;
  shape.grid[1] = grid.y;
  shape.block[0] = static_cast<unsigned>(row.threads);
  shape.shared_bytes = static_cast<unsigned>(row.shared_bytes);
  shape.programmatic = options.programmatic_launch && kernel.WaitsForGrids();
  launcher->reset(new (std::nothrow) AmpereLauncher(params, PartialBytes(params, row.tile), shape, kernel));
  return *launcher != nullptr ? Status() : base::HostMemoryExhausted();
}

}  // namespace

const dispatch::KernelFamily kFamily = {"ampere", Reject, PredictUs, WorkspaceBytes, Prepare};
const dispatch::KernelFamily kPersistentFamily = {"ampere",       Reject,  PredictUs,
                                                  WorkspaceBytes, Prepare, /*is_persistent=*/true};

Params MakeParams(const KernelRow& row, const Normalized& problem, const Device& device) {
  Params params = {};
  params.a = MakeOperand(problem.a);
  params.b = MakeOperand(problem.b);
  params.c_layout = MakeOutput(problem.c);
  params.d_layout = MakeOutput(problem.d);
  params.m = problem.m;
  params.n = problem.n;
  params.k = static_cast<int>(problem.k);
  params.output_type = device::TypeNumber(problem.output_type);
  params.schedule.tiles_m = static_cast<int>(base::CeilDiv<std::int64_t>(problem.m, row.tile.m));
  params.schedule.tiles_n = static_cast<int>(base::CeilDiv<std::int64_t>(problem.n, row.tile.n));
  params.schedule.tiles = TilesPerMatrix(row, problem) * problem.batch;
  params.schedule.raster = Raster(row, device);
  params.split.parts = PartsOf(row, problem, device);
  params.split.tiles = params.split.parts > 1 ? static_cast<int>(SplitTiles(row, problem, device)) : 0;
  return params;
}

Grid MakeGrid(const KernelRow& row, const Params& params, const Device& device) {
  if ((row.variant & kSeveralTiles) != 0) {
    return {static_cast<unsigned>(std::min<long long>(params.schedule.tiles, CtasAtOnce(row, device))), 1};
  }
  const bool splits_all = params.split.tiles == params.schedule.tiles;
  const long long ctas =
      splits_all ? params.schedule.tiles * params.split.parts : params.schedule.tiles - params.split.tiles;
  const long long x = std::min(ctas, kMaxGridX);
  return {static_cast<unsigned>(x), static_cast<unsigned>(base::CeilDiv(ctas, std::max(x, 1LL)))};
}

}  // namespace gemm::ampere
