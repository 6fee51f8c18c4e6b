// The command `gemm-sweep`, which `gemm sweep` starts.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "tools/gemm/bench/report.h"
#include "tools/gemm/bench/session.h"
#include "tools/gemm/exit_code.h"
#include "tools/gemm/problem.h"
#include "tools/sweep/shape.h"
#include "tools/sweep/sweep.h"

namespace gemm::sweep {
namespace {

namespace bench = tool::bench;
using tool::Fail;

int List() {
  for (const Shape& shape : Shapes()) fmt::print("{}\n", shape.name);
  return tool::kOk;
}

// The first failure decides.
int Verdict(const bench::Report& report) {
  int code = tool::kOk;
  const auto fail = [&](tool::ExitCode failure, const std::string& text) {
    Fail(failure, text);
    if (code == tool::kOk) code = failure;
  };
  for (const bench::CaseResult& result : report.cases) {
    const std::string product = tool::ProblemText(result.problem);
    if (!result.failure.empty()) fail(tool::ExitCodeOf(result.failure_code), product + ": " + result.failure);
    bool any = false;
    for (const bench::EntrantResult& entrant : result.entrants) {
      if (entrant.side != bench::Side::kShape) continue;
      any = any || !entrant.round_us.empty();
      if (!(entrant.worst_error <= 1))
        fail(tool::kVerificationFailed, fmt::format("{}: {} {}", product, entrant.name, entrant.failure));
    }
    if (!any && result.failure.empty()) fail(tool::kBadInput, product + ": no shape of the grid takes it");
  }
  return code;
}

int Run(const Options& options) {
  std::vector<Problem> problems;
  Status status = bench::CheckTiming(options.bench);
  if (status.ok()) status = ListProblems(options, &problems);
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
  for (const Problem& problem : problems) {
    report.cases.push_back(RunCase(&bench, options, problem));
    fmt::print("{}", Table(report.cases.back(), options.top));
    std::fflush(stdout);
    if (report.cases.back().failure_code == StatusCode::kDriverError) break;
  }
  for (const std::string& path : options.bench.out) {
    status = bench::Write(report, path);
    if (!status.ok()) return Fail(status);
  }
  return Verdict(report);
}

void AddFlags(CLI::App* app, Options* options, bool* list) {
  bench::Options& timing = options->bench;
  timing.rounds = 3;
  timing.burst_ms = 4;
  timing.screen_ms = 4;
  timing.energy_ms = 0;
  app->add_option("SHAPE_FILE", options->shape_files, "products to time, one a line: layout m n k [batch]");
  app->add_option("--sizes", options->sizes, "N or MxNxK, several separated by commas")->delimiter(',');
  app->add_option("--layouts", options->layouts, "of --sizes: nk (default), kn or both")->delimiter(',');
  app->add_option("--parts", options->parts,
                  "in how many parts K is split between CTAs; several separated by commas (default 1)")
      ->delimiter(',');
  app->add_option("--only", options->only,
                  "time the shapes whose names contain this, such as 64x64x32 or t8x8");
  app->add_flag("--list", *list, "list the shapes' names and end");
  app->add_option("--top", options->top, "show this many shapes of each product (default 10); files have all");
  app->add_option("--vs", timing.versus, "rival: cublaslt (default) or none");
  app->add_option("--cublaslt-path", timing.cublaslt_path, "as for gemm bench");
  app->add_option("--rounds", timing.rounds, "timed bursts of each kernel (default 3)");
  app->add_option("--burst-ms", timing.burst_ms, "length of a burst (default 4)");
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
  CLI::App app(
      "Times FP32 kernels of many tile, warp and thread shapes.\nA shape's name: tile MxNxK, t: elements of a "
      "thread, "
      "w: warps along M, N and slices of K, s: stages, c: CTAs that registers are kept for, order of the "
      "FFMAs.",
      "gemm sweep");
  app.footer(tool::kExitCodesHelp);
  Options options;
  bool list = false;
  AddFlags(&app, &options, &list);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return Fail(tool::kBadInput, std::string(error.what()) + "; see gemm sweep --help");
  }
  return list ? List() : Run(options);
}

}  // namespace
}  // namespace gemm::sweep

int main(int argc, char** argv) {
  // Nothing below reports by throwing, but memory may run out anywhere.
  try {
    return gemm::sweep::Main(argc, argv);
  } catch (const std::exception& error) {
    return gemm::tool::Fail(gemm::tool::kInternal, std::string("unexpected: ") + error.what());
  }
}
