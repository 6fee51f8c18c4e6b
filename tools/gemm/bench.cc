// gemm bench: libgemm against cuBLASLt over a list of products.
#include <fmt/core.h>

#include <memory>

#include "tools/gemm/bench/case.h"
#include "tools/gemm/bench/entrant.h"
#include "tools/gemm/bench/host_latency.h"
#include "tools/gemm/bench/options.h"
#include "tools/gemm/bench/report.h"
#include "tools/gemm/bench/report_files.h"
#include "tools/gemm/bench/session.h"
#include "tools/gemm/bench/timing_flags.h"
#include "tools/gemm/commands.h"
#include "tools/gemm/exit_code.h"
#include "tools/gemm/flags.h"
#include "tools/gemm/problem.h"
#include "tools/gemm/progress.h"

namespace gemm::tool {
namespace {

using bench::Bench;
using bench::CaseResult;
using bench::Report;
using bench::ReportFiles;

struct Flags {
  bench::Options options;
  std::string kernels = "chosen";
  std::string tuning;
  bool host_latency = false;
};

Status CheckOptions(Flags* flags) {
  bench::Options& options = flags->options;
  const auto refuse = [](const std::string& text) { return Status(StatusCode::kInvalidArgument, text); };
  if (flags->kernels != "chosen" && flags->kernels != "all") {
    return refuse(fmt::format("--kernels is '{}'; chosen and all are allowed", flags->kernels));
  }
  options.all_kernels = flags->kernels == "all";
  if (!options.beside.empty() && !flags->tuning.empty())
    return refuse("--beside and --tuning are given; a tuning file is read for one build");
  if (const Status status = bench::CheckTiming(options); !status.ok()) return status;
  if (const Status status = bench::ReadTuning(flags->tuning, &options); !status.ok()) return status;
  if (options.shape_files.empty() && options.random == 0 && !flags->host_latency)
    return refuse("neither a shape file nor --random is given; see gemm bench --help");
  return Status();
}

// Times all products, printing a row for each and writing the files as it is done.
void RunCases(Bench* bench, const std::vector<Problem>& problems, Report* report, ReportFiles* files) {
  std::vector<CaseResult>* const results = &report->cases;
  fmt::print("{}\n", bench::ConsoleHeader());
  std::fflush(stdout);
  Progress progress("bench");
  const double total = static_cast<double>(problems.size());
  for (const Problem& problem : problems) {
    const double done = static_cast<double>(results->size());
    results->push_back(bench::RunCase(
        bench, problem, [&](double part) { progress.Update((done + part) / total, ProblemText(problem)); }));
    progress.Hide();
    fmt::print("{}\n", bench::ConsoleRow(results->back()));
    std::fflush(stdout);
    files->Write(FormatsOf(*report));
    if (bench::ContextIsDead(results->back().failure_code)) break;
  }
}

// The first failure decides; every one is a line on stderr.
int Verdict(const std::vector<CaseResult>& results, std::size_t expected) {
  FirstFailure failures;
  for (const CaseResult& result : results) bench::AddFailures(result, &failures);
  if (results.size() < expected)
    Fail(kNoDevice, fmt::format("{} products were not timed", expected - results.size()));
  return failures.code();
}

// Gemm() is timed where nothing is asked of the plan: it chooses for itself.
int HostLatency(const bench::Options& options) {
  const bool plain =
      options.kernel.empty() && !options.programmatic() && !options.constant_b && options.tuning_path.empty();
  for (const bool one_call : {false, true}) {
    bench::HostLatency latency;
    const Status status =
        bench::MeasureHostLatency(bench::OptionsFor(options, options.kernel), one_call, &latency);
    if (!status.ok()) return Fail(status);
    fmt::print(
        "{} on the host, m=1 n=4096 k=4096 nk bf16, {}: median {:.2f} us, 90% {:.2f} us, 99% {:.2f} us of {} "
        "calls ({:.2f} us of "
        "each is the clock's)\n",
        one_call ? "Gemm()" : "Plan::Run", latency.kernel, latency.median_us, latency.p90_us, latency.p99_us,
        latency.calls, latency.clock_us);
    if (!plain) break;
  }
  return kOk;
}

int RunBench(Flags flags) {
  Status status = CheckOptions(&flags);
  std::vector<Problem> problems;
  ReportFiles files(flags.options.out);
  if (status.ok()) status = files.Check();
  if (status.ok()) status = bench::ListProblems(flags.options, &problems);
  if (!status.ok()) return Fail(status);
  Bench bench;
  bench.options = flags.options;
  Report report;
  status = bench::Open(&bench, &report.circumstances);
  if (status.ok()) status = bench::NoteTuning(flags.options, problems, &report.circumstances);
  if (!status.ok()) return Fail(status);
  bench::Print(report.circumstances);
  if (flags.host_latency) {
    const int code = HostLatency(flags.options);
    if (code != kOk || problems.empty()) return code;
  }
  RunCases(&bench, problems, &report, &files);
  fmt::print("{}", bench::Summary(report.cases));
  return files.ExitCode(Verdict(report.cases, problems.size()));
}

void AddFlags(Subcommand* sub, Flags* flags) {
  bench::Options& options = flags->options;
  sub->Add("SHAPE_FILE", &options.shape_files, "products to time, one a line: layout m n k [batch]")
      .Takes("...");
  sub->Add("--random", &options.random,
           "further products: this many with M, N and K log-uniform, by --seed (default 0)");
  bench::AddTypeFlags(sub, &options);
  sub->Add("--beta", &options.beta, "with another value than 0, C is read and is not D (default 0)");
  bench::AddTimingFlags(sub, &options);
  sub->AddSwitch(
      "--screen,!--no-screen", &options.screen,
      "choose the entrants that stay for the rounds by short bursts (default); without, all 8 algorithms stay");
  sub->Add("--screen-ms", &options.screen_ms, "length of a screening burst, up to 200 (default 5)");
  sub->Add("--keep", &options.keep, "algorithms of the rival, and other rows of ours, that stay (default 3)");
  sub->Add("--energy-ms", &options.energy_ms,
           "length of the pass that measures power; 0 leaves it out (default 500)");
  sub->Add("--kernel", &options.kernel, "our kernel, instead of the library's choice");
  sub->Add("--kernels", &flags->kernels, "chosen (default), or all: time every row that can run");
  bench::AddPlanFlags(sub, &options, &flags->tuning);
  sub->Add(
      "--within", &options.within,
      "of all kernels, time those predicted to take up to this many times the chosen one's time (default 4)");
  sub->Add("--beside", &options.beside,
           "another libgemm.so of this version, of an earlier commit say, whose choice is timed in the same "
           "rounds")
      .Takes("LIBGEMM.so");
  sub->AddSwitch("--host-latency", &flags->host_latency,
                 "measure what Plan::Run costs on the host at m = 1, and Gemm() where no flag is the plan's");
}

}  // namespace

void AddBenchCommand(CLI::App* app, Command* command) {
  const auto flags = std::make_shared<Flags>();
  Subcommand sub(app, "bench", "time libgemm against cuBLASLt");
  AddFlags(&sub, flags.get());
  sub.Runs(command, [flags] { return RunBench(*flags); });
}

}  // namespace gemm::tool
