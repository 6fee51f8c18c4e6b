// gemm calibrate: how good predictions are on this device, and the constants that would fit it.
#include <fmt/core.h>

#include <memory>
#include <string>
#include <vector>

#include "common/dispatch/query.h"
#include "common/dispatch/registry.h"
#include "tools/gemm/bench/case.h"
#include "tools/gemm/bench/session.h"
#include "tools/gemm/calibrate/features.h"
#include "tools/gemm/calibrate/report.h"
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
using calibrate::Measurements;
using calibrate::Predictor;
using calibrate::Results;
using calibrate::TimedProduct;

constexpr int kDefaultRandom = 200;
constexpr std::size_t kWorstShown = 10;
// Of so many products, the last is held back from the fit, if there are twice as many.
constexpr std::size_t kHeldBack = 4;

struct Flags {
  bench::Options options;
  std::string from;
  std::string out;
  std::string features;
  bool report = false;
};

// The rows of a case that have a time.
TimedProduct ProductOf(const CaseResult& result, const bench::Options& options) {
  TimedProduct product;
  product.problem = result.problem;
  product.b_early = options.programmatic() && options.constant_b;
  (void)calibrate::NormalizeProduct(&product);
  for (const dispatch::KernelRow* row : dispatch::Registry()) {
    for (const bench::EntrantResult& entrant : result.entrants) {
      const bool timed = entrant.failure.empty() && !entrant.round_us.empty();
      if (timed && entrant.name == row->name) product.rows.push_back({row, entrant.MedianUs()});
    }
  }
  return product;
}

Status Write(const std::string& path, const Measurements& measurements, const Results& results) {
  return path.empty() ? Status() : io::WriteFile(path, calibrate::ToJson(measurements, results), "");
}

// Keeps the times of a case and prints how many kernels they are of; what failed is a line on stderr.
void Take(const CaseResult& result, const bench::Options& options, std::vector<TimedProduct>* products,
          FirstFailure* failures) {
  TimedProduct product = ProductOf(result, options);
  fmt::print("{:<44} {:>4} kernels timed\n", ProblemText(result.problem), product.rows.size());
  std::fflush(stdout);
  bench::AddFailures(result, failures);
  if (!product.rows.empty()) products->push_back(std::move(product));
}

// Writes the file after each product, so that a run that is cut off leaves what it has measured.
Status TimeAll(const Flags& flags, Measurements* measurements, FirstFailure* failures) {
  std::vector<Problem> problems;
  Bench bench;
  bench.options = flags.options;
  bench::Circumstances circumstances;
  Status status = bench::ListProblems(flags.options, &problems);
  if (status.ok()) status = bench::Open(&bench, &circumstances);
  if (status.ok()) status = dispatch::QueryDevice(flags.options.device, &measurements->device);
  if (!status.ok()) return status;
  bench::Print(circumstances);
  measurements->circumstances = {
      {"command", circumstances.command},  {"date", circumstances.date},
      {"libgemm", circumstances.library},  {"driver", circumstances.driver},
      {"meters", circumstances.meters},    {"edges", bench::EdgesText(circumstances)},
      {"protocol", circumstances.protocol}};
  Progress progress("calibrate");
  const double total = static_cast<double>(problems.size());
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const CaseResult result = bench::RunCase(&bench, problems[i], [&](double part) {
      progress.Update((static_cast<double>(i) + part) / total, ProblemText(problems[i]));
    });
    progress.Hide();
    Take(result, bench.options, &measurements->products, failures);
    if (status = Write(flags.out, *measurements, {}); !status.ok()) return status;
    if (!bench::ContextIsDead(result.failure_code)) continue;
    if (i + 1 < problems.size())
      Fail(kNoDevice, fmt::format("{} products were not timed", problems.size() - i - 1));
    break;
  }
  return Status();
}

Status Gather(const Flags& flags, Measurements* measurements, FirstFailure* failures) {
  Status status = bench::CheckTiming(flags.options);
  if (status.ok()) status = io::CheckFolder("--out", flags.out);
  if (status.ok()) status = io::CheckFolder("--features", flags.features);
  if (status.ok() && flags.from.empty()) status = TimeAll(flags, measurements, failures);
  if (status.ok() && !flags.from.empty()) {
    calibrate::LeftOut left_out;
    status = calibrate::Read(flags.from, measurements, &left_out);
    if (left_out.unknown != 0)
      fmt::print("{} times are of rows that this library does not have\n", left_out.unknown);
    if (left_out.rejected != 0)
      fmt::print("{} times are of rows that cannot run their product\n", left_out.rejected);
  }
  if (!status.ok() || !measurements->products.empty()) return status;
  return Status(StatusCode::kInvalidArgument, "no product was timed");
}

void Split(const std::vector<TimedProduct>& all, std::vector<TimedProduct>* fitted,
           std::vector<TimedProduct>* held_back) {
  const bool enough = all.size() >= 2 * kHeldBack;
  for (std::size_t i = 0; i < all.size(); ++i)
    (enough && i % kHeldBack == kHeldBack - 1 ? held_back : fitted)->push_back(all[i]);
}

