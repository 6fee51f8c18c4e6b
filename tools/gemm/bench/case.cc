#include "tools/gemm/bench/case.h"

#include <algorithm>
#include <cstddef>
#include <random>

#include "tools/gemm/bench/entrant.h"
#include "tools/gemm/bench/geometric_mean.h"
#include "tools/gemm/bench/running.h"

namespace gemm::tool::bench {
namespace {

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

const EntrantResult* Fastest(const std::vector<EntrantResult>& entrants, std::initializer_list<Side> sides) {
  const EntrantResult* best = nullptr;
  for (const EntrantResult& entrant : entrants) {
    const bool counts = std::find(sides.begin(), sides.end(), entrant.side) != sides.end();
    if (!counts || entrant.round_us.empty() || !entrant.failure.empty()) continue;
    if (best == nullptr || entrant.MedianUs() < best->MedianUs()) best = &entrant;
  }
  return best;
}

// By the medians of all of `rounds` but one. Null where no rival has so many.
const EntrantResult* FastestRivalBut(std::size_t round, std::size_t rounds,
                                     const std::vector<EntrantResult>& entrants) {
  const EntrantResult* best = nullptr;
  double best_us = 0;
  for (const EntrantResult& entrant : entrants) {
    const bool is_rival = entrant.side == Side::kRival || entrant.side == Side::kRivalDefault;
    if (!is_rival || !entrant.failure.empty() || entrant.round_us.size() != rounds) continue;
    std::vector<double> others = entrant.round_us;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(round));
    const double us = Median(std::move(others));
    if (best != nullptr && best_us <= us) continue;
    best = &entrant;
    best_us = us;
  }
  return best;
}

// The steps of one case; RunCase calls them in order.
class CaseRun {
 public:
  CaseRun(Bench* bench, CaseResult* result, const std::function<void(double)>& progress)
      : bench_(*bench),
        options_(bench->options),
        result_(*result),
        progress_(progress),
        random_(options_.seed) {}

  Status Enter(const Gather& gather) {
    Status status = gather(bench_, result_.problem, &entrants_);
    if (!status.ok()) return status;
    AddOtherBuild(bench_, result_.problem, &entrants_);
    if (const Status rival = AddRival(bench_, result_.problem, &entrants_); !rival.ok())
      result_.rival_note = rival.message();
    return Status();
  }

  Status MakeData() {
    Status status = bench_.Operands(result_.problem, &bench_.memory, &rotation_);
    if (status.ok()) status = bench_.ReserveWorkspace(entrants_);
    result_.sets = rotation_.sets();
    result_.footprint_bytes = rotation_.footprint_bytes();
    return status;
  }

  // One that fails is out; a failure of the device ends the case.
  Status Prepare() {
    for (const auto& entrant : entrants_) {
      if (!entrant->launch) continue;
      const Status status = PrepareEntrant({bench_.StepOf(*entrant, rotation_)}, entrant.get());
      if (!status.ok()) return status;
      if (entrant->result.failure.empty()) running_.push_back(entrant.get());
    }
    return Status();
  }

  // Of the rival's algorithms, and of our other rows, the fastest stay.
  Status Screen() {
    Status status = bench::Settle(bench_, running_);
    if (!status.ok() || !options_.screen) return status;
    status = bench::Screen(bench_, &random_, &running_, [&](double part) { progress_(0.2 + 0.1 * part); });
    if (!status.ok()) return status;
    std::sort(running_.begin(), running_.end(),
              [](const Entrant* a, const Entrant* b) { return a->result.screen_us < b->result.screen_us; });
    int kept[2] = {};
    std::erase_if(running_, [&](const Entrant* entrant) {
      if (entrant->result.side == Side::kRival) return kept[0]++ >= options_.keep;
      if (entrant->result.side == Side::kOtherRow) return kept[1]++ >= options_.keep;
      return false;
    });
    return Status();
  }

  Status Rounds() {
    return TimeRounds(bench_, &random_, &running_, [&](double part) { progress_(0.3 + 0.5 * part); });
  }

  // Of ours and of the rival's fastest.
  Status Energy() {
    const Entrant* rival = nullptr;
    for (const Entrant* entrant : running_) {
      const Side side = entrant->result.side;
      if (side != Side::kRival && side != Side::kRivalDefault) continue;
      if (rival == nullptr || entrant->result.MedianUs() < rival->result.MedianUs()) rival = entrant;
    }
    Status status;
    for (Entrant* entrant : running_) {
      if (entrant->result.side != Side::kOurs && entrant != rival) continue;
      if (status.ok()) status = entrant->burst.Energy(options_.energy_ms, bench_.nvml, &entrant->result.energy);
    }
    return status;
  }

  void Report() {
    for (const auto& entrant : entrants_) result_.entrants.push_back(std::move(entrant->result));
  }

