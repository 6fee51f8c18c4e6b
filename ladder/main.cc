// The command `gemm-ladder`, which `gemm ladder` starts.
#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <vector>

#include "ladder/ladder.h"
#include "ladder/table.h"
#include "tools/gemm/bench/report.h"
#include "tools/gemm/bench/session.h"
#include "tools/gemm/bench/timing_flags.h"
#include "tools/gemm/exit_code.h"
#include "tools/gemm/program.h"

namespace gemm::ladder {
namespace {

namespace bench = tool::bench;

int List() {
  for (const Rung& rung : Rungs()) {
    fmt::print("{:17} {}>{}  {}{}\n", rung.name, Name(rung.in), Name(rung.out), rung.idea,
               rung.sweep ? " (--sweeps)" : "");
  }
  return tool::kOk;
}

// The first failure decides. A rung that refuses a size is a failure where the user named it and it ran at no size.
int Verdict(const Options& options, const bench::Report& report) {
  tool::FirstFailure failures;
  for (const bench::CaseResult& result : report.cases) bench::AddFailures(result, &failures);
  for (const std::string& name : options.rungs) {
    bool ran = false;
    std::string why;
    for (const bench::CaseResult& result : report.cases) {
      for (const bench::EntrantResult& entrant : result.entrants) {
        if (entrant.side != bench::Side::kRung || entrant.name != name) continue;
        ran = ran || !entrant.round_us.empty();
        why = entrant.failure.empty() ? result.failure : entrant.failure;
      }
    }
    if (!ran) failures.Add(tool::kBadInput, fmt::format("{} ran at no size: {}", name, why));
  }
  return failures.code();
}

int Run(const Options& options) {
  std::vector<Group> groups;
  if (const Status status = ListGroups(options, &groups); !status.ok()) return tool::Fail(status);
  const auto run = [&](bench::Bench* bench, std::size_t i) { return RunGroup(bench, groups[i]); };
  const auto verdict = [&](const bench::Report& report) { return Verdict(options, report); };
  return bench::TimeCases(options.bench, groups.size(), run, Table, verdict);
}

void AddFlags(tool::FlagSet flags, Options* options, bool* list) {
  bench::Options& timing = options->bench;
  timing.rounds = 5;
  timing.energy_ms = 0;
  timing.beta = 1;
  flags.Add("--type", &options->type, "of A and B: fp32 (default), fp16, bf16");
  flags.Add("--sizes", &options->sizes, "N or MxNxK, several separated by commas (default 4096)")
      .CommaSeparated();
  flags.Add("--rungs", &options->rungs, "names (--list), instead of all rungs of the type").CommaSeparated();
  flags.AddSwitch("--sweeps", &options->sweeps, "also the steps of the write-ups' sweeps");
  flags.AddSwitch("--list", list, "list all rungs and end");
  flags.Add("--beta", &timing.beta, "of C, which is not D (default 1); 0: C is not read");
  bench::AddTimingFlags(&flags, &timing);
}

}  // namespace
}  // namespace gemm::ladder

int main(int argc, char** argv) {
  gemm::tool::Program program(
      "gemm ladder", "The write-ups' kernels against libgemm and cuBLASLt, beside the published figures.");
  gemm::ladder::Options options;
  bool list = false;
  gemm::ladder::AddFlags(program.flags(), &options, &list);
  return program.Main(argc, argv, [&] { return list ? gemm::ladder::List() : gemm::ladder::Run(options); });
}
