#include "hopper/skinny/launch.h"

#include <algorithm>
#include <new>

#include "common/base/data_type.h"
#include "hopper/clusters.h"
#include "hopper/input_maps.h"
#include "hopper/reject.h"
#include "hopper/skinny/params.h"
#include "hopper/skinny/split.h"
#include "hopper/tensor_maps.h"
#include "hopper/tile_order.h"

namespace gemm::hopper::skinny {
namespace {

OutputAt At(const problem::Output& output, bool wide_is_b) {
  return {wide_is_b ? output.col_stride : output.row_stride, wide_is_b ? output.row_stride : output.col_stride,
          output.batch_stride};
}

// The rows of the wide operand, taken `count` at a time from a multiple of `count`, are contiguous in the output and as far
// from its address as a multiple of their size.
bool InRuns(const OutputAt& at, std::int64_t count) {
  return at.wide_stride == 1 && at.narrow_stride % count == 0 && at.batch_stride % count == 0;
}

bool IsAligned(const void* address, std::int64_t bytes) {
  return reinterpret_cast<std::uintptr_t>(address) % static_cast<std::uintptr_t>(bytes) == 0;
}

// How long memory takes to bring `bytes`, in cycles of the SMs.
int EarlyCycles(double bytes, const dispatch::Device& device) {
  if (device.memory_bandwidth_gbs <= 0) return 0;
  constexpr double kMost = 1e6;
  return static_cast<int>(std::min(bytes / (device.memory_bandwidth_gbs * 1e3) * device.sm_clock_mhz, kMost));
}

class SkinnyLauncher final : public dispatch::Launcher {
 public:
  SkinnyLauncher(const dispatch::KernelRow& row, const problem::Normalized& problem,
                 const dispatch::Device& device, const PlanOptions& options, driver::Kernel kernel)
      : kernel_(kernel), quad_bytes_(4 * base::ElementBytes(problem.output_type)) {
    const Split split = SplitOf(row, problem, device);
    wide_is_b_ = split.wide_is_b;
    const problem::Input& wide = wide_is_b_ ? problem.b : problem.a;
    const problem::Input& narrow = wide_is_b_ ? problem.a : problem.b;
    const std::int64_t wide_loaded =
        wide.major == problem::Major::kMN ? split.wide_box : std::min(split.wide_rows, split.wide_box);
    wide_ = InputShape(problem, wide, split.wide_rows, wide_loaded);
    narrow_ = InputShape(problem, narrow, split.narrow_rows, split.narrow_box);
    params_.d_at = At(problem.d, wide_is_b_);
    params_.c_at = At(problem.c, wide_is_b_);
    d_in_quads_ = InRuns(params_.d_at, 4);
    c_in_quads_ = InRuns(params_.c_at, 4);
    d_in_units_ = base::ElementBytes(problem.output_type) == 2 && InRuns(params_.d_at, 8) &&
                  split.wide_rows % 8 == 0 && split.wide_box % 8 == 0;
    c_in_units_ = InRuns(params_.c_at, 8);
    params_.split = static_cast<unsigned>(split.cluster);
    params_.split_log2 = Log2(params_.split);
    params_.k_each = static_cast<unsigned>(split.k_steps / split.cluster);
    params_.k_rest = static_cast<unsigned>(split.k_steps % split.cluster);
    params_.per_matrix = MakeDivisor(split.tiles_narrow * split.tiles_wide);
    params_.bands = MakeBands(split.tiles_narrow, split.tiles_wide, split.band);
    params_.tiles = static_cast<unsigned>(split.tiles);
    params_.wide_rows = static_cast<int>(split.wide_rows);
    params_.narrow_rows = static_cast<int>(split.narrow_rows);
    params_.wide_box = static_cast<int>(split.wide_box);
    params_.wide_loaded = static_cast<int>(wide_loaded);
    params_.narrow_box = static_cast<int>(split.narrow_box);
    params_.wide_batch_step = wide.batch_stride == 0 ? 0 : 1;
    params_.narrow_batch_step = narrow.batch_stride == 0 ? 0 : 1;
    params_.wide_early = wide.readable_early ? 1 : 0;  // an early narrow operand is too little to gain from
    params_.early_cycles = EarlyCycles(
        2.0 * row.tile.k * static_cast<double>(wide_loaded * split.clusters * split.cluster), device);
    params_.output_type = static_cast<int>(problem.output_type);
    shape_.grid[0] = static_cast<unsigned>(split.clusters * split.cluster);
    shape_.block[0] = static_cast<unsigned>(row.threads);
    shape_.cluster[0] = static_cast<unsigned>(split.cluster);
    shape_.shared_bytes = static_cast<unsigned>(row.shared_bytes);
    shape_.programmatic = options.programmatic_launch;
  }

  Status Run(const Arguments& args) const noexcept override {
    Params params = params_;
    params.d = args.d;
    params.c = args.c;
    const bool reads_c = args.c != nullptr;
    params.whole_quads = d_in_quads_ && IsAligned(args.d, quad_bytes_) &&
                         (!reads_c || (c_in_quads_ && IsAligned(args.c, quad_bytes_)));
    params.whole_units =
        d_in_units_ && IsAligned(args.d, 16) && (!reads_c || (c_in_units_ && IsAligned(args.c, 16)));
    params.scalars = {args.alpha, args.beta, args.alpha_device, args.beta_device};
    const void* const wide = wide_is_b_ ? args.b : args.a;
    const void* const narrow = wide_is_b_ ? args.a : args.b;
    if (Status status = EncodeMap(wide_, wide, &params.wide); !status.ok()) return status;
    if (Status status = EncodeMap(narrow_, narrow, &params.narrow); !status.ok()) return status;
    void* arguments[] = {&params};
    return driver::Launch(kernel_, shape_, args.stream, arguments);
  }

 private:
  driver::Kernel kernel_;
  std::int64_t quad_bytes_;  // of four elements of C and D
  bool d_in_quads_;          // what Params' whole_quads and whole_units ask of the strides
  bool c_in_quads_;
  bool d_in_units_;
  bool c_in_units_;
  bool wide_is_b_;
  driver::LaunchShape shape_;
  driver::TensorMapShape wide_;
  driver::TensorMapShape narrow_;
  Params params_ = {};  // all but the maps, the addresses and the scalars
};

}  // namespace

std::optional<std::string> Reject(const dispatch::KernelRow& row, const problem::Normalized& problem,
                                  const dispatch::Device& device) {
  if (auto why = RejectInputs(row, problem, device)) return why;
  if (row.variant != 0 && !CanSplitBy(row.variant, row, problem, device)) {
    return "K = " + std::to_string(problem.k) + " cannot be shared by " + std::to_string(row.variant) + " CTAs";
  }
  if (SplitBy(1, row, problem, device).tiles > kExtentLimit) {
    return "D has more than " + std::to_string(kExtentLimit) + " tiles";
  }
  return std::nullopt;
}

Status Prepare(const dispatch::KernelRow& row, const problem::Normalized& problem,
               const dispatch::Device& device, const PlanOptions& options, driver::Kernel kernel,
               std::unique_ptr<const dispatch::Launcher>* launcher) {
  launcher->reset(new (std::nothrow) SkinnyLauncher(row, problem, device, options, kernel));
  return *launcher != nullptr ? Status() : base::HostMemoryExhausted();
}

}  // namespace gemm::hopper::skinny
