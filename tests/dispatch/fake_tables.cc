#include "tests/dispatch/fake_tables.h"

#include <atomic>
#include <iterator>
#include <memory>

#include "common/dispatch/cost.h"

namespace gemm::fake {
namespace {

using dispatch::Device;
using dispatch::KernelRow;
using problem::Normalized;

thread_local LaunchRecord last_launch;
std::atomic<std::size_t> launchers_made{0};
std::atomic<std::size_t> predictions{0};

enum Variant { kPlain, kSplit };

constexpr char kPtx[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry FakeKernel()\n{\n  ret;\n}\n";
constexpr driver::Code kCodes[] = {{"fake", "compute_80", kPtx, sizeof(kPtx) - 1, true}};
constexpr driver::Image kImage = {"fake", kCodes, std::size(kCodes)};

class FakeLauncher final : public dispatch::Launcher {
 public:
  FakeLauncher(const KernelRow& row, driver::Kernel kernel, bool programmatic) : row_(row), kernel_(kernel) {
    shape_.block[0] = static_cast<unsigned>(row.threads);
    shape_.programmatic = programmatic;
  }

  Status Run(const Arguments& args) const noexcept override {
    last_launch = {row_.name, args};
    return driver::Launch(kernel_, shape_, args.stream, nullptr);
  }

 private:
  const KernelRow& row_;
  const driver::Kernel kernel_;
  driver::LaunchShape shape_;
};

std::optional<std::string> RejectAny(const KernelRow&, const Normalized&, const Device&) {
  return std::nullopt;
}

std::optional<std::string> RejectAmpere(const KernelRow&, const Normalized& p, const Device&) {
  if (p.input_type == DataType::kFP32) return "its inputs are fp16 or bf16";
  if (p.compute != ComputeType::kTensor) return "it computes on tensor cores";
  return std::nullopt;
}

std::optional<std::string> RejectHopper(const KernelRow& row, const Normalized& p, const Device& device) {
  if (device.compute_capability() != 90) return "it needs compute capability 9.0";
  if (auto reason = RejectAmpere(row, p, device)) return reason;
  if (p.k == 0) return "K = 0 leaves TMA nothing to load";
  if (p.a.alignment < 16 || p.b.alignment < 16 || p.d.alignment < 16) return "TMA needs 16-byte alignment";
  if (p.c.alignment < 16 || p.c.col_stride != 1) return "TMA reads C only as it writes D";
  if (row.variant == kSplit && p.k < 8192) return "K is below 8192";
  if (row.variant == kSplit && p.reads_c) return "it would read C slowly";
  return std::nullopt;
}

double Predict(const KernelRow& row, const Normalized& p, const Device& device, double flop_per_sm_clock) {
  ++predictions;
  dispatch::TiledCost cost;
  cost.tile = row.tile;
  cost.stages = row.stages;
  cost.flop_per_sm_clock = flop_per_sm_clock;
  const double us = dispatch::PredictTiled(cost, p, device).total();
  return row.variant == kSplit ? us / 2 : us;
}

double PredictHopper(const KernelRow& row, const Normalized& p, const Device& device) {
  return Predict(row, p, device, kWgmmaFlopPerSmClock);
}
double PredictAmpere(const KernelRow& row, const Normalized& p, const Device& device) {
  return Predict(row, p, device, 0.6 * dispatch::MmaSyncFlopPerSmClock(device));
}
double PredictSimt(const KernelRow& row, const Normalized& p, const Device& device) {
  return Predict(row, p, device, 0.6 * dispatch::Fp32FlopPerSmClock(device));
}

std::size_t Workspace(const KernelRow& row, const Normalized&, const Device&) {
  return row.variant == kSplit ? kSplitWorkspace : 0;
}

Status Prepare(const KernelRow& row, const Normalized&, const Device&, const PlanOptions& options,
               driver::Kernel kernel, std::unique_ptr<const dispatch::Launcher>* launcher) {
  ++launchers_made;
  *launcher = std::make_unique<FakeLauncher>(row, kernel, options.programmatic_launch);
  return Status();
}

constexpr dispatch::KernelFamily kHopper = {"hopper", RejectHopper, PredictHopper, Workspace, Prepare, true};
constexpr dispatch::KernelFamily kAmpere = {"ampere", RejectAmpere, PredictAmpere, Workspace, Prepare};
constexpr dispatch::KernelFamily kSimt = {"simt", RejectAny, PredictSimt, Workspace, Prepare};

constexpr KernelRow MakeRow(const char* name, const dispatch::KernelFamily& family, dispatch::Tile tile,
                            int stages, Variant variant) {
  return {name,
          &family,
          &kImage,
          "fake",
          "FakeKernel",
          DataType::kBF16,
          problem::Major::kK,
          problem::Major::kK,
          tile,
          stages,
          1,
          1,
          128,
          0,
          variant};
}

constexpr KernelRow kHopperRows[] = {
    MakeRow("hopper_fake_128x256", kHopper, {128, 256, 64}, 4, kPlain),
    MakeRow("hopper_fake_64x64", kHopper, {64, 64, 64}, 6, kPlain),
    MakeRow("hopper_fake_split", kHopper, {128, 256, 64}, 4, kSplit),
};
constexpr KernelRow kAmpereRows[] = {
    MakeRow("ampere_fake_128x128", kAmpere, {128, 128, 32}, 4, kPlain),
    MakeRow("ampere_fake_64x64", kAmpere, {64, 64, 32}, 4, kPlain),
};
constexpr KernelRow kSimtRows[] = {MakeRow("simt_fake_any", kSimt, {64, 64, 16}, 2, kPlain)};

}  // namespace

const LaunchRecord& LastLaunch() { return last_launch; }

std::size_t LaunchersMade() { return launchers_made; }
std::size_t Predictions() { return predictions; }

}  // namespace gemm::fake

namespace gemm::dispatch {

KernelTable HopperKernels() { return {fake::kHopperRows, std::size(fake::kHopperRows)}; }
KernelTable AmpereKernels() { return {fake::kAmpereRows, std::size(fake::kAmpereRows)}; }
KernelTable SimtKernels() { return {fake::kSimtRows, std::size(fake::kSimtRows)}; }

}  // namespace gemm::dispatch
