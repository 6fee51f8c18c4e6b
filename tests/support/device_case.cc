#include "tests/support/device_case.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "tests/support/bytes.h"

namespace gemm::tests {
namespace {

// "what: sentence", or "" for an OK status.
std::string Complain(const char* what, const Status& status) {
  return status.ok() ? "" : std::string(what) + ": " + status.message();
}

// The status of what was enqueued, or else the first error of what was done.
std::string Finish(const char* what, const Status& enqueued) {
  const Status done = gpu::Synchronize();
  return Complain(what, enqueued.ok() ? done : enqueued);
}

}  // namespace

DeviceCase::DeviceCase(GuardMode mode)
    : a_("A", mode),
      b_("B", mode),
      c_("C", mode),
      d_("D", mode),
      scalars_("scalars", GuardMode::kZones),
      workspace_(mode) {}

std::string DeviceCase::Load(HostCase* host) {
  host_ = host;
  const Case& test_case = host->description();
  const float scalars[2] = {test_case.alpha, test_case.beta};
  const auto* scalar_bytes = reinterpret_cast<const unsigned char*>(scalars);
  const struct {
    Operand* operand;
    std::span<const unsigned char> image;
    int offset;
  } loads[] = {{&a_, host->a(), test_case.offset_a},
               {&b_, host->b(), test_case.offset_b},
               {&c_, host->c(), test_case.offset_c},
               {&d_, host->d(), test_case.offset_d},
               {&scalars_, {scalar_bytes, sizeof scalars}, 4}};
  std::size_t total = 0;
  for (const auto& load : loads) {
    DeviceMemory& memory = load.operand->memory;
    Status status = memory.Place(load.image.size(), 16, static_cast<std::size_t>(load.offset));
    if (!status.ok()) return Complain(load.operand->name, status);
    load.operand->at = total;
    total += memory.guarded_size();
  }
  Status status = wanted_.Reserve(total);
  if (status.ok()) status = found_.Reserve(total + d_.memory.size() + 2 * DeviceMemory::kZoneBytes);
  if (!status.ok()) return Complain("host memory", status);
  found_end_ = total;
  std::memset(wanted_.data(), DeviceMemory::kPoison, total);
  for (const auto& load : loads) {
    const Operand& operand = *load.operand;
    std::copy(load.image.begin(), load.image.end(), wanted_.data() + operand.at + operand.memory.before());
    status = load.operand->memory.Upload(wanted_.data() + operand.at, 0, operand.memory.guarded_size());
    if (!status.ok()) return Complain(operand.name, status);
  }
  return Finish("operands", Status());
}

Status DeviceCase::EnqueueReset() {
  const std::size_t before = d_.memory.before();
  return d_.memory.Upload(wanted_.data() + d_.at + before, before, d_.memory.size());
}

std::string DeviceCase::ResetD() { return Finish("D", EnqueueReset()); }

std::string DeviceCase::PlaceWorkspace(std::size_t workspace_bytes, Arguments* arguments) {
  const Case& test_case = host_->description();
  Arguments out;
  out.a = a_.memory.data();
  out.b = b_.memory.data();
  out.d = d_.memory.data();
  out.c = test_case.c_mode == CMode::kNone      ? nullptr
          : test_case.c_mode == CMode::kInPlace ? out.d
                                                : c_.memory.data();
  if (test_case.problem.scalars == ScalarMode::kDevice) {
    // What must not be looked at under this mode is wrong.
    out.alpha = out.beta = -77.0f;
    out.alpha_device = static_cast<const float*>(scalars_.memory.data());
    out.beta_device = out.alpha_device + 1;
  } else {
    out.alpha = test_case.alpha;
    out.beta = test_case.beta;
  }
  if (workspace_bytes > 0) {
    Status status = workspace_.Place(workspace_bytes, 256, 0);
    if (status.ok()) status = workspace_.Poison(0, workspace_.guarded_size());
    if (!status.ok()) return Complain("workspace", status);
    out.workspace = workspace_.data();
    out.workspace_size = workspace_bytes;
  }
  *arguments = out;
  return "";
}

std::string DeviceCase::MakeArguments(std::size_t workspace_bytes, Arguments* arguments) {
  if (std::string complaint = PlaceWorkspace(workspace_bytes, arguments); !complaint.empty()) return complaint;
  return Finish("workspace", Status());
}

Status DeviceCase::EnqueueFetch() {
  for (const Operand* operand : {&a_, &b_, &c_, &d_, &scalars_}) {
    const DeviceMemory& memory = operand->memory;
    if (Status status = memory.Download(found_.data() + operand->at, 0, memory.guarded_size()); !status.ok())
      return status;
  }
  if (workspace_.data() == nullptr) return Status();
  unsigned char* const zones = found_.data() + found_end_;
  Status status = workspace_.Download(zones, 0, workspace_.before());
  if (!status.ok()) return status;
  return workspace_.Download(zones + DeviceMemory::kZoneBytes, workspace_.before() + workspace_.size(),
                             workspace_.behind());
}

std::span<const unsigned char> DeviceCase::FoundBytes(const Operand& operand) const {
  return {found_.data() + operand.at + operand.memory.before(), operand.memory.size()};
}

std::string DeviceCase::BytesComplaint(const Operand& operand) const {
  const std::span<const unsigned char> found = FoundBytes(operand);
  const unsigned char* const wanted = wanted_.data() + operand.at + operand.memory.before();
  const std::size_t at = FirstDifference(found.data(), wanted, found.size());
  if (at == found.size()) return "";
  return std::string(operand.name) + " was written: its byte " + std::to_string(at) + " changed";
}

std::string DeviceCase::FoundComplaint() {
  if (std::string complaint = host_->Complaint(FoundBytes(d_)); !complaint.empty()) return complaint;
  for (const Operand* operand : {&a_, &b_, &c_, &scalars_}) {
    if (std::string complaint = BytesComplaint(*operand); !complaint.empty()) return complaint;
  }
  for (const Operand* operand : {&a_, &b_, &c_, &d_, &scalars_}) {
    const std::span<const unsigned char> bytes = FoundBytes(*operand);
    const unsigned char* const before = bytes.data() - operand->memory.before();
    const std::string complaint = operand->memory.ZoneComplaint(before, bytes.data() + bytes.size());
    if (!complaint.empty()) return std::string("around ") + operand->name + ": " + complaint;
  }
  if (workspace_.data() == nullptr) return "";
  const unsigned char* const zones = found_.data() + found_end_;
  const std::string complaint = workspace_.ZoneComplaint(zones, zones + DeviceMemory::kZoneBytes);
  return complaint.empty() ? "" : "around the workspace: " + complaint;
}

std::string DeviceCase::DownloadD(std::vector<unsigned char>* bytes) {
  unsigned char* const to = found_.data() + d_.at + d_.memory.before();
  std::string complaint = Finish("D", d_.memory.Download(to, d_.memory.before(), d_.memory.size()));
  bytes->assign(to, to + d_.memory.size());
  return complaint;
}

std::string DeviceCase::DUntouched() {
  unsigned char* const to = found_.data() + d_.at + d_.memory.before();
  const std::string complaint = Finish("D", d_.memory.Download(to, d_.memory.before(), d_.memory.size()));
  return complaint.empty() ? BytesComplaint(d_) : complaint;
}

std::string DeviceCase::CheckResult() {
  const std::string complaint = Finish("operands", EnqueueFetch());
  return complaint.empty() ? FoundComplaint() : complaint;
}

std::string DeviceCase::EnqueueRun(const Plan& plan, const Arguments& arguments) {
  if (Status status = EnqueueReset(); !status.ok()) return Complain("D", status);
  return Complain("Run", plan.Run(arguments));
}

// The second run finds poison where the first left D and its sums; the zones around them stay as the first left them.
std::string DeviceCase::EnqueueRuns(const Plan& plan, unsigned char* first_d) {
  Arguments arguments;
  std::string complaint = PlaceWorkspace(plan.workspace_size(), &arguments);
  if (complaint.empty() && first_d != nullptr) {
    complaint = EnqueueRun(plan, arguments);
    if (!complaint.empty()) return complaint;
    complaint = Complain("D", d_.memory.Download(first_d, d_.memory.before(), d_.memory.size()));
    if (complaint.empty() && plan.workspace_size() > 0) {
      complaint = Complain("workspace", workspace_.Poison(workspace_.before(), workspace_.size()));
    }
  }
  if (complaint.empty()) complaint = EnqueueRun(plan, arguments);
  return complaint.empty() ? Complain("operands", EnqueueFetch()) : complaint;
}

std::string DeviceCase::RunAndCheck(const Plan& plan, unsigned char* first_d) {
  std::string complaint = EnqueueRuns(plan, first_d);
  // What the kernel did wrong makes later calls fail: it comes first.
  if (Status status = gpu::Synchronize(); !status.ok()) return Complain("after Run", status);
  return complaint.empty() ? FoundComplaint() : complaint;
}

std::string DeviceCase::RunOnceAndCheck(const Plan& plan) { return RunAndCheck(plan, nullptr); }

std::string DeviceCase::RunTwiceAndCheck(const Plan& plan) {
  unsigned char* const first_d = found_.data() + found_end_ + 2 * DeviceMemory::kZoneBytes;
  std::string complaint = RunAndCheck(plan, first_d);
  if (!complaint.empty()) return complaint;
  const std::span<const unsigned char> second_d = FoundBytes(d_);
  return SameBytes(first_d, second_d.data(), second_d.size()) ? ""
                                                              : "the second run gave other bits than the first";
}

std::string DeviceCase::RunMustRefuse(const Plan& plan, StatusCode code, const std::string& reason) {
  Arguments arguments;
  if (Status status = EnqueueReset(); !status.ok()) return Complain("D", status);
  if (std::string complaint = PlaceWorkspace(plan.workspace_size(), &arguments); !complaint.empty())
    return complaint;
  const Status refusal = plan.Run(arguments);
  if (Status status = gpu::Synchronize(); !status.ok()) return Complain("after a refused Run", status);
  if (refusal.code() != code) {
    return std::string("Run must refuse with ") + Name(code) + ", got " + Name(refusal.code()) + " " +
           refusal.message();
  }
  if (refusal.message().find(reason) == std::string::npos) {
    return "the refusal \"" + refusal.message() + "\" does not give the reason \"" + reason + "\"";
  }
  return DUntouched();
}

}  // namespace gemm::tests
