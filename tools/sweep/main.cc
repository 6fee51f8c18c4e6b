// The command `gemm-sweep`, which `gemm sweep` starts.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "tools/gemm/bench/report.h"
#include "tools/gemm/bench/session.h"
#include "tools/gemm/bench/timing_flags.h"
#include "tools/gemm/exit_code.h"
#include "tools/gemm/problem.h"
#include "tools/gemm/program.h"
#include "tools/sweep/shape.h"
#include "tools/sweep/sweep.h"

namespace gemm::sweep {
namespace {

namespace bench = tool::bench;

int List() {
  for (const Shape& shape : Shapes()) fmt::print("{}\n", shape.name);
  return tool::kOk;
}

// The first failure decides.
int Verdict(const bench::Report& report) {
  tool::FirstFailure failures;
  for (const bench::CaseResult& result : report.cases) {
    bench::AddFailures(result, &failures);
    const bool any = std::any_of(result.entrants.begin(), result.entrants.end(), [](const auto& entrant) {
      return entrant.side == bench::Side::kShape && !entrant.round_us.empty();
    });
    if (!any && result.failure.empty()) {
      failures.Add(tool::kBadInput, tool::ProblemText(result.problem) + ": no shape of the grid takes it");
    }
  }
  return failures.code();
}

int Run(const Options& options) {
  std::vector<Problem> problems;
  if (const Status status = ListProblems(options, &problems); !status.ok()) return tool::Fail(status);
  const auto run = [&](bench::Bench* bench, std::size_t i) { return RunCase(bench, options, problems[i]); };
  const auto table = [&](const bench::CaseResult& result) { return Table(result, options.top); };
  return bench::TimeCases(options.bench, problems.size(), run, table, Verdict);
}

void AddFlags(tool::FlagSet flags, Options* options, bool* list) {
  bench::Options& timing = options->bench;
  timing.rounds = 3;
  timing.burst_ms = 4;
  timing.screen_ms = 4;
  timing.energy_ms = 0;
  flags.Add("SHAPE_FILE", &options->shape_files, "products to time, one a line: layout m n k [batch]");
  flags.Add("--sizes", &options->sizes, "N or MxNxK, several separated by commas").CommaSeparated();
  flags.Add("--layouts", &options->layouts, "of --sizes: nk (default), kn or both").CommaSeparated();
  flags
      .Add("--parts", &options->parts,
           "in how many parts K is split between CTAs; several separated by commas (default 1)")
      .CommaSeparated();
  flags.Add("--only", &options->only, "time the shapes whose names contain this, such as 64x64x32 or t8x8");
  flags.AddSwitch("--list", list, "list the shapes' names and end");
  flags.Add("--top", &options->top, "show this many shapes of each product (default 10); files have all");
  bench::AddTimingFlags(&flags, &timing);
}

}  // namespace
}  // namespace gemm::sweep

int main(int argc, char** argv) {
  gemm::tool::Program program(
      "gemm sweep",
      "Times FP32 kernels of many tile, warp and thread shapes.\nA shape's name: tile MxNxK, t: elements of a "
      "thread, w: warps along M, N and slices of K, s: stages, c: CTAs that registers are kept for, order of "
      "the "
      "FFMAs.");
  gemm::sweep::Options options;
  bool list = false;
  gemm::sweep::AddFlags(program.flags(), &options, &list);
  return program.Main(argc, argv, [&] { return list ? gemm::sweep::List() : gemm::sweep::Run(options); });
}
