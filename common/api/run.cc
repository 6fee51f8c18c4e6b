// Plan::Run: checks, then the launcher. What it does on every call is what an engine pays thousands of times a
// second.
#include <cstdint>
#include <string>
#include <utility>

#include "common/api/guard.h"
#include "common/api/plan_state.h"
#include "common/base/data_type.h"
#include "common/base/status.h"
#include "common/driver/driver.h"

namespace gemm::api {
namespace {

constexpr std::uintptr_t kWorkspaceAlignment = 256;

bool IsMultiple(const void* address, std::uintptr_t alignment) {
  return (reinterpret_cast<std::uintptr_t>(address) & (alignment - 1)) == 0;
}

std::string Hex(const void* address) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (auto rest = reinterpret_cast<std::uintptr_t>(address); rest != 0; rest /= 16) {
    out.insert(out.begin(), kDigits[rest % 16]);
  }
  return "0x" + (out.empty() ? "0" : out);
}

// `name` is "a" for args.a and problem.a. Gemm() replaces the caller's promise, but by no less than an element.
[[gnu::cold, gnu::noinline]] Status AddressError(const char* name, const void* address, std::int32_t alignment,
                                                 DataType type) {
  return Guarded([&] {
    if (address == nullptr) {
      return base::InvalidArgument("args.", name, " is null; it must be a device address");
    }
    const std::string whose = alignment == base::ElementBytes(type)
                                  ? "of an element"
                                  : base::Concat("that problem.", name, ".alignment promises");
    return base::InvalidArgument("args.", name, " is ", Hex(address), ", which is no multiple of the ",
                                 alignment, " bytes ", whose);
  });
}

[[gnu::cold, gnu::noinline]] Status ScalarError(const char* name, const void* address) {
  return Guarded([&] {
    return base::InvalidArgument(
        "args.", name, " is ", address == nullptr ? "null" : Hex(address),
        "; under ScalarMode::kDevice it must be the address of a float in device memory, a "
        "multiple of 4");
  });
}

[[gnu::cold, gnu::noinline]] Status WorkspaceError(const PlanState& plan, const Arguments& args) {
  return Guarded([&] {
    const auto needed = plan.workspace_bytes;
    if (args.workspace == nullptr) {
      return base::Error(StatusCode::kWorkspaceTooSmall, "args.workspace is null; this plan needs ", needed,
                         " bytes");
    }
    if (args.workspace_size < needed) {
      return base::Error(StatusCode::kWorkspaceTooSmall, "args.workspace_size is ", args.workspace_size,
                         "; this plan needs ", needed, " bytes");
    }
    return base::InvalidArgument("args.workspace is ", Hex(args.workspace), "; it must be a multiple of ",
                                 kWorkspaceAlignment);
  });
}

[[gnu::cold, gnu::noinline]] Status OverlapError(const char* name, const char* other, const char* rule) {
  return Guarded(
      [&] { return base::InvalidArgument("args.", name, " is the address of args.", other, "; ", rule); });
}

inline bool BadAddress(const void* address, std::int32_t alignment) {
  return address == nullptr || !IsMultiple(address, static_cast<std::uintptr_t>(alignment));
}

Status CheckScalars(const Arguments& args) noexcept {
  if (BadAddress(args.alpha_device, alignof(float))) return ScalarError("alpha_device", args.alpha_device);
  if (BadAddress(args.beta_device, alignof(float))) return ScalarError("beta_device", args.beta_device);
  return Status();
}

Status CheckC(const PlanState& plan, const Arguments& args) noexcept {
  if (!plan.c_status.ok()) [[unlikely]] {
    return Guarded([&] { return plan.c_status; });
  }
  if (BadAddress(args.c, plan.problem.c_address_alignment)) [[unlikely]] {
    return AddressError("c", args.c, plan.problem.c_address_alignment, plan.problem.output_type);
  }
  if (args.c == args.d && !plan.c_is_laid_out_as_d) [[unlikely]] {
    return OverlapError("c", "d",
                        "C may be D itself only where both have the same layout, ld and batch_stride");
  }
  return Status();
}

Status CheckWorkspace(const PlanState& plan, const Arguments& args, bool reads_c) noexcept {
  if (args.workspace_size < plan.workspace_bytes || BadAddress(args.workspace, kWorkspaceAlignment))
      [[unlikely]] {
    return WorkspaceError(plan, args);
  }
  const bool reads_inputs = plan.problem.k != 0;
  const char* operand = nullptr;
  if (args.workspace == args.d) operand = "d";
  if (reads_c && args.workspace == args.c) operand = "c";
  if (reads_inputs && args.workspace == args.b) operand = "b";
  if (reads_inputs && args.workspace == args.a) operand = "a";
  if (operand != nullptr) [[unlikely]]
    return OverlapError("workspace", operand, "the workspace must overlap no operand");
  return Status();
}

Status CheckAddresses(const PlanState& plan, const Arguments& args, bool reads_c) noexcept {
  const problem::Normalized& p = plan.problem;
  if (p.k != 0) {
    const std::int32_t a_alignment = p.swapped ? p.b_address_alignment : p.a_address_alignment;
    const std::int32_t b_alignment = p.swapped ? p.a_address_alignment : p.b_address_alignment;
    if (BadAddress(args.a, a_alignment)) [[unlikely]]
      return AddressError("a", args.a, a_alignment, p.input_type);
    if (BadAddress(args.b, b_alignment)) [[unlikely]]
      return AddressError("b", args.b, b_alignment, p.input_type);
    if (args.d == args.a) [[unlikely]]
      return OverlapError("d", "a", "D must not overlap A");
    if (args.d == args.b) [[unlikely]]
      return OverlapError("d", "b", "D must not overlap B");
  }
  if (BadAddress(args.d, p.d_address_alignment)) [[unlikely]]
    return AddressError("d", args.d, p.d_address_alignment, p.output_type);
  if (reads_c) {
    if (Status status = CheckC(plan, args); !status.ok()) [[unlikely]]
      return status;
  }
  return plan.workspace_bytes == 0 ? Status() : CheckWorkspace(plan, args, reads_c);
}

}  // namespace

Status RunPlan(const PlanState& plan, const Arguments& args) noexcept {
  if (plan.problem.empty()) return Status();
  const bool host_scalars = plan.problem.scalars == ScalarMode::kHost;
  if (!host_scalars) {
    if (Status status = CheckScalars(args); !status.ok()) [[unlikely]]
      return status;
  }
  const bool reads_c = !host_scalars || args.beta != 0.0f;
  if (Status status = CheckAddresses(plan, args, reads_c); !status.ok()) [[unlikely]]
    return status;

  Arguments seen = args;
  if (plan.problem.swapped) std::swap(seen.a, seen.b);
  if (!reads_c) seen.c = nullptr;
  if (host_scalars) {
    seen.alpha_device = nullptr;
    seen.beta_device = nullptr;
  } else {
    seen.alpha = 1.0f;
    seen.beta = 0.0f;
  }
  const driver::ContextScope scope(plan.device_ordinal);
  if (!scope.status().ok()) [[unlikely]] {
    return Guarded([&] { return scope.status(); });
  }
  const Ready& ready = reads_c && plan.kernel_with_c.row != nullptr ? plan.kernel_with_c : plan.kernel;
  return ready.launcher->Run(seen);
}

}  // namespace gemm::api
