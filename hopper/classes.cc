#include "hopper/classes.h"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <new>
#include <string>
#include <utility>

#include "common/base/math.h"
#include "common/base/status.h"
#include "common/dispatch/cost.h"
#include "common/driver/driver.h"
#include "hopper/add_classes.h"
#include "hopper/copy.h"
#include "hopper/hopper_parts.h"
#include "hopper/input_maps.h"
#include "hopper/launch.h"
#include "hopper/output.h"
#include "hopper/parts_launcher.h"
#include "hopper/raster.h"
#include "hopper/schedule.h"
#include "hopper/tensor_maps.h"
#include "hopper/tile_order.h"

namespace gemm::hopper {
namespace {

using dispatch::Device;
using dispatch::KernelRow;
using problem::Normalized;

constexpr int kUnit = kPackVectorElements;  // of 16 bytes

// How B's rows are dealt.
struct Classes {
  unsigned count_log2 = 0;
  ClassesOfK k;  // where B starts at a multiple of 16 bytes; else `first` grows by what is missing to the next
  Copy a;
  Normalized aligned;  // the problem as the wrapped row sees it

  std::int64_t count() const { return std::int64_t{1} << count_log2; }
};

// Of rows `ld` elements apart: how many of them start differently.
unsigned CountLog2(std::int64_t ld) {
  unsigned log2 = 0;
  while ((ld << log2) % kUnit != 0) ++log2;
  return log2;
}

// The smaller of the two steps that go with `ld`: ld + step is a multiple of 8.
int StepOf(std::int64_t ld) {
  const int beyond = static_cast<int>(ld % kUnit);
  return beyond < kUnit / 2 ? -beyond : kUnit - beyond;
}

// What each class takes of K but for how much; `alignment` is that of B's address, in bytes.
ClassesOfK MakeClassesOfK(std::int64_t ld, unsigned count_log2, std::int32_t alignment) {
  ClassesOfK k = {};
  k.step = count_log2 == 0 ? 0 : StepOf(ld);
  const int span = ((1 << count_log2) - 1) * std::abs(k.step);
  k.first = k.step < 0 ? base::RoundUp(span, kUnit) : 0;
  const int to_a_unit = static_cast<int>((16 - std::min(alignment, 16)) / kCopyElementBytes);
  k.left = (k.step < 0 ? k.first : span) + to_a_unit;
  return k;
}

// Up to so many rows the kernels that stream B past a few rows (ampere/few) were faster at all seven products that these rows had been chosen
// for, by 4 to 17% (H200s, 2026-11-30): they need no copies and no second kernel.
constexpr std::int64_t kFewRows = 8;

// Of a problem whose A and B have rows along K. The reason why it is none, or nullopt.
std::optional<std::string> MakeClasses(const Normalized& problem, Classes* classes) {
  if (TmaTakesInput(problem.b, problem.input_type)) return "TMA can address B as it lies";
  if (problem.batch != 1) return "it takes no batches";
  if (problem.m <= kFewRows) return "up to " + std::to_string(kFewRows) + " rows other kernels are faster";
  classes->count_log2 = CountLog2(problem.b.ld);
  classes->k = MakeClassesOfK(problem.b.ld, classes->count_log2, problem.b_address_alignment);
  const std::int64_t count = classes->count();
  if (problem.b.ld >= kStrideLimit / kCopyElementBytes / count) {
    return "the rows of a class are 2^40 bytes apart or more, which TMA cannot address";
  }
  if (problem.n % count != 0) {
    return "N is no multiple of " + std::to_string(count) +
           ", so that its classes of B's rows would have unlike numbers of rows";
  }
  const std::int64_t taken = problem.k - classes->k.left;
  if (taken <= 0) {
    return "K is " + std::to_string(classes->k.left) +
           " or less, all of which its second kernel would multiply";
  }
  classes->k.taken = static_cast<int>(taken);
  if (!MakeCopy(problem.m, taken, problem.a.ld, classes->k.step, count, &classes->a)) {
    return "its copies of A would take 2^40 bytes or more";
  }
  Normalized& aligned = classes->aligned;
  aligned = problem;
  aligned.batch = count;
  aligned.n = problem.n / count;
  aligned.k = taken;
  aligned.a.ld = classes->a.operand.to_ld;
  aligned.a.batch_stride = count == 1 ? 0 : classes->a.operand.to_batch_stride;
  aligned.a.readable_early = false;  // the copies are the predecessor's work
  // The copies' kernel lets the product begin when it has waited for its predecessor, and leaves B alone. That the predecessor's writes are then
  // visible without a wait of the product's own, PTX does not say; they lie in the L2, from which the copy engine reads.
  aligned.b.readable_early = true;
  aligned.b.ld = problem.b.ld * count;
  aligned.b.batch_stride = count == 1 ? 0 : problem.b.ld + classes->k.step;
  aligned.a.alignment = aligned.b.alignment = 16;
  aligned.a_address_alignment = aligned.b_address_alignment = 16;
  return std::nullopt;
}

Classes ClassesOf(const Normalized& problem) {
  Classes classes;
  MakeClasses(problem, &classes);
  return classes;
}

Raster RasterOf(const KernelRow& wrapped, const Classes& classes, const Device& device) {
  return MakeRaster(wrapped, AsComputed(wrapped, classes.aligned), device);
}

std::optional<std::string> RejectClasses(const KernelRow& row, const Normalized& problem,
                                         const Device& device) {
  const KernelRow& wrapped = *row.wraps;
  const bool along_k = problem.a.major == problem::Major::kK && problem.b.major == problem::Major::kK;
  const bool is_too_long = problem.k > kExtentLimit || problem.n > kExtentLimit;
  // The wrapped row has the reason.
  if (!along_k || problem.k == 0 || is_too_long) return wrapped.family->reject(wrapped, problem, device);
  Classes classes;
  if (auto why = MakeClasses(problem, &classes)) return why;
  if (auto why = wrapped.family->reject(wrapped, classes.aligned, device)) return why;
  const Raster raster = RasterOf(wrapped, classes, device);
  if (raster.tiles / classes.count() > kGridLimit) {
    return "a class has more than " + std::to_string(kGridLimit) + " tiles, the CTAs of a grid along z";
  }
  return std::nullopt;
}

// What it takes beside the copies and the wrapped row, whose predicted time has one round of tiles and adds parts up: microseconds.
struct ClassesCost {
  double fixed_us = -0.5;  // the product begins while the copies are under way
  double store_us = 3.3;   // of 10^6 elements of D, by the second kernel
  double left_us = 0.22;   // the same for each element of K that it multiplies
  double round_us = 3.6;   // of each round of tiles behind the first
};

double PredictClasses(const KernelRow& row, const Normalized& problem, const Device& device) {
  constexpr ClassesCost kCost;
  const Classes classes = ClassesOf(problem);
  const Raster raster = RasterOf(*row.wraps, classes, device);
  const auto rounds =
      static_cast<double>(base::CeilDiv(raster.tiles, std::max<std::int64_t>(raster.resident, 1)));
  const double elements = 1e-6 * static_cast<double>(problem.m) * static_cast<double>(problem.n);
  return dispatch::kLaunchUs + CopyUs(classes.a.moved_bytes, device) +
         row.wraps->family->predict_us(*row.wraps, classes.aligned, device) + kCost.fixed_us +
         elements * (kCost.store_us + kCost.left_us * classes.k.left) + (rounds - 1) * kCost.round_us;
}

std::size_t ClassesWorkspaceBytes(const KernelRow& row, const Normalized& problem, const Device& device) {
  const Classes classes = ClassesOf(problem);
  return classes.a.bytes + row.wraps->family->workspace_bytes(*row.wraps, classes.aligned, device);
}

// Elements from `address` to the next multiple of 16 bytes.
int ElementsToAUnit(const void* address) {
  const auto bytes = reinterpret_cast<std::uintptr_t>(address) % 16;
  return static_cast<int>((16 - bytes) % 16 / kCopyElementBytes);
}

const void* ElementsBeyond(const void* address, std::int64_t elements) {
  return static_cast<const unsigned char*>(address) + elements * kCopyElementBytes;
}

// Workspace: the copies of A, then the partial sums.
class ClassesLauncher final : public dispatch::Launcher {
 public:
  struct Kernels {
    driver::Kernel copy;
    driver::Kernel add;
  };

