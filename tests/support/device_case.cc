#include "tests/support/device_case.h"

#include <cstddef>
#include <utility>

namespace gemm::tests {
namespace {

// "what: sentence", or "" for an OK status.
std::string Complain(const char* what, const Status& status) {
  return status.ok() ? "" : std::string(what) + ": " + status.message();
}

std::string ByteComplaint(const char* name, const DeviceMemory& memory,
                          const std::vector<unsigned char>& image) {
  std::vector<unsigned char> now(memory.size());
  if (Status status = memory.Download(now.data()); !status.ok()) return Complain(name, status);
  if (now == image) return "";
  std::size_t at = 0;
  while (now[at] == image[at]) ++at;
  return std::string(name) + " was written: its byte " + std::to_string(at) + " changed";
}

}  // namespace

DeviceCase::DeviceCase(GuardMode mode)
    : a_(mode), b_(mode), c_(mode), d_(mode), workspace_(mode), scalars_(GuardMode::kZones) {}

std::string DeviceCase::Load(HostCase* host) {
  host_ = host;
  const Case& test_case = host->description();
  const struct {
    const char* name;
    DeviceMemory* memory;
    const std::vector<unsigned char>& image;
    int offset;
  } operands[] = {{"A", &a_, host->a(), test_case.offset_a},
                  {"B", &b_, host->b(), test_case.offset_b},
                  {"C", &c_, host->c(), test_case.offset_c},
                  {"D", &d_, host->d(), test_case.offset_d}};
  for (const auto& operand : operands) {
    Status status = operand.memory->Place(operand.image.size(), 16, static_cast<std::size_t>(operand.offset));
    if (status.ok()) status = operand.memory->Upload(operand.image.data());
    if (!status.ok()) return Complain(operand.name, status);
  }
  const float scalars[2] = {test_case.alpha, test_case.beta};
  Status status = scalars_.Place(sizeof scalars, 16, 4);
  if (status.ok()) status = scalars_.Upload(scalars);
  return Complain("scalars", status);
}

std::string DeviceCase::MakeArguments(std::size_t workspace_bytes, Arguments* arguments) {
  const Case& test_case = host_->description();
  Arguments out;
  out.a = a_.data();
  out.b = b_.data();
  out.c = test_case.c_mode == CMode::kNone      ? nullptr
          : test_case.c_mode == CMode::kInPlace ? d_.data()
                                                : c_.data();
  out.d = d_.data();
  if (test_case.problem.scalars == ScalarMode::kDevice) {
    // What must not be looked at under this mode is wrong.
    out.alpha = out.beta = -77.0f;
    out.alpha_device = static_cast<const float*>(scalars_.data());
    out.beta_device = out.alpha_device + 1;
  } else {
    out.alpha = test_case.alpha;
    out.beta = test_case.beta;
  }
  if (workspace_bytes > 0) {
    if (Status status = workspace_.Place(workspace_bytes, 256, 0); !status.ok())
      return Complain("workspace", status);
    out.workspace = workspace_.data();
    out.workspace_size = workspace_bytes;
  }
  *arguments = out;
  return "";
}

std::string DeviceCase::ResetD() { return Complain("D", d_.Upload(host_->d().data())); }

std::string DeviceCase::DUntouched() const { return ByteComplaint("D", d_, host_->d()); }

std::string DeviceCase::InputsUntouched() const {
  std::string complaint = ByteComplaint("A", a_, host_->a());
  if (complaint.empty()) complaint = ByteComplaint("B", b_, host_->b());
  if (complaint.empty()) complaint = ByteComplaint("C", c_, host_->c());
  return complaint;
}

std::string DeviceCase::ZonesUntouched() const {
  const std::pair<const char*, const DeviceMemory*> all[] = {{"around A", &a_},
                                                             {"around B", &b_},
                                                             {"around C", &c_},
                                                             {"around D", &d_},
                                                             {"around scalars", &scalars_}};
  for (const auto& [name, memory] : all) {
    if (Status status = memory->CheckZones(); !status.ok()) return Complain(name, status);
  }
  return workspace_.data() == nullptr ? "" : Complain("around the workspace", workspace_.CheckZones());
}

std::string DeviceCase::DownloadD(std::vector<unsigned char>* bytes) const {
  bytes->resize(d_.size());
  return Complain("D", d_.Download(bytes->data()));
}

std::string DeviceCase::CheckResult() {
  std::vector<unsigned char> bytes;
  std::string complaint = DownloadD(&bytes);
  if (complaint.empty()) complaint = host_->Complaint(bytes);
  if (complaint.empty()) complaint = InputsUntouched();
  return complaint.empty() ? ZonesUntouched() : complaint;
}

std::string DeviceCase::RunTwiceAndCheck(const Plan& plan) {
  Arguments arguments;
  std::vector<unsigned char> results[2];
  for (std::vector<unsigned char>& result : results) {
    if (std::string complaint = ResetD(); !complaint.empty()) return complaint;
    // Placed anew: the second run finds poison where the first left its sums.
    if (std::string complaint = MakeArguments(plan.workspace_size(), &arguments); !complaint.empty())
      return complaint;
    if (Status status = plan.Run(arguments); !status.ok()) return Complain("Run", status);
    if (Status status = gpu::Synchronize(); !status.ok()) return Complain("after Run", status);
    if (std::string complaint = DownloadD(&result); !complaint.empty()) return complaint;
  }
  if (std::string complaint = CheckResult(); !complaint.empty()) return complaint;
  return results[0] == results[1] ? "" : "the second run gave other bits than the first";
}

std::string DeviceCase::RunMustRefuse(const Plan& plan, StatusCode code, const std::string& reason) {
  Arguments arguments;
  if (std::string complaint = ResetD(); !complaint.empty()) return complaint;
  if (std::string complaint = MakeArguments(plan.workspace_size(), &arguments); !complaint.empty())
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