 private:
  Bench& bench_;
  const Options& options_;
  CaseResult& result_;
  const std::function<void(double)>& progress_;
  std::mt19937_64 random_;
  Rotation rotation_;
  Entrants entrants_;
  Running running_;
};

}  // namespace

double EntrantResult::MedianUs() const { return Median(round_us); }

std::optional<double> EntrantResult::MedianMhz() const {
  return mhz.empty() ? std::nullopt : std::optional<double>(Median(mhz));
}

const EntrantResult* CaseResult::Ours() const { return Fastest(entrants, {Side::kOurs}); }
const EntrantResult* CaseResult::BestRow() const { return Fastest(entrants, {Side::kOurs, Side::kOtherRow}); }
const EntrantResult* CaseResult::BestRival() const {
  return Fastest(entrants, {Side::kRival, Side::kRivalDefault});
}
const EntrantResult* CaseResult::RivalDefault() const { return Fastest(entrants, {Side::kRivalDefault}); }
const EntrantResult* CaseResult::Beside() const { return Fastest(entrants, {Side::kOtherBuild}); }

std::optional<double> CaseResult::RatioByOtherRounds() const {
  const EntrantResult* const ours = Ours();
  const std::size_t rounds = ours == nullptr ? 0 : ours->round_us.size();
  if (rounds < 2) return std::nullopt;
  GeometricMean ratio;
  for (std::size_t round = 0; round < rounds; ++round) {
    const EntrantResult* const rival = FastestRivalBut(round, rounds, entrants);
    if (rival != nullptr) ratio.Add(rival->round_us[round] / ours->round_us[round]);
  }
  return ratio.count() == 0 ? std::nullopt : std::optional<double>(ratio.value());
}

bool CaseResult::verified() const {
  return std::all_of(entrants.begin(), entrants.end(), [](const EntrantResult& entrant) {
    const bool others = entrant.side == Side::kRival || entrant.side == Side::kRivalDefault ||
                        entrant.side == Side::kOtherBuild;
    return others || entrant.worst_error <= 1;
  });
}

Status Bench::Pool(DataType type, const NormalPool** pool) {
  for (const auto& existing : pools) {
    if (existing->type() == type) {
      *pool = existing.get();
      return Status();
    }
  }
  auto made = std::make_unique<NormalPool>();
  Status status = NormalPool::Create(type, options.seed, made.get());
  if (!status.ok()) return status;
  *pool = made.get();
  pools.push_back(std::move(made));
  return Status();
}

Status Bench::Operands(const Problem& problem, gpu::DeviceBuffer* buffer, Rotation* rotation) {
  const NormalPool* inputs = nullptr;
  const NormalPool* outputs = nullptr;
  Status status = Pool(problem.a.type, &inputs);
  if (status.ok()) status = Pool(problem.d.type, &outputs);
  if (status.ok()) {
    status = rotation->Create(problem, options.beta != 0, inputs, outputs, l2_bytes, options.most_sets,
                              options.seed, buffer, stream.handle());
  }
  // A B that is declared constant must not be written while launches read it.
  return status.ok() ? stream.Synchronize() : status;
}

Status Bench::ReserveWorkspace(const Entrants& entrants) {
  std::size_t most = 0;
  for (const auto& entrant : entrants) most = std::max(most, entrant->result.workspace_bytes);
  return workspace.size() < most ? gpu::DeviceBuffer::Create(most, &workspace) : Status();
}

Step Bench::StepOf(const Entrant& entrant, const Rotation& rotation) const {
  Step step = {entrant.launch, &rotation, {}};
  step.args.beta = options.beta;
  step.args.workspace = workspace.data();
  step.args.workspace_size = entrant.result.workspace_bytes;
  step.args.stream = stream.handle();
  return step;
}

CaseResult RunCase(Bench* bench, const Problem& problem, const std::function<void(double)>& progress) {
  return RunCase(bench, problem, AddOurs, progress);
}

CaseResult RunCase(Bench* bench, const Problem& problem, const Gather& gather,
                   const std::function<void(double)>& progress) {
  CaseResult result;
  result.problem = problem;
  result.with_c = bench->options.beta != 0;
  CaseRun run(bench, &result, progress);
  Status status = run.Enter(gather);
  if (status.ok()) status = run.MakeData();
  if (status.ok()) status = run.Prepare();
  progress(0.2);
  if (status.ok()) status = run.Screen();
  if (status.ok()) status = run.Rounds();
  if (status.ok()) status = run.Energy();
  run.Report();
  if (status.ok() && result.Ours() == nullptr && result.entrants.front().side == Side::kOurs)
    status = Status(StatusCode::kInternal, result.entrants.front().failure);
  result.failure = status.message();
  result.failure_code = status.code();
  progress(1);
  return result;
}

}  // namespace gemm::tool::bench
