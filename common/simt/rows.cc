#include "common/simt/rows.h"

#include <limits>
#include <memory>
#include <new>

#include "common/base/math.h"
#include "common/base/status.h"
#include "common/simt/config.h"
#include "common/simt/make_params.h"
#include "common/simt/params.h"

namespace gemm::simt {
namespace {

class SimtLauncher final : public dispatch::Launcher {
 public:
  SimtLauncher(driver::Kernel kernel, const Params& params, const driver::LaunchShape& shape)
      : kernel_(kernel), params_(params), shape_(shape) {}

  Status Run(const Arguments& args) const noexcept override {
    Params params = ForRun(params_, args);
    void* list[] = {&params};
    return driver::Launch(kernel_, shape_, args.stream, list);
  }

 private:
  const driver::Kernel kernel_;
  const Params params_;
  const driver::LaunchShape shape_;
};

}  // namespace

std::int64_t TileCount(const dispatch::KernelRow& row, const problem::Normalized& p) {
  return base::CeilDiv<std::int64_t>(p.m, row.tile.m) * base::CeilDiv<std::int64_t>(p.n, row.tile.n) * p.batch;
}

std::optional<std::string> RejectInputs(const dispatch::KernelRow& row, const problem::Normalized& p) {
  if (p.input_type != row.input_type) {
    return base::Concat("its inputs are ", Name(row.input_type), ", not ", Name(p.input_type));
  }
  if (p.a.major != row.a_major || p.b.major != row.b_major) return "it is for other layouts of A and B";
  constexpr std::int64_t kMostTiles = std::numeric_limits<std::int32_t>::max();
  if (const std::int64_t tiles = TileCount(row, p); tiles > kMostTiles) {
    return base::Concat("the problem has ", tiles, " of its tiles; a grid has at most ", kMostTiles);
  }
  // A band's tiles, those that are not there included, are counted in 32 bits (FindTile).
  constexpr std::int64_t kMostTilesAcross = (std::int64_t{1} << 32) / kBandRows - 1;
  if (const std::int64_t across = base::CeilDiv<std::int64_t>(p.n, row.tile.n); across > kMostTilesAcross) {
    return base::Concat("the problem has ", across, " of its tiles along N; it counts at most ",
                        kMostTilesAcross);
  }
  return std::nullopt;
}

Params ForRun(const Params& plan, const Arguments& args) {
  Params params = plan;
  params.a.base = args.a;
  params.b.base = args.b;
  params.c = args.c;
  params.d = args.d;
  params.scalars = {args.alpha, args.beta, args.alpha_device, args.beta_device};
  return params;
}

driver::LaunchShape MakeLaunchShape(const dispatch::KernelRow& row, std::int64_t ctas, bool programmatic,
                                    const driver::Kernel& kernel) {
  driver::LaunchShape shape;
  shape.grid[0] = static_cast<unsigned>(ctas);
  shape.block[0] = static_cast<unsigned>(row.threads);
  shape.shared_bytes = static_cast<unsigned>(row.shared_bytes);
  shape.programmatic = programmatic && kernel.WaitsForGrids();
  return shape;
}

Status PrepareTiles(const dispatch::KernelRow& row, const problem::Normalized& p, std::int64_t ctas,
                    bool programmatic, driver::Kernel kernel,
                    std::unique_ptr<const dispatch::Launcher>* launcher) {
  auto* made =
      new (std::nothrow) SimtLauncher(kernel, MakeParams(p), MakeLaunchShape(row, ctas, programmatic, kernel));
  if (made == nullptr) return base::HostMemoryExhausted();
  launcher->reset(made);
  return Status();
}

}  // namespace gemm::simt
