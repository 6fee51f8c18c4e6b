#include "common/api/plan_state.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "common/api/log.h"
#include "common/api/tuning.h"
#include "common/base/status.h"
#include "common/dispatch/explain.h"
#include "common/dispatch/query.h"
#include "common/dispatch/registry.h"
#include "common/driver/driver.h"

namespace gemm::api {
namespace {

constexpr const char* kKernelVariable = "LIBGEMM_KERNEL";

dispatch::SelectOptions MakeSelectOptions(const PlanOptions& options) {
  dispatch::SelectOptions select;
  select.max_workspace = options.max_workspace;
  select.kernel = options.kernel;
  if (select.kernel.empty()) {
    if (const char* forced = std::getenv(kKernelVariable); forced != nullptr && *forced != '\0') {
      select.kernel = forced;
      select.kernel_origin = kKernelVariable;
    }
  }
  return select;
}

// Where one row is forced nobody reads what the others would take.
dispatch::Rows RowsToJudge(const dispatch::SelectOptions& options) {
  const dispatch::KernelRow* forced =
      options.kernel.empty() ? nullptr : dispatch::FindRow(dispatch::Registry(), options.kernel);
  return forced == nullptr ? dispatch::Registry() : dispatch::Rows{forced};
}

Status ResolveDevice(int asked, int* ordinal) {
  if (asked < -1) {
    return base::InvalidArgument("options.device is ", asked,
                                 "; it must be a device's number, or -1 for the current");
  }
  *ordinal = asked;
  if (asked >= 0) return Status();
  if (Status status = driver::CurrentDevice(ordinal); !status.ok()) return status;
  *ordinal = std::max(*ordinal, 0);
  return Status();
}

problem::Normalized WithCLikeD(problem::Normalized problem) {
  problem.c = problem.d;
  return problem;
}

// For runs that read C. A row that is forced may be slow at it.
problem::Normalized ReadingC(problem::Normalized problem, const dispatch::SelectOptions& options) {
  problem.reads_c = options.kernel.empty();
  return problem;
}

// What PlanState::kernel is chosen for: where beta is not known in time, C is always read.
problem::Normalized FirstToChooseFor(const PlanState& state) {
  return state.problem.scalars == ScalarMode::kDevice ? ReadingC(state.problem, state.select)
                                                      : WithCLikeD(state.problem);
}

// Loads the chosen row and makes its launcher for `problem`. Needs a current context.
Status MakeReady(const dispatch::Candidate& chosen, const problem::Normalized& problem, const PlanState& state,
                 const PlanOptions& options, Ready* ready) {
  const dispatch::KernelRow& row = *chosen.row;
  driver::Kernel kernel;
  if (Status status = driver::FindKernel(*row.image, row.source, row.symbol, state.device_ordinal,
                                         row.shared_bytes, &kernel);
      !status.ok()) {
    return status;
  }
  ready->row = &row;
  ready->workspace_bytes = chosen.workspace_bytes;
  return row.family->prepare(row, problem, state.device, options, kernel, &ready->launcher);
}

void NarrowWorkspaceRange(const dispatch::Selection& selection, PlanState* state) {
  state->workspace_least = std::max(state->workspace_least, selection.workspace_least);
  state->workspace_most = std::min(state->workspace_most, selection.workspace_most);
}

// Fills kernel_with_c where `kernel` is not for the caller's C; c_status where no kernel is.
Status MakeReadyWithC(const dispatch::Rows& rows, const PlanOptions& options, PlanState* state) {
  dispatch::Selection selection;
  Status status =
      dispatch::Select(rows, ReadingC(state->problem, state->select), state->device, state->select, &selection);
  NarrowWorkspaceRange(selection, state);
  if (!status.ok()) {
    state->c_status = std::move(status);
    return Status();
  }
  LogChoice(state->problem, state->device, *selection.chosen(), " (beta != 0)");
  return MakeReady(*selection.chosen(), state->problem, *state, options, &state->kernel_with_c);
}

bool SameLayout(const problem::Output& x, const problem::Output& y) {
  return x.row_stride == y.row_stride && x.col_stride == y.col_stride && x.batch_stride == y.batch_stride;
}

}  // namespace

Status MakePlanState(const Problem& problem, const PlanOptions& options, PlanState* state) {
  *state = PlanState();
  if (Status status = problem::Normalize(problem, options, &state->problem); !status.ok()) return status;
  if (options.max_sms < 0) {
    return base::InvalidArgument("options.max_sms is ", options.max_sms, "; it must be 0 (all) or more");
  }
  state->select = MakeSelectOptions(options);
  const dispatch::Rows rows = RowsToJudge(state->select);
  PlanOptions for_kernels = options;
  for_kernels.programmatic_launch = problem::LaunchesEarly(options);
  if (state->problem.empty()) return dispatch::CheckForcedName(rows, state->select);
  state->c_status = state->problem.c_status;
  state->c_is_laid_out_as_d = SameLayout(state->problem.c, state->problem.d);

  if (Status status = ResolveDevice(options.device, &state->device_ordinal); !status.ok()) return status;
  if (Status status = dispatch::QueryDevice(state->device_ordinal, &state->device); !status.ok()) return status;
  dispatch::LimitSms(options.max_sms, &state->device);
  const problem::Normalized reading = ReadingC(state->problem, state->select);
  const problem::Normalized first = FirstToChooseFor(*state);
  if (options.tuning.impl() != nullptr) {
    state->select.tuned =
        dispatch::FindTuned(options.tuning.impl()->table, state->device, dispatch::TuningKey(first, options));
  }
  dispatch::Selection selection;
  if (Status status = dispatch::Select(rows, first, state->device, state->select, &selection); !status.ok()) {
    return status;
  }
  NarrowWorkspaceRange(selection, state);
  const dispatch::Candidate& chosen = *selection.chosen();
  const bool reads_c =
      !state->c_status.ok() || !chosen.row->family->reject(*chosen.row, reading, state->device).has_value();

  driver::ContextScope scope(state->device_ordinal);
  if (!scope.status().ok()) return scope.status();
  LogChoice(state->problem, state->device, chosen, reads_c ? "" : " (beta = 0)");
  if (Status status = MakeReady(chosen, reads_c ? state->problem : first, *state, for_kernels, &state->kernel);
      !status.ok()) {
    return status;
  }
  if (!reads_c) {
    if (Status status = MakeReadyWithC(rows, for_kernels, state); !status.ok()) return status;
  }
  state->workspace_bytes = std::max(state->kernel.workspace_bytes, state->kernel_with_c.workspace_bytes);
  return Status();
}

std::string ExplainPlan(const PlanState& state) {
  if (state.problem.empty()) {
    return base::Concat("libgemm ", Version(), "\nproblem: ", problem::ToString(state.problem),
                        "\nnothing to compute: no kernel is launched\n");
  }
  const dispatch::Rows& rows = dispatch::Registry();
  std::string out = dispatch::Explain(rows, FirstToChooseFor(state), state.device, state.select);
  if (state.kernel_with_c.row != nullptr) {
    dispatch::Selection selection;
    const Status status =
        dispatch::Select(rows, ReadingC(state.problem, state.select), state.device, state.select, &selection);
    out += "with beta != 0, which reads C as it is described:\n";
    if (status.ok()) out += dispatch::LimitNote(selection, state.device);
    out += dispatch::ToTable(selection, status.ok());
  }
  if (!state.c_status.ok()) out += base::Concat("beta must be 0: ", state.c_status.message(), "\n");
  return out;
}

}  // namespace gemm::api
