#include "tools/gemm/layer/run.h"

#include <fmt/core.h>

#include <algorithm>
#include <random>
#include <set>

#include "tools/gemm/bench/entrant.h"
#include "tools/gemm/bench/running.h"
#include "tools/gemm/problem.h"

namespace gemm::tool::layer {
namespace {

using bench::Entrant;
using bench::Entrants;
using bench::Running;

// A product of the layer, with what its graphs refer to.
struct Part {
  Problem problem;
  gpu::DeviceBuffer memory;
  bench::Rotation rotation;
  Entrants ours;
  Entrants rival;
};

// The entrants of one side while they are timed.
struct SideRun {
  bench::Side name;
  Entrants Part::*entrants;
  SideResult* result;
  std::vector<Entrant*> alone;  // of each product the fastest
  Entrant in_turn;

  bool out() const { return !result->failure.empty(); }
  void Drop(const std::string& what, const bench::EntrantResult& why) {
    result->failure = fmt::format("{}: {}", what, why.failure);
    result->wrong = why.worst_error > 1;
  }
};

// The steps of one layer; RunLayer calls them in order.
class LayerRun {
 public:
  LayerRun(bench::Bench* bench, LayerResult* result, const std::function<void(double)>& progress)
      : bench_(*bench),
        result_(*result),
        progress_(progress),
        random_(bench->options.seed),
        parts_(result->layer.products.size()),
        sides_{{bench::Side::kOurs, &Part::ours, &result->ours, {}, {}},
               {bench::Side::kRival, &Part::rival, &result->rival, {}, {}}} {}

  Status Enter() {
    if (bench_.rival == nullptr) result_.rival.failure = bench_.rival_note;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      Part& part = parts_[i];
      part.problem = result_.layer.products[i];
      Status status = bench::AddOurs(bench_, part.problem, &part.ours);
      if (!status.ok()) return Named(part, status);
      if (!result_.rival.failure.empty()) continue;
      status = bench::AddRival(bench_, part.problem, &part.rival);
      if (!status.ok()) result_.rival.failure = Named(part, status).message();
    }
    return Status();
  }

  Status MakeData() {
    // All of the workspace first: captured graphs keep its address.
    for (const Part& part : parts_) {
      Status status = bench_.ReserveWorkspace(part.ours);
      if (status.ok()) status = bench_.ReserveWorkspace(part.rival);
      if (!status.ok()) return status;
    }
    for (Part& part : parts_) {
      const Status status = bench_.Operands(part.problem, &part.memory, &part.rotation);
      if (!status.ok()) return Named(part, status);
      result_.operands.push_back({part.rotation.sets(), part.rotation.footprint_bytes()});
    }
    return Status();
  }

  // Graphs of one product, then those of all. A side of which one fails is out; a failure of the device ends the layer.
  Status Prepare() {
    double begun = 0;
    for (Part& part : parts_) {
      progress_(0.5 * begun++ / static_cast<double>(parts_.size()));
      for (SideRun& side : sides_) {
        if (side.out()) continue;
        if (const Status status = PrepareAlone(&part, &side); !status.ok()) return status;
      }
    }
    for (SideRun& side : sides_) {
      if (side.out()) continue;
      if (const Status status = PrepareInTurn(&side); !status.ok()) return status;
    }
    return Status();
  }

  Status Rounds() {
    Running running;
    for (SideRun& side : sides_) {
      if (side.out()) continue;
      running.insert(running.end(), side.alone.begin(), side.alone.end());
      running.push_back(&side.in_turn);
    }
    if (const Status status = bench::Settle(bench_, running); !status.ok()) return status;
    return bench::TimeRounds(bench_, &random_, &running, [&](double part) { progress_(0.5 + 0.5 * part); });
  }

  void Report() {
    for (SideRun& side : sides_) {
      for (Entrant* entrant : side.alone) side.result->alone.push_back(std::move(entrant->result));
      side.result->in_turn = std::move(side.in_turn.result);
    }
  }

 private:
  static Status Named(const Part& part, const Status& status) {
    return Status(status.code(), fmt::format("{}: {}", ProblemText(part.problem), status.message()));
  }

  // Of several entrants the one that is fastest in short bursts stays, and the others' graphs go.
  Status PrepareAlone(Part* part, SideRun* side) {
    Entrants& entrants = part->*side->entrants;
    Running running;
    for (const auto& entrant : entrants) {
      const Status status = bench::PrepareEntrant({bench_.StepOf(*entrant, part->rotation)}, entrant.get());
      if (!status.ok()) return status;
      if (entrant->result.failure.empty()) running.push_back(entrant.get());
    }
    if (running.empty()) {
      side->Drop(ProblemText(part->problem), entrants.front()->result);
      return Status();
    }
    if (running.size() > 1) {
      const Status status = bench::Screen(bench_, &random_, &running, [](double) {});
      if (!status.ok()) return status;
    }
    Entrant* const fastest = *std::min_element(
        running.begin(), running.end(),
        [](const Entrant* a, const Entrant* b) { return a->result.screen_us < b->result.screen_us; });
    std::erase_if(entrants, [&](const auto& entrant) { return entrant.get() != fastest; });
    side->alone.push_back(fastest);
    return Status();
  }

  Status PrepareInTurn(SideRun* side) {
    bench::Turn turn;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      turn.push_back(bench_.StepOf(*side->alone[i], parts_[i].rotation));
    }
    side->in_turn.result.side = side->name;
    side->in_turn.result.name = "in turn";
    const Status status = bench::PrepareEntrant(turn, &side->in_turn);
    if (!side->in_turn.result.failure.empty()) side->Drop("in turn", side->in_turn.result);
    return status;
  }

  bench::Bench& bench_;
  LayerResult& result_;
  const std::function<void(double)>& progress_;
  std::mt19937_64 random_;
  std::vector<Part> parts_;
  SideRun sides_[2];
};

}  // namespace

double SideResult::AloneUs() const {
  double sum = 0;
  for (const bench::EntrantResult& entrant : alone) sum += entrant.MedianUs();
  return sum;
}

std::size_t LayerResult::OurKernels() const {
  std::set<std::string> names;
  for (const bench::EntrantResult& entrant : ours.alone) names.insert(entrant.name);
  return names.size();
}

LayerResult RunLayer(bench::Bench* bench, const Layer& layer, const std::function<void(double)>& progress) {
  LayerResult result;
  result.layer = layer;
  LayerRun run(bench, &result, progress);
  Status status = run.Enter();
  if (status.ok()) status = run.MakeData();
  if (status.ok()) status = run.Prepare();
  if (status.ok()) status = run.Rounds();
  run.Report();
  result.failure = status.message();
  result.failure_code = status.code();
  progress(1);
  return result;
}

}  // namespace gemm::tool::layer
