#include "hopper/parts_launcher.h"

#include <new>
#include <utility>

#include "common/base/data_type.h"
#include "common/base/status.h"
#include "common/driver/driver.h"
#include "hopper/add_parts.h"
#include "hopper/hopper_parts.h"
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

bool InPairs(const problem::Output& output, DataType type) {
  return output.alignment % (2 * base::ElementBytes(type)) == 0;
}

class PartsLauncher final : public dispatch::Launcher {
 public:
  PartsLauncher(const dispatch::KernelRow& row, const problem::Normalized& computed, const Raster& raster,
                std::int64_t parts, driver::Kernel add_parts, std::unique_ptr<const dispatch::Launcher> product)
      : add_parts_(add_parts), product_(std::move(product)) {
    const bool transposed = IsTransposed(row);
    const Strides c = StridesOf(computed.c, transposed);
    const Strides d = StridesOf(computed.d, transposed);
    params_.parts = static_cast<unsigned>(parts);
    params_.ctas = static_cast<unsigned>(raster.tiles * row.cluster_m * row.cluster_n);
    params_.tile_m = static_cast<unsigned>(row.tile.m);
    params_.tile_n = static_cast<unsigned>(row.tile.n);
    SetTileOrder(row, raster, &params_);
    params_.m = static_cast<int>(computed.m);
    params_.n = static_cast<int>(computed.n);
    params_.output_type = static_cast<int>(computed.output_type);
    params_.in_pairs =
        !transposed && InPairs(computed.c, computed.output_type) && InPairs(computed.d, computed.output_type)
            ? 1
            : 0;
    params_.c_row_stride = c.row;
    params_.c_column_stride = c.column;
    params_.c_batch_stride = computed.c.batch_stride;
    params_.d_row_stride = d.row;
    params_.d_column_stride = d.column;
    params_.d_batch_stride = computed.d.batch_stride;
    shape_.grid[0] = params_.tile_n / 8;
    shape_.grid[1] = params_.tile_m / (kAddPartsThreads / 2);
    shape_.grid[2] = params_.ctas;
    shape_.block[0] = kAddPartsThreads;
    // Whatever the options say of the product's own predecessor: this kernel waits for the product, which has waited for that.
    shape_.programmatic = true;
  }

  Status Run(const Arguments& args) const noexcept override {
    if (Status status = product_->Run(args); !status.ok()) return status;
    AddPartsParams params = params_;
    params.partials = args.workspace;
    params.scalars = {args.alpha, args.beta, args.alpha_device, args.beta_device};
    params.c_address = args.c;
    params.d_address = args.d;
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

Status AddPartsAfter(const dispatch::KernelRow& row, const problem::Normalized& computed, const Raster& raster,
                     std::int64_t parts, std::unique_ptr<const dispatch::Launcher>* launcher) {
  int ordinal = 0;
  if (Status status = driver::CurrentDevice(&ordinal); !status.ok()) return status;
  driver::Kernel add_parts;
  if (Status status =
          driver::FindKernel(images::hopper_parts, "add_parts", "hopper_add_parts", ordinal, 0, &add_parts);
      !status.ok()) {
    return status;
  }
  launcher->reset(new (std::nothrow)
                      PartsLauncher(row, computed, raster, parts, add_parts, std::move(*launcher)));
  return *launcher != nullptr ? Status() : base::HostMemoryExhausted();
}

}  // namespace gemm::hopper
