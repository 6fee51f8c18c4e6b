// gemm explain: which kernel would run, and why.
#include "common/dispatch/explain.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>

#include "common/dispatch/device.h"
#include "common/dispatch/query.h"
#include "common/dispatch/registry.h"
#include "common/dispatch/select.h"
#include "tools/gemm/commands.h"
#include "tools/gemm/exit_code.h"
#include "tools/gemm/flags.h"
#include "tools/gemm/operand_flags.h"
#include "tools/gemm/problem_flags.h"

namespace gemm::tool {
namespace {

struct Options {
  ProblemFlags problem;
  OperandFlags operands;
  std::string device;  // a profile's name or an ordinal; empty: device 0
  PlanOptions plan;    // those fields that have a flag
  std::optional<std::int64_t> max_workspace;
  bool all = false;
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

// The problem that a plan would choose for: where beta is 0 the description of C does not count.
Status FindProblem(const Options& options, problem::Normalized* normalized) {
  Problem problem;
  Status status = MakeProblem(options.problem, 4096, &problem);
  if (status.ok()) status = ApplyOperandFlags(options.operands, &problem);
  if (status.ok()) status = problem::Normalize(problem, options.plan, normalized);
  if (!status.ok()) return status;
  if (options.operands.beta != 0) {
    // As a plan asks for its runs that read C: a row that is forced may be slow at it.
    normalized->reads_c = options.plan.kernel.empty();
    return normalized->c_status;
  }
  normalized->c = normalized->d;
  return Status();
}

// What else the choice depends on, as Plan::Create hands it to the selection; *device loses the SMs beyond max_sms.
Status FindSelectOptions(const Options& options, dispatch::Device* device, dispatch::SelectOptions* select) {
  const auto refuse = [](const char* flag, std::int64_t value) {
    return Status(StatusCode::kInvalidArgument, fmt::format("{} is {}; it must be 0 or more", flag, value));
  };
  if (options.max_workspace.value_or(0) < 0) return refuse("--max-workspace", *options.max_workspace);
  if (options.plan.max_sms < 0) return refuse("--max-sms", options.plan.max_sms);
  select->kernel = options.plan.kernel;
  select->kernel_origin = "--kernel";
  if (options.max_workspace) select->max_workspace = static_cast<std::size_t>(*options.max_workspace);
  dispatch::LimitSms(options.plan.max_sms, device);
  return Status();
}

// The rejected kernels stand last in the table, a line each.
std::string WithoutRejected(const std::string& text) {
  const std::size_t reason = text.find("  rejected: ");
  if (reason == std::string::npos) return text;
  const std::size_t begin = text.rfind('\n', reason) + 1;
  return fmt::format("{}{} kernels cannot run it; --all lists them with the reasons\n", text.substr(0, begin),
                     std::count(text.begin() + static_cast<std::ptrdiff_t>(begin), text.end(), '\n'));
}

std::string CText(const problem::Normalized& problem) {
  const bool as_d = problem.c.col_stride == 1;
  return fmt::format("C=ld{}/align{}{}", as_d ? problem.c.row_stride : problem.c.col_stride,
                     problem.c.alignment, as_d ? "" : ", in another layout than D");
}

int Explain(const Options& options) {
  problem::Normalized problem;
  Status status = FindProblem(options, &problem);
  dispatch::Device device;
  if (status.ok()) status = FindDevice(options.device, &device);
  dispatch::SelectOptions select;
  if (status.ok()) status = FindSelectOptions(options, &device, &select);
  if (!status.ok()) return Fail(status);
  const std::string text = dispatch::Explain(dispatch::Registry(), problem, device, select);
  if (options.operands.beta != 0) fmt::print("with beta != 0, which reads {}:\n", CText(problem));
  fmt::print("{}", options.all ? text : WithoutRejected(text));
  if (problem.empty()) return kOk;
  dispatch::Selection selection;
  status = dispatch::Select(dispatch::Registry(), problem, device, select, &selection);
  return status.ok() ? kOk : Fail(status);
}

}  // namespace

void AddExplainCommand(CLI::App* app, Command* command) {
  const auto options = std::make_shared<Options>();
  Subcommand sub(app, "explain", "list the kernels with their predicted times, or why they cannot run");
  sub.Footer(
      "Sizes that are not given are 4096. The chosen kernel has a star; the fastest comes first. "
      "docs/kernel_names.md says what the names mean.\n"
      "Example: gemm explain --device h200 --m 64 --n 4096 --k 4096 --max-workspace 0");
  AddProblemFlags(&sub, &options->problem);
  AddOperandFlags(&sub, &options->operands);
  sub.Add("--device", &options->device,
          "number of a device, or a profile, for which no GPU is needed: " + dispatch::KnownDeviceNames())
      .Takes("DEVICE");
  PlanOptions& plan = options->plan;
  sub.Add("--kernel", &plan.kernel, "force this kernel, as PlanOptions::kernel would").Takes("NAME");
  sub.AddSwitch("--all", &options->all, "also list the kernels that cannot run it, each with the reason");
  sub.Add("--max-workspace", &options->max_workspace, "for PlanOptions::max_workspace (default: no limit)")
      .Takes("BYTES")
      .Integer();
  sub.Add("--max-sms", &plan.max_sms, "for PlanOptions::max_sms (default 0: all)").Takes("COUNT").Integer();
  sub.AddSwitch("--programmatic", &plan.programmatic_launch, "for PlanOptions::programmatic_launch");
  sub.AddSwitch("--constant-b", &plan.constant_b, "for PlanOptions::constant_b");
  sub.AddSwitch("--batch-invariant", &plan.batch_invariant, "for PlanOptions::batch_invariant");
  sub.Runs(command, [options] { return Explain(*options); });
}

}  // namespace gemm::tool
