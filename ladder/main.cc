// The command `gemm-ladder`, which `gemm ladder` starts.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "ladder/ladder.h"
#include "ladder/table.h"
#include "tools/gemm/bench/report.h"
#include "tools/gemm/bench/session.h"
#include "tools/gemm/exit_code.h"

namespace gemm::ladder {
namespace {

namespace bench = tool::bench;
using tool::Fail;

int List() {
  for (const Rung& rung : Rungs()) {
    fmt::print("{:17} {}>{}  {}{}\n", rung.name, Name(rung.in), Name(rung.out), rung.idea,
               rung.sweep ? " (--sweeps)" : "");
  }
  return tool::kOk;
}

// The first failure decides. A rung that refuses a size is a failure where the user named it and it ran at no size.
int Verdict(const Options& options, const bench::Report& report) {
  int code = tool::kOk;
  const auto fail = [&](tool::ExitCode failure, const std::string& text) {
    Fail(failure, text);
    if (code == tool::kOk) code = failure;
  };
  for (const bench::CaseResult& result : report.cases) {
    if (!result.failure.empty()) fail(tool::ExitCodeOf(result.failure_code), result.failure);
    for (const bench::EntrantResult& entrant : result.entrants) {
      if (!(entrant.worst_error <= 1)) fail(tool::kVerificationFailed, entrant.name + " " + entrant.failure);
    }
  }
  for (const std::string& name : options.rungs) {
    bool ran = false;
    std::string why;
    for (const bench::CaseResult& result : report.cases) {
      for (const bench::EntrantResult& entrant : result.entrants) {
        if (entrant.side != bench::Side::kRung || entrant.name != name) continue;
        ran = ran || !entrant.round_us.empty();
        why = entrant.failure;
      }
    }
    if (!ran) fail(tool::kBadInput, fmt::format("{} ran at no size: {}", name, why));
  }
  return code;
}

int Run(const Options& options) {
  std::vector<Group> groups;
  Status status = bench::CheckTiming(options.bench);
  if (status.ok()) status = ListGroups(options, &groups);
  for (const std::string& path : options.bench.out) {
    if (status.ok()) status = bench::CheckPath(path);
  }
  if (!status.ok()) return Fail(status);
  bench::Bench bench;
  bench.options = options.bench;
  bench::Report report;
  status = bench::Open(&bench, &report.circumstances);
  if (!status.ok()) return Fail(status);
  bench::Print(report.circumstances);
  for (const Group& group : groups) {
    report.cases.push_back(RunGroup(&bench, group));
    fmt::print("{}", Table(report.cases.back()));
    std::fflush(stdout);
    if (report.cases.back().failure_code == StatusCode::kDriverError) break;
  }
  for (const std::string& path : options.bench.out) {
    status = bench::Write(report, path);
    if (!status.ok()) return Fail(status);
  }
  return Verdict(options, report);
}

void AddFlags(CLI::App* app, Options* options, bool* list) {
  bench::Options& timing = options->bench;
  timing.rounds = 5;
  timing.energy_ms = 0;
  timing.beta = 1;
  app->add_option("--type", options->type, "of A and B: fp32 (default), fp16, bf16");
  app->add_option("--sizes", options->sizes, "N or MxNxK, several separated by commas or spaces (default 4096)")
      ->delimiter(',');
  app->add_option("--rungs", options->rungs, "names (--list), instead of all rungs of the type")
      ->delimiter(',');
  app->add_flag("--sweeps", options->sweeps, "also the steps of the write-ups' sweeps");
  app->add_flag("--list", *list, "list all rungs and end");
  app->add_option("--beta", timing.beta, "of C, which is not D (default 1); 0: C is not read");
  app->add_option("--vs", timing.versus, "rival: cublaslt (default) or none");
  app->add_option("--cublaslt-path", timing.cublaslt_path, "as for gemm bench");
  app->add_option("--rounds", timing.rounds, "timed bursts of each kernel (default 5)");
  app->add_option("--burst-ms", timing.burst_ms, "length of a burst (default 20)");
  app->add_option("--sets", timing.most_sets, "at most this many sets of operands (default 1024)");
  app->add_option("--device", timing.device, "number of the GPU (default 0)");
  app->add_option("--seed", timing.seed, "of the data and of the order (default 1)");
  app->add_option("--out", timing.out, "write the results to FILE.json, FILE.csv or FILE.md; may be repeated");
}

int Main(int argc, char** argv) {
  // `bazel run` starts programs in another folder than the user's, whose files the arguments name.
  const char* folder = std::getenv("BUILD_WORKING_DIRECTORY");
  if (folder != nullptr && ::chdir(folder) != 0) {
    return Fail(tool::kBadInput, fmt::format("BUILD_WORKING_DIRECTORY is {}, where one cannot go", folder));
  }
  CLI::App app("The write-ups' kernels against libgemm and cuBLASLt, beside the published figures.",
               "gemm ladder");
  app.footer(tool::kExitCodesHelp);
  Options options;
  bool list = false;
  AddFlags(&app, &options, &list);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return Fail(tool::kBadInput, std::string(error.what()) + "; see gemm ladder --help");
  }
  return list ? List() : Run(options);
}

}  // namespace
}  // namespace gemm::ladder

int main(int argc, char** argv) {
  // Nothing below reports by throwing, but memory may run out anywhere.
  try {
    return gemm::ladder::Main(argc, argv);
  } catch (const std::exception& error) {
    return gemm::tool::Fail(gemm::tool::kInternal, std::string("unexpected: ") + error.what());
  }
}
