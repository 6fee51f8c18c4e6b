#include "common/dispatch/select.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "common/base/status.h"

namespace gemm::dispatch {
namespace {

using base::Concat;

Candidate Judge(const KernelRow& row, const problem::Normalized& problem, const Device& device,
                std::size_t max_workspace) {
  Candidate candidate;
  candidate.row = &row;
  if (auto reason = row.family->reject(row, problem, device)) {
    candidate.rejection = std::move(*reason);
    return candidate;
  }
  candidate.workspace_bytes = row.family->workspace_bytes(row, problem, device);
  candidate.predicted_us = row.family->predict_us(row, problem, device);
  if (!std::isfinite(candidate.predicted_us) || candidate.predicted_us <= 0) {
    candidate.rejection = "a defect of libgemm: its predicted time is not a positive number";
  } else if (candidate.workspace_bytes > max_workspace) {
    candidate.rejection =
        Concat("it needs ", candidate.workspace_bytes, " bytes of workspace; ", max_workspace, " are allowed",
               problem.batch_invariant ? ", as batch_invariant asks for where there is a limit" : "");
  }
  return candidate;
}

// What a row may ask for. Where the batch may not matter and there is a limit, nothing: what kernels ask for grows with M, and one that a limit
// excludes for some M must run for none.
std::size_t WorkspaceLimit(const problem::Normalized& problem, const SelectOptions& options) {
  return problem.batch_invariant && options.max_workspace != SIZE_MAX ? 0 : options.max_workspace;
}

// Records for which other limits `candidate` would have been judged the same.
void Narrow(const Candidate& candidate, std::size_t max_workspace, Selection* selection) {
  if (candidate.workspace_bytes > max_workspace) {
    selection->workspace_most = std::min(selection->workspace_most, candidate.workspace_bytes - 1);
  } else {
    selection->workspace_least = std::max(selection->workspace_least, candidate.workspace_bytes);
  }
}

// One clause per reason, with the number of rows that gave it: a message stays readable with a hundred rows.
std::string Reasons(const std::vector<Candidate>& candidates) {
  std::vector<std::pair<std::string, int>> counted;
  for (const Candidate& candidate : candidates) {
    const auto same = std::find_if(counted.begin(), counted.end(),
                                   [&](const auto& entry) { return entry.first == candidate.rejection; });
    if (same == counted.end()) {
      counted.emplace_back(candidate.rejection, 1);
    } else {
      ++same->second;
    }
  }
  std::string out;
  for (const auto& [reason, count] : counted) {
    out += Concat(out.empty() ? "" : "; ", count, count == 1 ? " kernel: " : " kernels: ", reason);
  }
  return out;
}

bool IsForcedAway(const KernelRow& row, const SelectOptions& options) {
  return !options.kernel.empty() && options.kernel != row.name;
}

// Rejects every candidate that can run but is not `kept`, with `reason`.
template <class Kept>
void KeepOnly(const SelectOptions& options, std::vector<Candidate>* candidates, const std::string& reason,
              Kept kept) {
  for (Candidate& candidate : *candidates) {
    if (IsForcedAway(*candidate.row, options) || !candidate.rejection.empty() || kept(candidate)) continue;
    candidate.rejection = reason;
  }
}

void KeepPersistent(const SelectOptions& options, std::vector<Candidate>* candidates) {
  const auto is_persistent = [](const Candidate& candidate) { return candidate.row->family->is_persistent; };
  const bool any = std::any_of(candidates->begin(), candidates->end(), [&](const Candidate& candidate) {
    return candidate.rejection.empty() && !IsForcedAway(*candidate.row, options) && is_persistent(candidate);
  });
  if (any)
    KeepOnly(options, candidates, "its grid is not persistent, so it cannot keep to max_sms", is_persistent);
}

void KeepOneBackend(const SelectOptions& options, std::vector<Candidate>* candidates) {
  const auto first = std::find_if(candidates->begin(), candidates->end(), [&](const Candidate& candidate) {
    return candidate.rejection.empty() && !IsForcedAway(*candidate.row, options);
  });
  if (first == candidates->end()) return;
  const std::string_view backend = first->row->family->backend;
  KeepOnly(options, candidates, Concat("batch_invariant keeps to one backend, here ", backend),
           [&](const Candidate& candidate) { return backend == candidate.row->family->backend; });
}

}  // namespace

Status CheckForcedName(const Rows& rows, const SelectOptions& options) {
  if (options.kernel.empty() || FindRow(rows, options.kernel) != nullptr) return Status();
  return base::InvalidArgument(options.kernel_origin, " is \"", options.kernel, "\", and libgemm ", Version(),
                               " has no kernel of that name; the nearest are ",
                               NearestNames(rows, options.kernel));
}

Status Select(const Rows& rows, const problem::Normalized& problem, const Device& device,
              const SelectOptions& options, Selection* selection) {
  *selection = Selection();
  if (device.compute_capability() < 80) {
    return base::Error(StatusCode::kArchitectureTooOld, "the device ", device.name, " has compute capability ",
                       device.compute_capability_major, ".", device.compute_capability_minor,
                       "; libgemm needs 8.0 or later");
  }
  if (Status status = CheckForcedName(rows, options); !status.ok()) return status;

  const std::size_t max_workspace = WorkspaceLimit(problem, options);
  for (const KernelRow* row : rows) {
    selection->candidates.push_back(Judge(*row, problem, device, max_workspace));
    if (IsForcedAway(*row, options)) continue;
    Narrow(selection->candidates.back(), max_workspace, selection);
  }
  if (device.is_limited()) KeepPersistent(options, &selection->candidates);
  if (problem.batch_invariant) KeepOneBackend(options, &selection->candidates);

  bool found = false;
  double best_us = 0;
  for (std::size_t index = 0; index < selection->candidates.size(); ++index) {
    const Candidate& candidate = selection->candidates[index];
    if (IsForcedAway(*candidate.row, options) || !candidate.rejection.empty()) continue;
    const bool tuned = options.kernel.empty() && options.tuned == candidate.row->name;
    if (tuned || !found || (candidate.predicted_us < best_us && !selection->tuned)) {
      found = true;
      selection->tuned = tuned;
      best_us = candidate.predicted_us;
      selection->index = index;
    }
  }
  if (found) return Status();
  if (!options.kernel.empty()) {
    const KernelRow* row = FindRow(rows, options.kernel);
    const Candidate& candidate = selection->candidates[std::find(rows.begin(), rows.end(), row) - rows.begin()];
    return base::Unsupported(options.kernel_origin, " is \"", options.kernel,
                             "\", which cannot run this problem (", problem::ToString(problem),
                             "): ", candidate.rejection);
  }
  return base::Unsupported("no kernel of libgemm ", Version(), " runs this problem (",
                           problem::ToString(problem), ") on ", device.name, ": ",
                           Reasons(selection->candidates));
}

}  // namespace gemm::dispatch
