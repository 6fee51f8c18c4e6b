#include "hopper/packed.h"

#include <algorithm>
#include <deque>
#include <new>
#include <string>

#include "common/base/status.h"
#include "common/dispatch/cost.h"
#include "common/driver/driver.h"
#include "hopper/copy.h"
#include "hopper/input_maps.h"

namespace gemm::hopper {
namespace {

using dispatch::Device;
using dispatch::KernelRow;
using problem::Normalized;

// The rows worth wrapping, of both types: of each layout one large tile or several, and one or two small ones for products of few tiles.
constexpr const char* kWrapped[] = {
    "kk_128x256x64_s4_c2x1", "kk_256x128x64_s4_c1x2", "kk_128x192x64_s4_c2x1", "kk_128x128x64_s6_c1x1",
    "kk_128x64x64_s8_c1x1",  "kn_128x256x64_s4_c2x1", "kn_128x128x64_s6_c1x1", "kn_128x64x64_s8_c1x1",
    "mk_128x256x64_s4_c2x1", "mk_128x128x64_s6_c1x1", "mn_128x256x64_s4_c2x1", "mn_128x128x64_s6_c1x1",
};

struct Packing {
  Normalized aligned;  // the problem as the wrapped row sees it
  Copy a;
  Copy b;
};

// Describes the copy of `*input`, `rows` rows of `elements`, and turns *input into it. False where it would be too
// large. Leaves alone what TMA can address.
bool PackInput(DataType type, std::int64_t rows, std::int64_t elements, std::int64_t batch,
               problem::Input* input, std::int32_t* address_alignment, Copy* copy) {
  if (TmaTakesInput(*input, type)) return true;
  const std::int64_t matrices = input->batch_stride == 0 ? 1 : batch;
  if (!MakeCopy(rows, elements, input->ld, input->batch_stride, matrices, copy)) return false;
  input->ld = copy->operand.to_ld;
  input->batch_stride = input->batch_stride == 0 ? 0 : copy->operand.to_batch_stride;
  input->alignment = 16;
  input->readable_early = false;  // the copy is the predecessor's work
  *address_alignment = 16;
  return true;
}

bool MakePacking(const Normalized& problem, Packing* packing) {
  packing->aligned = problem;
  Normalized& p = packing->aligned;
  const bool a_is_k_major = p.a.major == problem::Major::kK;
  const bool b_is_k_major = p.b.major == problem::Major::kK;
  return PackInput(p.input_type, a_is_k_major ? p.m : p.k, a_is_k_major ? p.k : p.m, p.batch, &p.a,
                   &p.a_address_alignment, &packing->a) &&
         PackInput(p.input_type, b_is_k_major ? p.n : p.k, b_is_k_major ? p.k : p.n, p.batch, &p.b,
                   &p.b_address_alignment, &packing->b);
}

std::optional<std::string> RejectPacked(const KernelRow& row, const Normalized& problem, const Device& device) {
  Packing packing;
  if (!MakePacking(problem, &packing)) return "a packed copy of A or B would take 2^40 bytes or more";
  if (auto why = row.wraps->family->reject(*row.wraps, packing.aligned, device)) return why;
  if (packing.a.bytes == 0 && packing.b.bytes == 0) return "TMA can address A and B: there is nothing to pack";
  return std::nullopt;
}

double PredictPacked(const KernelRow& row, const Normalized& problem, const Device& device) {
  Packing packing;
  MakePacking(problem, &packing);
  const double copy_us = CopyUs(packing.a.moved_bytes + packing.b.moved_bytes, device);
  return dispatch::kLaunchUs + copy_us + row.wraps->family->predict_us(*row.wraps, packing.aligned, device);
}

std::size_t PackedWorkspaceBytes(const KernelRow& row, const Normalized& problem, const Device& device) {
  Packing packing;
  MakePacking(problem, &packing);
  return packing.a.bytes + packing.b.bytes +
         row.wraps->family->workspace_bytes(*row.wraps, packing.aligned, device);
}

// Workspace: the copy of A, that of B, then what the wrapped row asks for.
class PackedLauncher final : public dispatch::Launcher {
 public:
  PackedLauncher(const Packing& packing, driver::Kernel kernel, bool programmatic,
                 std::unique_ptr<const dispatch::Launcher> product)
      : kernel_(kernel), a_bytes_(packing.a.bytes), b_bytes_(packing.b.bytes), product_(std::move(product)) {
    params_.a = packing.a.operand;
    params_.b = packing.b.operand;
    shape_ = CopyShape(params_, programmatic);
  }