  ClassesLauncher(const KernelRow& product_row, const Normalized& problem, const Classes& classes,
                  const Device& device, bool programmatic, const Kernels& kernels,
                  std::unique_ptr<const dispatch::Launcher> product, unsigned parts)
      : kernels_(kernels), a_bytes_(classes.a.bytes), product_(std::move(product)) {
    copy_params_.a = classes.a.operand;
    copy_shape_ = CopyShape(copy_params_, programmatic);
    SetAdding(product_row, problem, classes, device, parts);
  }

  Status Run(const Arguments& args) const noexcept override {
    const int first = add_params_.k.first + ElementsToAUnit(args.b);
    auto* const copies = static_cast<unsigned char*>(args.workspace);
    PackParams copy = copy_params_;
    copy.a.from = ElementsBeyond(args.a, first);
    copy.a.to = copies;
    void* copy_arguments[] = {&copy};
    if (Status status = driver::Launch(kernels_.copy, copy_shape_, args.stream, copy_arguments); !status.ok()) {
      return status;
    }
    Arguments of_product = args;
    of_product.a = copies;
    of_product.b = ElementsBeyond(args.b, first);
    of_product.workspace = copies + a_bytes_;
    of_product.workspace_size -= a_bytes_;
    if (Status status = product_->Run(of_product); !status.ok()) return status;
    return Add(args, first, of_product.workspace);
  }

