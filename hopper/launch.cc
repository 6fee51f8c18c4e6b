#include "hopper/launch.h"

#include <cstddef>
#include <cstdint>
#include <new>

#include "common/base/math.h"
#include "common/base/nonce.h"
#include "common/driver/driver.h"
#include "hopper/early_operand.h"
#include "hopper/input_maps.h"
#include "hopper/k_parts.h"
#include "hopper/output_maps.h"
#include "hopper/params.h"
#include "hopper/parts_launcher.h"
#include "hopper/raster.h"
#include "hopper/schedule.h"
#include "hopper/tile_order.h"

namespace gemm::hopper {
namespace {

RowsInMemory RowsOf(const problem::Input& input) { return {nullptr, input.ld, input.batch_stride}; }

class TmaLauncher final : public dispatch::Launcher {
 public:
  TmaLauncher(const dispatch::KernelRow& row, const problem::Normalized& computed, const Raster& raster,
              const dispatch::Device& device, const PlanOptions& options, driver::Kernel kernel)
      : kernel_(kernel), inputs_(row, computed), outputs_(row, computed, raster, &params_) {
    params_.m = static_cast<int>(computed.m);
    params_.n = static_cast<int>(computed.n);
    params_.k_steps = static_cast<unsigned>(base::CeilDiv<std::int64_t>(computed.k, row.tile.k));
    params_.last_slices = inputs_.last_slices();
    params_.a_batch_step = computed.a.batch_stride == 0 ? 0 : 1;
    params_.b_batch_step = computed.b.batch_stride == 0 ? 0 : 1;
    params_.early = EarlyOperand(row, computed);
    params_.a_rows = RowsOf(computed.a);
    params_.b_rows = RowsOf(computed.b);
    params_.k = static_cast<int>(computed.k);
    params_.tiles = static_cast<unsigned>(raster.tiles);
    SetTileOrder(row, raster, &params_);
    shape_.block[0] = static_cast<unsigned>(row.threads);
    shape_.shared_bytes = static_cast<unsigned>(row.shared_bytes);
    shape_.programmatic = options.programmatic_launch;
    SetGrid(row, computed, raster, device);
  }

  // Of K, where all tiles are cut alike; else 0.
  unsigned parts() const { return params_.split_k.parts; }

  Status Run(const Arguments& args) const noexcept override {
    Params params = params_;
    params.scalars = {args.alpha, args.beta, args.alpha_device, args.beta_device};
    const bool transposed = params.transposed != 0;
    const void* const a = transposed ? args.b : args.a;
    const void* const b = transposed ? args.a : args.b;
    params.a_rows.address = a;
    params.b_rows.address = b;
    if (Status status = inputs_.Encode(a, b, &params); !status.ok()) return status;
    if (Status status = outputs_.Encode(args.c, args.d, &params); !status.ok()) return status;
    params.stream_k.partials = args.workspace;
    if (flags_at_ != 0) {
      params.stream_k.flags =
          reinterpret_cast<unsigned long long*>(static_cast<char*>(args.workspace) + flags_at_);
      params.stream_k.nonce = base::NextNonce();
    }
    void* arguments[] = {&params};
    return driver::Launch(kernel_, shape_, args.stream, arguments);
  }

 private:
  // And how K is cut, by the row's schedule.
  void SetGrid(const dispatch::KernelRow& row, const problem::Normalized& computed, const Raster& raster,
               const dispatch::Device& device) {
    const auto cluster = static_cast<unsigned>(row.cluster_m * row.cluster_n);
    std::int64_t clusters = raster.clusters;
    shape_.cluster[0] = cluster;
    switch (ScheduleOf(row)) {
      case Schedule::kCooperative:
      case Schedule::kPingpong:
        break;
      case Schedule::kStreamK: {
        const StreamK share = StreamKOf(row, computed, raster, device);
        clusters = share.clusters;
        SetStreamK(share);
        flags_at_ = static_cast<std::size_t>(clusters) * cluster * PartialBytes(row);
        break;
      }
      case Schedule::kSplitK: {
        const std::int64_t parts = SplitKPartsOf(row, computed, raster, device);
        clusters = raster.tiles;
        shape_.cluster[0] *= static_cast<unsigned>(parts);
        SetParts(parts, 0);
        break;
      }
      case Schedule::kParallelSplitK: {
        const std::int64_t parts = ParallelPartsOf(row, computed, raster, device);
        clusters = raster.tiles * parts;
        SetParts(parts, 0);
        params_.stream_k.apart = MakeDivisor(raster.tiles);
        break;
      }
    }
    shape_.grid[0] = static_cast<unsigned>(clusters) * shape_.cluster[0];
  }

  void SetStreamK(const StreamK& share) {
    params_.stream_k.tiles = static_cast<unsigned>(share.tiles);
    params_.stream_k.scatters = share.scatters ? 1 : 0;
    params_.stream_k.apart = MakeDivisor(share.even ? share.tiles : 1);
    if (share.even) SetParts(share.parts, share.finisher_more);
  }

  void SetParts(std::int64_t parts, std::int64_t finisher_more) {
    const auto of_k = static_cast<unsigned>(parts);
    const unsigned steps = params_.k_steps - static_cast<unsigned>(finisher_more);
    params_.split_k = {of_k, steps / of_k, finisher_more > 0 ? 0 : steps % of_k};
  }

  driver::Kernel kernel_;
  driver::LaunchShape shape_;
  Params params_ = {};  // all but the maps, the addresses, the scalars and what lies in workspace
  InputMaps inputs_;
  OutputMaps outputs_;
  std::size_t flags_at_ = 0;  // of stream-K, in workspace
};

}  // namespace

Status PrepareProduct(const dispatch::KernelRow& row, const problem::Normalized& problem,
                      const dispatch::Device& device, const PlanOptions& options, driver::Kernel kernel,
                      std::unique_ptr<const dispatch::Launcher>* launcher, unsigned* parts) {
  const problem::Normalized computed = AsComputed(row, problem);
  const Raster raster = MakeRaster(row, computed, device);
  const auto* made = new (std::nothrow) TmaLauncher(row, computed, raster, device, options, kernel);
  launcher->reset(made);
  if (made == nullptr) return base::HostMemoryExhausted();
  *parts = made->parts();
  return Status();
}

Status Prepare(const dispatch::KernelRow& row, const problem::Normalized& problem,
               const dispatch::Device& device, const PlanOptions& options, driver::Kernel kernel,
               std::unique_ptr<const dispatch::Launcher>* launcher) {
  unsigned parts = 0;
  Status status = PrepareProduct(row, problem, device, options, kernel, launcher, &parts);
  if (!status.ok() || !IsParallelSplitK(row)) return status;
  const problem::Normalized computed = AsComputed(row, problem);
  return AddPartsAfter(row, computed, MakeRaster(row, computed, device), parts, launcher);
}

Status FindHelper(const driver::Image& image, const char* source, const char* symbol, driver::Kernel* kernel) {
  int ordinal = 0;
  if (Status status = driver::CurrentDevice(&ordinal); !status.ok()) return status;
  return driver::FindKernel(image, source, symbol, ordinal, 0, kernel);
}

}  // namespace gemm::hopper
