// The public class: a handle to an immutable PlanState.
#include <memory>
#include <utility>

#include "common/api/guard.h"
#include "common/api/plan_state.h"
#include "gemm/gemm.h"

namespace gemm {

struct Plan::Impl {
  api::PlanState state;
};

Plan::Plan() noexcept = default;
Plan::~Plan() = default;
Plan::Plan(const Plan&) noexcept = default;
Plan& Plan::operator=(const Plan&) noexcept = default;
Plan::Plan(Plan&&) noexcept = default;
Plan& Plan::operator=(Plan&&) noexcept = default;

Status Plan::Create(const Problem& problem, const PlanOptions& options, Plan* plan) noexcept {
  return api::Guarded([&] {
    if (plan == nullptr) return base::InvalidArgument("plan is null; it must point to the Plan to fill");
    auto impl = std::make_shared<Impl>();
    Status status = api::MakePlanState(problem, options, &impl->state);
    if (status.ok()) plan->impl_ = std::move(impl);
    return status;
  });
}

Status Plan::Run(const Arguments& args) const noexcept {
  if (impl_ == nullptr) [[unlikely]] {
    return api::Guarded([] { return base::InvalidArgument("the plan is empty; Plan::Create fills it"); });
  }
  return api::RunPlan(impl_->state, args);
}

std::size_t Plan::workspace_size() const noexcept {
  return impl_ == nullptr ? 0 : impl_->state.workspace_bytes;
}

const char* Plan::kernel_name() const noexcept {
  if (impl_ == nullptr) return "";
  const dispatch::KernelRow* row = impl_->state.kernel.row;
  return row == nullptr ? "none" : row->name;
}

const char* Plan::kernel_name_with_c() const noexcept {
  if (impl_ == nullptr) return "";
  const dispatch::KernelRow* row = impl_->state.kernel_with_c.row;
  return row == nullptr ? kernel_name() : row->name;
}

std::string Plan::Explain() const noexcept {
  std::string out;
  if (impl_ == nullptr) return out;
  // A status for the guard's sake: what went wrong is told by the empty text.
  const Status status = api::Guarded([&] {
    out = api::ExplainPlan(impl_->state);
    return Status();
  });
  return out;
}

}  // namespace gemm
