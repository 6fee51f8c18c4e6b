#include "tools/gemm/bench/entrant.h"

#include <fmt/core.h>

#include <string>

#include "common/dispatch/query.h"
#include "common/dispatch/registry.h"
#include "common/dispatch/select.h"
#include "common/problem/problem.h"

namespace gemm::tool::bench {
namespace {

Status AddPlan(const Bench& bench, const Problem& problem, const std::string& kernel, Side side,
               Entrants* entrants) {
  Plan plan;
  Status status = Plan::Create(problem, OptionsFor(bench.options, kernel), &plan);
  if (!status.ok()) return status;
  auto entrant = std::make_unique<Entrant>();
  entrant->result.side = side;
  entrant->result.name = bench.options.beta != 0 ? plan.kernel_name_with_c() : plan.kernel_name();
  entrant->result.workspace_bytes = plan.workspace_size();
  entrant->launch = [plan](const Arguments& args) { return plan.Run(args); };
  entrants->push_back(std::move(entrant));
  return Status();
}

// Every row's prediction, and under --kernels all the rows that can run beside the chosen one.
Status AddOtherRows(const Bench& bench, const Problem& problem, Entrants* entrants) {
  dispatch::Device device;
  problem::Normalized normalized;
  dispatch::Selection selection;
  Status status = dispatch::QueryDevice(bench.options.device, &device);
  if (status.ok()) status = problem::Normalize(problem, OptionsFor(bench.options, ""), &normalized);
  if (status.ok()) status = dispatch::Select(dispatch::Registry(), normalized, device, {}, &selection);
  if (!status.ok()) return status;
  const std::string chosen = entrants->front()->result.name;
  for (const dispatch::Candidate& candidate : selection.candidates) {
    if (!candidate.rejection.empty()) continue;
    const bool hopeless = candidate.predicted_us > bench.options.within * selection.chosen()->predicted_us;
    if (bench.options.all_kernels && !hopeless && candidate.row->name != chosen) {
      status = AddPlan(bench, problem, candidate.row->name, Side::kOtherRow, entrants);
      if (!status.ok()) return status;
    }
    EntrantResult& result = entrants->back()->result;
    if (result.name == candidate.row->name) result.predicted_us = candidate.predicted_us;
    if (entrants->front()->result.name == candidate.row->name)
      entrants->front()->result.predicted_us = candidate.predicted_us;
  }
  return Status();
}

}  // namespace

PlanOptions OptionsFor(const Options& options, const std::string& kernel) {
  PlanOptions plan;
  plan.device = options.device;
  plan.programmatic_launch = options.programmatic();
  plan.constant_b = options.constant_b;
  plan.kernel = kernel;
  plan.tuning = options.tuning;
  return plan;
}

Status AddOurs(const Bench& bench, const Problem& problem, Entrants* entrants) {
  Status status = AddPlan(bench, problem, bench.options.kernel, Side::kOurs, entrants);
  return status.ok() ? AddOtherRows(bench, problem, entrants) : status;
}

void AddOtherBuild(const Bench& bench, const Problem& problem, Entrants* entrants) {
  if (bench.beside == nullptr) return;
  auto entrant = std::make_unique<Entrant>();
  entrant->result.side = Side::kOtherBuild;
  const OtherBuild& build = *bench.beside;
  Plan plan;
  const Status status = build.Create(problem, OptionsFor(bench.options, bench.options.kernel), &plan);
  if (status.ok()) {
    entrant->result.name = bench.options.beta != 0 ? build.kernel_name_with_c(plan) : build.kernel_name(plan);
    entrant->result.workspace_bytes = build.workspace_size(plan);
    entrant->launch = [&build, plan](const Arguments& args) { return build.Run(plan, args); };
  } else {
    entrant->result.failure = status.message();
  }
  entrants->push_back(std::move(entrant));
}

Status AddRival(const Bench& bench, const Problem& problem, Entrants* entrants) {
  if (bench.rival == nullptr) return Status(StatusCode::kUnsupported, bench.rival_note);
  const auto product = std::make_shared<rival::Product>();
  std::vector<rival::Algorithm> algorithms;
  Status status = product->Create(bench.rival, problem);
  if (status.ok()) status = product->Heuristics(kHeuristics, kRivalWorkspace, &algorithms);
  if (!status.ok()) return status;
  const auto add = [&](Side side, std::string name, std::string detail, Launch launch) {
    auto entrant = std::make_unique<Entrant>();
    entrant->result.side = side;
    entrant->result.name = std::move(name);
    entrant->result.detail = std::move(detail);
    entrant->result.workspace_bytes = kRivalWorkspace;
    entrant->launch = std::move(launch);
    entrants->push_back(std::move(entrant));
  };
  for (std::size_t i = 0; i < algorithms.size(); ++i) {
    add(Side::kRival, fmt::format("heuristic {}", i), algorithms[i].description,
        [product, algorithm = algorithms[i]](const Arguments& args) { return product->Run(args, &algorithm); });
  }
  add(Side::kRivalDefault, "default", "",
      [product](const Arguments& args) { return product->Run(args, nullptr); });
  return Status();
}

}  // namespace gemm::tool::bench