 private:
  void SetAdding(const KernelRow& row, const Normalized& problem, const Classes& classes, const Device& device,
                 unsigned parts) {
    const Raster raster = RasterOf(row, classes, device);
    AddClassesParams& params = add_params_;
    params.tiles = PartialTilesOf(row, raster, parts);
    SetTileOrder(row, raster, &params);
    params.classes_log2 = classes.count_log2;
    params.transposed = IsTransposed(row) ? 1 : 0;
    params.k = classes.k;
    params.input_type = static_cast<int>(problem.input_type);
    params.a_ld = problem.a.ld;
    params.b_ld = problem.b.ld;
    params.rows_of_b_class = static_cast<int>(classes.aligned.n);
    SumsOutput& output = params.output;
    output.m = static_cast<int>(problem.m);
    output.n = static_cast<int>(problem.n);
    output.output_type = static_cast<int>(problem.output_type);
    output.in_pairs = InPairs(problem) ? 1 : 0;
    output.c_row_stride = problem.c.row_stride;
    output.d_row_stride = problem.d.row_stride;
    output.c_column_stride = output.d_column_stride = 1;
    add_shape_.grid[0] = params.tiles.tile_n / kAddPartsColumns;
    add_shape_.grid[1] = params.tiles.tile_m / kAddPartsRows;
    add_shape_.grid[2] = static_cast<unsigned>(raster.tiles_m * raster.tiles_n);
    add_shape_.block[0] = kAddPartsThreads << classes.count_log2;
    // It waits for the product, which has waited for the copies, which have waited for what the options say.
    add_shape_.programmatic = true;
  }

  Status Add(const Arguments& args, int first, const void* partials) const noexcept {
    AddClassesParams params = add_params_;
    params.tiles.partials = partials;
    params.k.first = first;
    params.a_address = args.a;
    params.b_address = args.b;
    params.output.c_address = args.c;
    params.output.d_address = args.d;
    params.scalars = {args.alpha, args.beta, args.alpha_device, args.beta_device};
    void* arguments[] = {&params};
    return driver::Launch(kernels_.add, add_shape_, args.stream, arguments);
  }

  Kernels kernels_;
  std::size_t a_bytes_;
  std::unique_ptr<const dispatch::Launcher> product_;
  driver::LaunchShape copy_shape_;
  driver::LaunchShape add_shape_;
  PackParams copy_params_ = {};       // all but the addresses
  AddClassesParams add_params_ = {};  // all but the addresses and the scalars; k.first is Classes'
};

Status FindKernels(ClassesLauncher::Kernels* kernels) {
  if (Status status = FindCopyKernel(&kernels->copy); !status.ok()) return status;
  return FindHelper(images::hopper_parts, "add_classes", "hopper_add_classes", &kernels->add);
}

Status PrepareClasses(const KernelRow& row, const Normalized& problem, const Device& device,
                      const PlanOptions& options, driver::Kernel kernel,
                      std::unique_ptr<const dispatch::Launcher>* launcher) {
  const Classes classes = ClassesOf(problem);
  PlanOptions of_product = options;
  of_product.programmatic_launch = true;
  std::unique_ptr<const dispatch::Launcher> product;
  unsigned parts = 0;
  Status status = PrepareProduct(*row.wraps, classes.aligned, device, of_product, kernel, &product, &parts);
  if (!status.ok()) return status;
  ClassesLauncher::Kernels kernels;
  if (status = FindKernels(&kernels); !status.ok()) return status;
  launcher->reset(new (std::nothrow) ClassesLauncher(
      *row.wraps, problem, classes, device, options.programmatic_launch, kernels, std::move(product), parts));
  return *launcher != nullptr ? Status() : base::HostMemoryExhausted();
}

const dispatch::KernelFamily kClassesFamily = {"hopper", RejectClasses, PredictClasses, ClassesWorkspaceBytes,
                                               PrepareClasses};

// The second kernel numbers tiles as CTAs without a cluster do. 64x80 is predicted too fast where two such tiles lie beside each other: with
// it the choice loses 2.4% to the fastest row timed, without 2.2%, of 181 products (H200s, 2026-11-30).
bool IsWrapped(const KernelRow& row) {
  const bool is_smallest = row.tile.m == 64 && row.tile.n == 80;
  return IsParallelSplitK(row) && !StartsAnywhere(row) && row.a_major == problem::Major::kK &&
         row.b_major == problem::Major::kK && row.cluster_m * row.cluster_n == 1 && !is_smallest;
}

}  // namespace

std::vector<KernelRow> ClassRows(dispatch::KernelTable table) {
  static auto& wrapped = *new std::deque<KernelRow>;  // never moved, never destroyed, as the names
  static auto& names = *new std::deque<std::string>;
  std::vector<KernelRow> rows;
  for (std::size_t i = 0; i < table.count; ++i) {
    if (!IsWrapped(table.rows[i])) continue;
    KernelRow& product = wrapped.emplace_back(table.rows[i]);
    product.variant |= kAnyPartsRow;
    KernelRow row = product;
    row.name = names.emplace_back(std::string(row.name) + "_classes").c_str();
    row.family = &kClassesFamily;
    row.wraps = &product;
    rows.push_back(row);
  }
  return rows;
}

}  // namespace gemm::hopper
