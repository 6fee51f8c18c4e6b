// gemm tune: times every kernel on a list of products and writes down the fastest.
#include <fmt/core.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "common/dispatch/query.h"
#include "common/dispatch/tuning.h"
#include "common/problem/problem.h"
#include "tools/gemm/bench/case.h"
#include "tools/gemm/bench/session.h"
#include "tools/gemm/commands.h"
#include "tools/gemm/exit_code.h"
#include "tools/gemm/flags.h"
#include "tools/gemm/problem.h"
#include "tools/gemm/progress.h"

namespace gemm::tool {
namespace {

using bench::Bench;
using bench::CaseResult;

struct Flags {
  bench::Options options;
  std::string out;
};

// The key that a plan will look for: its C described like D, as when the first kernel of a plan is chosen.
std::string KeyOf(const Problem& problem, const bench::Options& options) {
  problem::Normalized normalized;
  if (!problem::Normalize(problem, &normalized).ok()) return "";
  normalized.c = normalized.d;
  PlanOptions plan;
  plan.programmatic_launch = options.programmatic();
  plan.constant_b = options.constant_b;
  return dispatch::TuningKey(normalized, plan);
}

// Times one product and prints what it found; the line for the file, empty where nothing could be timed.
std::string TuneOne(Bench* bench, const Problem& problem) {
  const CaseResult result = bench::RunCase(bench, problem, [](double) {});
  const bench::EntrantResult* best = result.BestRow();
  const bench::EntrantResult* chosen = result.Ours();
  if (best == nullptr || chosen == nullptr) {
    Fail(ExitCodeOf(result.failure_code), fmt::format("{}: {}", ProblemText(problem), OneLine(result.failure)));
    return "";
  }
  fmt::print("{:<44} {:>10.2f} us  {:<42}  predicted choice {:.3f}x  {}\n", ProblemText(problem),
             best->MedianUs(), best->name, chosen->MedianUs() / best->MedianUs(),
             chosen == best ? "" : chosen->name);
  std::fflush(stdout);
  return dispatch::TuningLine(KeyOf(problem, bench->options), best->name, best->MedianUs());
}

int Tune(Flags flags) {
  bench::Options& options = flags.options;
  Status status = bench::CheckTiming(options);
  std::vector<Problem> problems;
  if (status.ok()) status = bench::ListProblems(options, &problems);
  if (!status.ok()) return Fail(status);
  if (problems.empty())
    return Fail(kBadInput, "neither a shape file nor --random is given; see gemm tune --help");
  std::ofstream file(flags.out);
  if (!file) return Fail(kBadInput, fmt::format("{} cannot be written", flags.out));

  Bench bench;
  bench.options = options;
  bench::Circumstances circumstances;
  dispatch::Device device;
  status = bench::Open(&bench, &circumstances);
  if (status.ok()) status = dispatch::QueryDevice(options.device, &device);
  if (!status.ok()) return Fail(status);
  bench::Print(circumstances);

  file << dispatch::TuningHeader(device);
  file << "# " << circumstances.command << ", " << circumstances.date << '\n';
  std::set<std::string> keys;
  std::size_t failed = 0;
  Progress progress("tune");
  for (std::size_t i = 0; i < problems.size(); ++i) {
    progress.Update(static_cast<double>(i) / static_cast<double>(problems.size()), ProblemText(problems[i]));
    if (!keys.insert(KeyOf(problems[i], options)).second) continue;
    progress.Hide();
    const std::string line = TuneOne(&bench, problems[i]);
    failed += line.empty();
    file << line;
  }
  file.close();
  if (!file.good()) return Fail(kBadInput, fmt::format("{} could not be written", flags.out));
  fmt::print("{} products in {}\n", keys.size() - failed, flags.out);
  return failed == 0 ? kOk : Fail(kInternal, fmt::format("{} products were not timed", failed));
}

void AddFlags(Subcommand* sub, Flags* flags) {
  bench::Options& options = flags->options;
  options.versus = "none";
  options.all_kernels = true;
  options.rounds = 3;
  options.energy_ms = 0;
  sub->Add("SHAPE_FILE", &options.shape_files, "products to tune, one a line: layout m n k [batch]");
  sub->Add("--random", &options.random,
           "further products: this many with M, N and K log-uniform, by --seed (default 0)");
  sub->Add("--types", &options.types, "types of A and B, comma-separated: fp32, fp16, bf16 (default bf16)")
      .CommaSeparated();
  sub->Add("--out-type", &options.out_type, "type of C and D (default: that of A and B)");
  sub->Add("--rounds", &options.rounds, "timed bursts of each kernel that stays after screening (default 3)");
  sub->Add("--burst-ms", &options.burst_ms, "length of a burst (default 20)");
  sub->Add("--screen-ms", &options.screen_ms, "length of a screening burst (default 5)");
  sub->Add("--keep", &options.keep, "kernels beside the predicted one that stay (default 3)");
  sub->Add(
      "--within", &options.within,
      "of all kernels, time those predicted to take up to this many times the chosen one's time (default 4)");
  sub->Add("--edges", &options.edges,
           "plain (default), or programmatic: tune for PlanOptions::programmatic_launch");
  sub->AddSwitch("--constant-b", &options.constant_b, "tune for PlanOptions::constant_b");
  sub->Add("--sets", &options.most_sets, "at most this many sets of operands (default 1024)");
  sub->Add("--device", &options.device, "number of the GPU (default 0)");
  sub->Add("--seed", &options.seed, "of the data and of the order (default 1)");
  sub->Add("--out", &flags->out, "the tuning file, for gemm::Tuning::Parse and gemm bench --tuning")
      .Required()
      .Takes("FILE");
}

}  // namespace

void AddTuneCommand(CLI::App* app, Command* command) {
  const auto flags = std::make_shared<Flags>();
  Subcommand sub(app, "tune", "time every kernel on given products and write down the fastest");
  AddFlags(&sub, flags.get());
  sub.Runs(command, [flags] { return Tune(*flags); });
}

}  // namespace gemm::tool
