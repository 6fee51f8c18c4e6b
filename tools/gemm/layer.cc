// gemm layer: products in turn, as an engine launches them, against cuBLASLt.
#include "tools/gemm/layer/layer.h"

#include <fmt/core.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "tools/gemm/bench/report_files.h"
#include "tools/gemm/bench/session.h"
#include "tools/gemm/bench/timing_flags.h"
#include "tools/gemm/commands.h"
#include "tools/gemm/exit_code.h"
#include "tools/gemm/flags.h"
#include "tools/gemm/layer/report.h"
#include "tools/gemm/layer/run.h"
#include "tools/gemm/progress.h"

namespace gemm::tool {
namespace {

using bench::Bench;
using bench::ReportFiles;
using layer::Layer;
using layer::LayerResult;
using layer::Report;

struct Flags {
  bench::Options options;
  std::string tuning;
};

Status CheckOptions(Flags* flags) {
  if (const Status status = bench::CheckTiming(flags->options); !status.ok()) return status;
  if (flags->options.shape_files.empty())
    return Status(StatusCode::kInvalidArgument, "no shape file is given; see gemm layer --help");
  return bench::ReadTuning(flags->tuning, &flags->options);
}

// Times all layers, printing a row for each and writing the files as it is done.
void RunLayers(Bench* bench, const std::vector<Layer>& layers, Report* report, ReportFiles* files) {
  std::vector<LayerResult>* const results = &report->layers;
  fmt::print("{}\n", layer::ConsoleHeader());
  std::fflush(stdout);
  Progress progress("layer");
  const double total = static_cast<double>(layers.size());
  for (const Layer& one : layers) {
    const double done = static_cast<double>(results->size());
    results->push_back(layer::RunLayer(
        bench, one, [&](double part) { progress.Update((done + part) / total, layer::LayerText(one)); }));
    progress.Hide();
    fmt::print("{}\n", layer::ConsoleRow(results->back()));
    std::fflush(stdout);
    files->Write(layer::FormatsOf(*report));
    if (bench::ContextIsDead(results->back().failure_code)) break;
  }
}

// The first failure decides; every one is a line on stderr. A rival that is not timed is none.
int Verdict(const std::vector<LayerResult>& results, std::size_t expected) {
  FirstFailure failures;
  for (const LayerResult& result : results) {
    const auto add = [&](ExitCode code, const std::string& why) {
      failures.Add(code, fmt::format("{}: {}", layer::LayerText(result.layer), why));
    };
    if (!result.failure.empty()) {
      add(ExitCodeOf(result.failure_code), result.failure);
    } else if (!result.ours.failure.empty()) {
      add(result.ours.wrong ? kVerificationFailed : kInternal, result.ours.failure);
    }
  }
  if (results.size() < expected)
    Fail(kNoDevice, fmt::format("{} layers were not timed", expected - results.size()));
  return failures.code();
}

int Run(Flags flags) {
  std::vector<Layer> layers;
  ReportFiles files(flags.options.out);
  Status status = CheckOptions(&flags);
  if (status.ok()) status = files.Check();
  if (status.ok()) status = layer::ListLayers(flags.options, &layers);
  if (!status.ok()) return Fail(status);
  Bench bench;
  bench.options = flags.options;
  Report report;
  status = bench::Open(&bench, &report.circumstances);
  if (status.ok()) status = bench::NoteTuning(flags.options, layer::ProductsOf(layers), &report.circumstances);
  if (!status.ok()) return Fail(status);
  report.circumstances.protocol = layer::ProtocolText(flags.options, bench.rival != nullptr);
  bench::Print(report.circumstances);
  RunLayers(&bench, layers, &report, &files);
  fmt::print("{}", layer::Summary(report.layers));
  return files.ExitCode(Verdict(report.layers, layers.size()));
}

void AddFlags(Subcommand* sub, Flags* flags) {
  bench::Options& options = flags->options;
  sub->Add("SHAPE_FILE", &options.shape_files,
           "products, one a line: layout m n k [batch]; those of a file with the same m are a layer")
      .Takes("...");
  bench::AddTypeFlags(sub, &options);
  options.settle_ms = 2000;
  bench::AddTimingFlags(sub, &options);
  sub->Add("--screen-ms", &options.screen_ms,
           "length of the bursts that choose the rival's algorithm for each product, up to 200 (default 5)");
  sub->Add("--kernel", &options.kernel, "our kernel for every product, instead of the library's choice");
  bench::AddPlanFlags(sub, &options, &flags->tuning);
}

}  // namespace

void AddLayerCommand(CLI::App* app, Command* command) {
  const auto flags = std::make_shared<Flags>();
  Subcommand sub(app, "layer", "time the products of a layer in turn, as an engine launches them");
  AddFlags(&sub, flags.get());
  sub.Runs(command, [flags] { return Run(*flags); });
}

}  // namespace gemm::tool
