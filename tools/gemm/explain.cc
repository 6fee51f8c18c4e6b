// gemm explain: which kernel would run, and why.
#include "common/dispatch/explain.h"

#include <fmt/core.h>

#include <cstdlib>
#include <memory>

#include "common/dispatch/device.h"
#include "common/dispatch/query.h"
#include "common/dispatch/registry.h"
#include "common/dispatch/select.h"
#include "tools/gemm/commands.h"
#include "tools/gemm/exit_code.h"
#include "tools/gemm/flags.h"
#include "tools/gemm/problem_flags.h"

namespace gemm::tool {
namespace {

struct Options {
  ProblemFlags problem;
  std::string device;  // a profile's name or an ordinal; empty: device 0
  PlanOptions plan;    // those fields that have a flag
};

// A profile by name, otherwise a live device by number.
Status FindDevice(const std::string& name, dispatch::Device* device) {
  if (const dispatch::Device* known = dispatch::FindKnownDevice(name)) {
    *device = *known;
    return Status();
  }
  char* end = nullptr;
  const long ordinal = std::strtol(name.c_str(), &end, 10);
  if (!name.empty() && (*end != '\0' || ordinal < 0 || ordinal > 1023)) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("--device is '{}'; allowed are a device's number and the profiles {}", name,
                              dispatch::KnownDeviceNames()));
  }
  Status status = dispatch::QueryDevice(static_cast<int>(ordinal), device);
  if (status.ok() || !name.empty()) return status;
  return Status(status.code(), fmt::format("{}; name a profile with --device: {}", status.message(),
                                           dispatch::KnownDeviceNames()));
}

int Explain(const Options& options) {
  Problem problem;
  Status status = MakeProblem(options.problem, 4096, &problem);
  if (!status.ok()) return Fail(status);
  dispatch::Device device;
  status = FindDevice(options.device, &device);
  if (!status.ok()) return Fail(status);
  problem::Normalized normalized;
  status = problem::Normalize(problem, &normalized);
  if (!status.ok()) return Fail(status);
  problem::Apply(options.plan, &normalized);
  dispatch::SelectOptions select;
  select.kernel = options.plan.kernel;
  select.kernel_origin = "--kernel";
  fmt::print("{}", dispatch::Explain(dispatch::Registry(), normalized, device, select));
  if (normalized.empty()) return kOk;
  dispatch::Selection selection;
  status = dispatch::Select(dispatch::Registry(), normalized, device, select, &selection);
  return status.ok() ? kOk : Fail(status);
}

}  // namespace

void AddExplainCommand(CLI::App* app, Command* command) {
  const auto options = std::make_shared<Options>();
  Subcommand sub(app, "explain", "list every kernel with its predicted time or why it cannot run");
  sub.Footer(
      "Sizes that are not given are 4096. The chosen kernel has a star and comes first; those that cannot run "
      "come last.\n"
      "Example: gemm explain --device h200 --m 64 --n 4096 --k 4096 | grep -v rejected");
  AddProblemFlags(&sub, &options->problem);
  sub.Add("--device", &options->device,
          "number of a device, or a profile, for which no GPU is needed: " + dispatch::KnownDeviceNames())
      .Takes("DEVICE");
  PlanOptions& plan = options->plan;
  sub.Add("--kernel", &plan.kernel, "force this kernel, as PlanOptions::kernel would").Takes("NAME");
  sub.AddSwitch("--programmatic", &plan.programmatic_launch, "for PlanOptions::programmatic_launch");
  sub.AddSwitch("--constant-b", &plan.constant_b, "for PlanOptions::constant_b");
  sub.AddSwitch("--batch-invariant", &plan.batch_invariant, "for PlanOptions::batch_invariant");
  sub.Runs(command, [options] { return Explain(*options); });
}

}  // namespace gemm::tool
