#include "hopper/parts_launcher.h"

#include <new>
#include <utility>

#include "common/base/data_type.h"
#include "common/base/status.h"
#include "common/driver/driver.h"
#include "hopper/add_parts.h"
#include "hopper/hopper_parts.h"
#include "hopper/launch.h"
#include "hopper/schedule.h"
#include "hopper/tile_order.h"

namespace gemm::hopper {
namespace {

// Between the kernel's rows and columns: where it computes D's transpose, they are D's columns and rows.
struct Strides {
  long long row;
  long long column;
};

Strides StridesOf(const problem::Output& output, bool transposed) {
  return transposed ? Strides{1, output.row_stride} : Strides{output.row_stride, 1};
}

class PartsLauncher final : public dispatch::Launcher {
 public:
  PartsLauncher(const dispatch::KernelRow& row, const problem::Normalized& computed, const Raster& raster,
                unsigned parts, driver::Kernel add_parts, std::unique_ptr<const dispatch::Launcher> product)
      : add_parts_(add_parts), product_(std::move(product)) {
    const bool transposed = IsTransposed(row);
    const Strides c = StridesOf(computed.c, transposed);
    const Strides d = StridesOf(computed.d, transposed);
    params_.tiles = PartialTilesOf(row, raster, parts);
    SetTileOrder(row, raster, &params_);
    params_.output.m = static_cast<int>(computed.m);
    params_.output.n = static_cast<int>(computed.n);
    params_.output.output_type = static_cast<int>(computed.output_type);
    params_.output.in_pairs = !transposed && InPairs(computed) ? 1 : 0;
    params_.output.c_row_stride = c.row;
    params_.output.c_column_stride = c.column;
    params_.output.c_batch_stride = computed.c.batch_stride;
    params_.output.d_row_stride = d.row;
    params_.output.d_column_stride = d.column;
    params_.output.d_batch_stride = computed.d.batch_stride;
    shape_.grid[0] = params_.tiles.tile_n / kAddPartsColumns;
    shape_.grid[1] = params_.tiles.tile_m / kAddPartsRows;
    shape_.grid[2] = params_.tiles.ctas;
    shape_.block[0] = kAddPartsThreads;
    // Whatever the options say of the product's own predecessor: this kernel waits for the product, which has waited for that.
    shape_.programmatic = true;
  }

  Status Run(const Arguments& args) const noexcept override {
    if (Status status = product_->Run(args); !status.ok()) return status;
    AddPartsParams params = params_;
    params.tiles.partials = args.workspace;
    params.scalars = {args.alpha, args.beta, args.alpha_device, args.beta_device};
    params.output.c_address = args.c;
    params.output.d_address = args.d;
    void* arguments[] = {&params};
    return driver::Launch(add_parts_, shape_, args.stream, arguments);
  }

 private:
  driver::Kernel add_parts_;
  std::unique_ptr<const dispatch::Launcher> product_;
  driver::LaunchShape shape_;
  AddPartsParams params_ = {};  // all but the addresses and the scalars
};

}  // namespace

PartialTiles PartialTilesOf(const dispatch::KernelRow& row, const Raster& raster, unsigned parts) {
  PartialTiles tiles = {};
  tiles.parts = parts;
  tiles.ctas = static_cast<unsigned>(raster.tiles * row.cluster_m * row.cluster_n);
  tiles.tile_m = static_cast<unsigned>(row.tile.m);
  tiles.tile_n = static_cast<unsigned>(row.tile.n);
  return tiles;
}

bool InPairs(const problem::Normalized& problem) {
  const std::int64_t pair = 2 * base::ElementBytes(problem.output_type);
  return problem.c.alignment % pair == 0 && problem.d.alignment % pair == 0;
}

Status AddPartsAfter(const dispatch::KernelRow& row, const problem::Normalized& computed, const Raster& raster,
                     unsigned parts, std::unique_ptr<const dispatch::Launcher>* launcher) {
  driver::Kernel add_parts;
  const Status status = FindHelper(images::hopper_parts, "add_parts", "hopper_add_parts", &add_parts);
  if (!status.ok()) return status;
  launcher->reset(new (std::nothrow)
                      PartsLauncher(row, computed, raster, parts, add_parts, std::move(*launcher)));
  return *launcher != nullptr ? Status() : base::HostMemoryExhausted();
}

}  // namespace gemm::hopper