  Status Run(const Arguments& args) const noexcept override {
    PackParams params = params_;
    Arguments packed = args;
    unsigned char* at = static_cast<unsigned char*>(args.workspace);
    Place(args.a, a_bytes_, &at, &params.a, &packed.a);
    Place(args.b, b_bytes_, &at, &params.b, &packed.b);
    packed.workspace = at;
    packed.workspace_size -= a_bytes_ + b_bytes_;
    void* arguments[] = {&params};
    if (Status status = driver::Launch(kernel_, shape_, args.stream, arguments); !status.ok()) return status;
    return product_->Run(packed);
  }

 private:
  static void Place(const void* from, std::size_t bytes, unsigned char** at, PackOperand* operand,
                    const void** packed) noexcept {
    if (bytes == 0) return;
    operand->from = from;
    operand->to = *at;
    *packed = *at;
    *at += bytes;
  }

  driver::Kernel kernel_;
  std::size_t a_bytes_;
  std::size_t b_bytes_;
  std::unique_ptr<const dispatch::Launcher> product_;
  driver::LaunchShape shape_;
  PackParams params_ = {};
};

// The product may start while the packing drains, whatever the options say of the packing's own predecessor: it
// waits for the packing, which has waited for that.
Status PreparePacked(const KernelRow& row, const Normalized& problem, const Device& device,
                     const PlanOptions& options, driver::Kernel kernel,
                     std::unique_ptr<const dispatch::Launcher>* launcher) {
  Packing packing;
  MakePacking(problem, &packing);
  PlanOptions of_product = options;
  of_product.programmatic_launch = true;
  std::unique_ptr<const dispatch::Launcher> product;
  Status status = row.wraps->family->prepare(*row.wraps, packing.aligned, device, of_product, kernel, &product);
  if (!status.ok()) return status;
  driver::Kernel pack;
  if (status = FindCopyKernel(&pack); !status.ok()) return status;
  launcher->reset(new (std::nothrow)
                      PackedLauncher(packing, pack, options.programmatic_launch, std::move(product)));
  return *launcher != nullptr ? Status() : base::HostMemoryExhausted();
}

const dispatch::KernelFamily kPackedFamily = {"hopper", RejectPacked, PredictPacked, PackedWorkspaceBytes,
                                              PreparePacked};

bool IsWrapped(const std::string& name) {
  return std::any_of(std::begin(kWrapped), std::end(kWrapped), [&](const std::string& end) {
    return name == "hopper_bf16_" + end || name == "hopper_fp16_" + end;
  });
}

}  // namespace

std::vector<KernelRow> WithPackedRows(dispatch::KernelTable table) {
  static auto& names = *new std::deque<std::string>;  // of the rows: never moved, never destroyed
  std::vector<KernelRow> rows(table.rows, table.rows + table.count);
  for (std::size_t i = 0; i < table.count; ++i) {
    if (!IsWrapped(table.rows[i].name)) continue;
    KernelRow row = table.rows[i];
    row.name = names.emplace_back(std::string(row.name) + "_packed").c_str();
    row.family = &kPackedFamily;
    row.wraps = &table.rows[i];
    rows.push_back(row);
  }
  return rows;
}

}  // namespace gemm::hopper