void FitAll(const Measurements& measurements, Results* results) {
  std::vector<TimedProduct> fitted, held_back;
  Split(measurements.products, &fitted, &held_back);
  const Predictor before(measurements.device);
  Predictor after(measurements.device);
  for (const dispatch::CostModel* model : calibrate::ModelsOf(fitted)) {
    results->fits.push_back(calibrate::FitModel(*model, fitted, measurements.device));
    after.Replace(model, results->fits.back().after);
    fmt::print("\n{}{}", calibrate::FitText(results->fits.back()),
               calibrate::EntryText(results->fits.back(), measurements.device));
  }
  results->regret_fitted = calibrate::Judge(measurements.products, after);
  fmt::print("\nregret of the fitted constants: {}",
             calibrate::RegretText(results->regret_fitted, kWorstShown));
  if (held_back.empty()) return;
  fmt::print("of products that the fit did not see: before {}  after {}",
             calibrate::RegretText(calibrate::Judge(held_back, before), 0),
             calibrate::RegretText(calibrate::Judge(held_back, after), 0));
}

int Calibrate(Flags flags) {
  if (flags.options.shape_files.empty() && flags.options.random == 0) flags.options.random = kDefaultRandom;
  Measurements measurements;
  FirstFailure failures;
  Status status = Gather(flags, &measurements, &failures);
  if (!status.ok()) {
    // That no product was timed has a reason, where one failed.
    const int code = Fail(status);
    return failures.code() == kOk ? code : failures.code();
  }
  Results results;
  const Predictor predictor(measurements.device);
  results.regret = calibrate::Judge(measurements.products, predictor);
  results.residuals = calibrate::ResidualsOf(measurements.products, predictor);
  fmt::print("\nresiduals\n{}\nregret: {}", calibrate::ResidualsText(results.residuals),
             calibrate::RegretText(results.regret, kWorstShown));
  if (!flags.report) FitAll(measurements, &results);
  status = Write(flags.out, measurements, results);
  if (status.ok() && !flags.features.empty())
    status = io::WriteFile(flags.features, calibrate::FeaturesCsv(measurements), "");
  return status.ok() ? failures.code() : Fail(status);
}

// Each is refused beside `from`: times that are there are not taken.
void AddMeasuringFlags(Subcommand* sub, const Flag& from, bench::Options* options) {
  sub->Add("--shapes", &options->shape_files, "products to time, one a line: layout m n k [batch]")
      .Takes("FILE")
      .Excludes(from);
  sub->Add("--random", &options->random,
           fmt::format("further products: this many with M, N and K log-uniform, by --seed (default {} "
                       "without --shapes)",
                       kDefaultRandom))
      .Excludes(from);
  sub->Add("--types", &options->types,
           "types of A and B, comma-separated: fp32, fp16, bf16, tf32 (default bf16)")
      .CommaSeparated()
      .Excludes(from);
  sub->Add("--rounds", &options->rounds, "timed bursts of each kernel (default 3)").Excludes(from);
  sub->Add("--burst-ms", &options->burst_ms, "length of a burst, up to 200 (default 5)").Excludes(from);
  sub->Add("--within", &options->within,
           "time kernels predicted to take up to this many times the chosen one's time (default 10)")
      .Excludes(from);
  sub->Add("--edges", &options->edges, "between launches: plain (default) or programmatic").Excludes(from);
  sub->AddSwitch("--constant-b", &options->constant_b, "declare B constant, as weights are").Excludes(from);
  sub->Add("--sets", &options->most_sets, "at most this many sets of operands (default 1024)").Excludes(from);
  sub->Add("--device", &options->device, "number of the GPU (default 0)").Excludes(from);
  sub->Add("--seed", &options->seed, "of the products, the data and the order (default 1)")
      .Unsigned()
      .Excludes(from);
}

void AddFlags(Subcommand* sub, Flags* flags) {
  bench::Options& options = flags->options;
  options.versus = "none";
  options.all_kernels = true;
  options.screen = false;
  options.rounds = 3;
  options.burst_ms = 5;
  options.energy_ms = 0;
  options.within = 10;
  const Flag from =
      sub->Add("--from", &flags->from, "times of an earlier --out instead of new ones; needs no GPU")
          .Takes("FILE.json");
  AddMeasuringFlags(sub, from, &options);
  sub->AddSwitch("--report", &flags->report,
                 "fit nothing: residuals and regret of the constants in the library");
  sub->Add("--out", &flags->out, "write times, residuals, regret and constants to this file")
      .Takes("FILE.json");
  sub->Add("--features", &flags->features,
           "write each time with what the correction of its prediction goes by (forest.py learns from it)")
      .Takes("FILE.csv");
}

}  // namespace

void AddCalibrateCommand(CLI::App* app, Command* command) {
  const auto flags = std::make_shared<Flags>();
  Subcommand sub(app, "calibrate", "fit the constants of predictions to times of every kernel");
  sub.Footer(
      "Regret is the time of the kernel with the least predicted time over that of the fastest one timed.\n"
      "Constants that fit better are for the tables in the library's source: hopper/cost.h.");
  AddFlags(&sub, flags.get());
  sub.Runs(command, [flags] { return Calibrate(*flags); });
}

}  // namespace gemm::tool
