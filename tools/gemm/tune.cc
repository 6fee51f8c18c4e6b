// gemm tune: times every kernel on a list of products and writes down the fastest.
#include <fmt/core.h>

#include <cstdio>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "common/dispatch/query.h"
#include "common/dispatch/tuning.h"
#include "tools/gemm/bench/case.h"
#include "tools/gemm/bench/session.h"
#include "tools/gemm/bench/timing_flags.h"
#include "tools/gemm/commands.h"
#include "tools/gemm/exit_code.h"
#include "tools/gemm/flags.h"
#include "tools/gemm/problem.h"
#include "tools/gemm/progress.h"
#include "tools/io/write_file.h"

namespace gemm::tool {
namespace {

using bench::Bench;
using bench::CaseResult;

struct Flags {
  bench::Options options;
  std::string out;
};

// Prints what a product's times say; the line for the file, empty where nothing could be timed.
std::string LineOf(const CaseResult& result, const bench::Options& options) {
  const bench::EntrantResult* best = result.BestRow();
  const bench::EntrantResult* chosen = result.Ours();
  if (best == nullptr || chosen == nullptr) return "";
  fmt::print("{:<44} {:>10.2f} us  {:<42}  predicted choice {:.3f}x  {}\n", ProblemText(result.problem),
             best->MedianUs(), best->name, chosen->MedianUs() / best->MedianUs(),
             chosen == best ? "" : chosen->name);
  std::fflush(stdout);
  return dispatch::TuningLine(bench::TuningKeyOf(result.problem, options), best->name, best->MedianUs());
}

// The first of the products that have the same key.
std::vector<Problem> DifferentOnes(const std::vector<Problem>& problems, const bench::Options& options) {
  std::vector<Problem> different;
  std::set<std::string> keys;
  for (const Problem& problem : problems) {
    if (keys.insert(bench::TuningKeyOf(problem, options)).second) different.push_back(problem);
  }
  return different;
}

// Times all products. The file is written after each that has a line, so that a run that is cut off leaves what it has measured, and one
// that measures nothing leaves an earlier file as it is.
int TuneAll(Bench* bench, const std::vector<Problem>& problems, std::string text, const std::string& out) {
  FirstFailure failures;
  std::size_t timed = 0, tuned = 0;
  Progress progress("tune");
  const double total = static_cast<double>(problems.size());
  for (const Problem& problem : problems) {
    const double done = static_cast<double>(timed);
    const CaseResult result = bench::RunCase(
        bench, problem, [&](double part) { progress.Update((done + part) / total, ProblemText(problem)); });
    progress.Hide();
    ++timed;
    bench::AddFailures(result, &failures);
    if (const std::string line = LineOf(result, bench->options); !line.empty()) {
      ++tuned;
      text += line;
      if (const Status status = io::WriteFile(out, text, ""); !status.ok()) return Fail(status);
    }
    if (bench::ContextIsDead(result.failure_code)) break;
  }
  if (tuned != 0) fmt::print("{} products in {}\n", tuned, out);
  if (timed < problems.size())
    Fail(kNoDevice, fmt::format("{} products were not timed", problems.size() - timed));
  return failures.code();
}

int Tune(Flags flags) {
  bench::Options& options = flags.options;
  Status status = bench::CheckTiming(options);
  std::vector<Problem> problems;
  if (status.ok()) status = bench::ListProblems(options, &problems);
  if (status.ok()) status = io::CheckFolder("--out", flags.out);
  if (!status.ok()) return Fail(status);
  if (problems.empty())
    return Fail(kBadInput, "neither a shape file nor --random is given; see gemm tune --help");
  Bench bench;
  bench.options = options;
  bench::Circumstances circumstances;
  dispatch::Device device;
  status = bench::Open(&bench, &circumstances);
  if (status.ok()) status = dispatch::QueryDevice(options.device, &device);
  if (!status.ok()) return Fail(status);
  bench::Print(circumstances);

  const std::string head =
      dispatch::TuningHeader(device) + fmt::format("# {}, {}\n", circumstances.command, circumstances.date);
  return TuneAll(&bench, DifferentOnes(problems, options), head, flags.out);
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
  bench::AddTypeFlags(sub, &options);
  sub->Add("--rounds", &options.rounds, "timed bursts of each kernel that stays after screening (default 3)");
  sub->Add("--burst-ms", &options.burst_ms, "length of a burst, up to 200 (default 20)");
  sub->Add("--screen-ms", &options.screen_ms, "length of a screening burst, up to 200 (default 5)");
  sub->Add("--keep", &options.keep, "kernels beside the predicted one that stay (default 3)");
  sub->Add(
      "--within", &options.within,
      "of all kernels, time those predicted to take up to this many times the chosen one's time (default 4)");
  sub->Add("--edges", &options.edges,
           "plain (default), or programmatic: tune for PlanOptions::programmatic_launch");
  sub->AddSwitch("--constant-b", &options.constant_b, "tune for PlanOptions::constant_b");
  sub->Add("--sets", &options.most_sets, "at most this many sets of operands (default 1024)");
  sub->Add("--device", &options.device, "number of the GPU (default 0)");
  sub->Add("--seed", &options.seed, "of the data and of the order (default 1)").Unsigned();
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
