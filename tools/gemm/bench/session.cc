#include "tools/gemm/bench/session.h"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <utility>

#include "common/api/tuning.h"
#include "common/dispatch/explain.h"
#include "common/dispatch/query.h"
#include "common/dispatch/tuning.h"
#include "common/problem/problem.h"
#include "tools/gemm/bench/burst.h"
#include "tools/gemm/bench/entrant.h"
#include "tools/gemm/bench/report_files.h"
#include "tools/gemm/problem.h"

namespace gemm::tool::bench {
namespace {

// The command line of this process, quoted where a shell needs it.
std::string CommandLine() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string line;
  for (std::string word; std::getline(file, word, '\0');) {
    if (line.empty()) word = word.substr(word.rfind('/') + 1);
    const bool plain = !word.empty() && word.find_first_of(" \t\"'$\\*?<>|&;()") == std::string::npos;
    line += (line.empty() ? "" : " ") + (plain ? word : "'" + word + "'");
  }
  return line;
}

Status AddShapes(const Options& options, std::vector<io::Shape>* shapes) {
  for (const std::string& path : options.shape_files) {
    std::vector<io::Shape> more;
    if (Status status = io::ReadShapes(path, &more); !status.ok()) return status;
    shapes->insert(shapes->end(), more.begin(), more.end());
  }
  return Status();
}

// M, N and K log-uniform: M from 1 to 16384, N and K multiples of 8 (16 bytes of the 16-bit types) from 128 to 32768, B as
// engines keep weights. The same on every machine: std::mt19937_64's numbers are specified, distributions are not.
void AddRandom(int count, std::uint64_t seed, std::vector<io::Shape>* shapes) {
  std::mt19937_64 random(seed);
  const auto log_uniform = [&](double low, double high) {
    const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
    return low * std::exp(unit * std::log(high / low));
  };
  for (int i = 0; i < count; ++i) {
    io::Shape shape;
    shape.m = static_cast<std::int64_t>(log_uniform(1, 16384.99));
    shape.n = 8 * static_cast<std::int64_t>(log_uniform(16, 4096.99));
    shape.k = 8 * static_cast<std::int64_t>(log_uniform(16, 4096.99));
    shape.where = fmt::format("random product {}", i);
    shapes->push_back(shape);
  }
}

}  // namespace

Status CheckTiming(const Options& options) {
  const auto refuse = [](const std::string& text) { return Status(StatusCode::kInvalidArgument, text); };
  if (options.versus != "cublaslt" && options.versus != "none") {
    return refuse(fmt::format("--vs is '{}'; cublaslt and none are allowed", options.versus));
  }
  if (options.edges != "plain" && options.edges != "programmatic") {
    return refuse(fmt::format("--edges is '{}'; plain and programmatic are allowed", options.edges));
  }
  if (options.most_sets < 1 || options.most_sets > kMostSets)
    return refuse(fmt::format("--sets is {}; 1 to {} are allowed", options.most_sets, kMostSets));
  if (options.rounds < 1 || options.rounds > 1000)
    return refuse(fmt::format("--rounds is {}; 1 to 1000 are allowed", options.rounds));
  if (options.keep < 1) return refuse(fmt::format("--keep is {}; at least 1 is allowed", options.keep));
  for (const auto& [flag, ms] :
       {std::pair("--burst-ms", options.burst_ms), std::pair("--screen-ms", options.screen_ms)}) {
    if (!(ms >= 0.1 && ms <= kMostBurstMs))
      return refuse(fmt::format("{} is {}; 0.1 to {} are allowed", flag, ms, kMostBurstMs));
  }
  if (!(options.energy_ms >= 0 && options.energy_ms <= 60000)) {
    return refuse(fmt::format("--energy-ms is {}; 0 to 60000 are allowed", options.energy_ms));
  }
  if (!(options.settle_ms >= 0 && options.settle_ms <= 60000)) {
    return refuse(fmt::format("--settle-ms is {}; 0 to 60000 are allowed", options.settle_ms));
  }
  if (!(options.within >= 1))
    return refuse(fmt::format("--within is {}; at least 1 is allowed", options.within));
  if (options.random < 0 || options.random > 100000)
    return refuse(fmt::format("--random is {}; 0 to 100000 are allowed", options.random));
  return Status();
}

Status ListProblems(const Options& options, std::vector<Problem>* problems) {
  std::vector<io::Shape> shapes;
  if (Status status = AddShapes(options, &shapes); !status.ok()) return status;
  AddRandom(options.random, options.seed, &shapes);
  for (const std::string& name : options.types) {
    DataType in;
    ComputeType compute;
    if (!ParseInput(name, &in, &compute)) {
      return Status(StatusCode::kInvalidArgument,
                    fmt::format("--types has '{}'; fp32, fp16, bf16 and tf32 are allowed", name));
    }
    DataType out = in;
    if (!options.out_type.empty() && !ParseType(options.out_type, &out)) {
      return Status(StatusCode::kInvalidArgument,
                    fmt::format("--out-type is '{}'; fp32, fp16 and bf16 are allowed", options.out_type));
    }
    for (const io::Shape& shape : shapes) {
      Problem problem;
      Status status =
          MakeProblem(shape.layouts, shape.m, shape.n, shape.k, shape.batch, in, out, compute, &problem);
      // A type that is refused is no fault of the line.
      if (status.code() == StatusCode::kInvalidArgument)
        status = Status(status.code(), fmt::format("{}: {}", shape.where, status.message()));
      if (!status.ok()) return status;
      problems->push_back(problem);
    }
  }
  return Status();
}

Status ReadTuning(const std::string& path, Options* options) {
  if (path.empty()) return Status();
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file.good()) return Status(StatusCode::kInvalidArgument, fmt::format("{} cannot be read", path));
  options->tuning_path = path;
  const Status status = Tuning::Parse(text.str(), &options->tuning);
  return status.ok() ? status : Status(status.code(), fmt::format("{}: {}", path, status.message()));
}

std::string TuningKeyOf(const Problem& problem, const Options& options) {
  const PlanOptions plan = OptionsFor(options, "");
  problem::Normalized normalized;
  if (!problem::Normalize(problem, plan, &normalized).ok()) return "";
  normalized.c = normalized.d;
  return dispatch::TuningKey(normalized, plan);
}

Status NoteTuning(const Options& options, const std::vector<Problem>& problems, Circumstances* circumstances) {
  if (options.tuning_path.empty()) return Status();
  dispatch::Device device;
  const Status status = dispatch::QueryDevice(options.device, &device);
  if (!status.ok()) return status;
  const dispatch::TuningTable& table = options.tuning.impl()->table;
  if (!dispatch::IsFor(table, device)) {
    fmt::print(stderr, "gemm: warning: {} has no effect: it is of version {} on {}; this is version {} on {}\n",
               options.tuning_path, table.version, table.device, Version(), dispatch::ToString(device));
  }
  const auto named = std::count_if(problems.begin(), problems.end(), [&](const Problem& problem) {
    return !dispatch::FindTuned(table, device, TuningKeyOf(problem, options)).empty();
  });
  circumstances->tuning =
      fmt::format("{} names a kernel for {} of {} products", options.tuning_path, named, problems.size());
  return Status();
}

Status Open(Bench* bench, Circumstances* circumstances) {
  const Options& options = bench->options;
  dispatch::Device device;
  Status status = dispatch::QueryDevice(options.device, &device);
  if (status.ok()) status = gpu::Context::Primary(options.device, &bench->context);
  if (status.ok()) status = gpu::Stream::Create(&bench->stream);
  int cuda = 0;
  if (status.ok()) status = gpu::DriverVersion(&cuda);
  if (!status.ok()) return status;
  bench->l2_bytes = static_cast<std::size_t>(device.l2_bytes);

  circumstances->command = CommandLine();
  circumstances->date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  circumstances->library = Version();
  circumstances->device = dispatch::ToString(device);
  circumstances->edges = options.edges;
  circumstances->constant_b = options.constant_b;
  const Status meters = nvml::Gpu::Open(options.device, &bench->nvml);
  circumstances->meters = meters.ok() ? fmt::format("Power limit {:.0f} W, {:.0f} C at the start",
                                                    bench->nvml.PowerLimitWatts().value_or(0),
                                                    bench->nvml.TemperatureCelsius().value_or(0))
                                      : meters.message();
  const std::string version = bench->nvml.DriverVersion();
  circumstances->driver =
      fmt::format("Driver {} with CUDA {}.{}", version.empty() ? "of unknown version" : version, cuda / 1000,
                  cuda % 1000 / 10);

  if (!options.beside.empty()) {
    if (status = OtherBuild::Load(options.beside, &bench->beside); !status.ok()) return status;
    circumstances->beside = options.beside;
  }
  if (options.versus == "none") {
    bench->rival_note = "none, as asked";
  } else {
    Status rival = rival::CublasLt::Load(options.cublaslt_path, &bench->rival);
    if (rival.ok()) rival = bench->rival->CreateHandle();
    // A path that leads nowhere is a mistake; a machine without cuBLASLt is not.
    if (!rival.ok() && !options.cublaslt_path.empty()) return rival;
    if (!rival.ok()) bench->rival.reset();
    bench->rival_note = OneLine(rival.message());
  }
  circumstances->protocol = ProtocolText(options, bench->rival != nullptr);
  circumstances->rival = bench->rival != nullptr
                             ? fmt::format("cuBLASLt {} ({})", bench->rival->version(), bench->rival->path())
                             : bench->rival_note;
  return Status();
}

void Print(const Circumstances& c) {
  fmt::print(
      "command   {}\ndate      {}, libgemm {}\ndevice    {}\ndriver    {}\nrival     {}\nmeters    {}\n"
      "edges     {}\n{}protocol  {}\n",
      c.command, c.date, c.library, c.device, c.driver, c.rival, c.meters, EdgesText(c),
      c.tuning.empty() ? "" : fmt::format("tuning    {}\n", c.tuning), c.protocol);
}

void AddFailures(const CaseResult& result, FirstFailure* failures) {
  const auto add = [&](ExitCode code, const std::string& why) {
    failures->Add(result.verified() ? code : kVerificationFailed,
                  fmt::format("{}: {}", ProblemText(result.problem), why));
  };
  if (!result.failure.empty()) return add(ExitCodeOf(result.failure_code), result.failure);
  const EntrantResult* first = nullptr;
  std::size_t failed = 0;
  for (const EntrantResult& entrant : result.entrants) {
    const bool ours = entrant.side == Side::kOurs || entrant.side == Side::kOtherRow;
    const bool may_refuse = entrant.side == Side::kRung || entrant.side == Side::kShape;
    const bool counts = (ours && !entrant.failure.empty()) || (may_refuse && !(entrant.worst_error <= 1));
    if (!counts) continue;
    if (failed++ == 0) first = &entrant;
  }
  if (failed == 0) return;
  add(kInternal, fmt::format("{}: {}{}", first->name, first->failure,
                             failed == 1 ? "" : fmt::format("; {} more kernels failed", failed - 1)));
}

bool ContextIsDead(StatusCode failure) {
  return failure == StatusCode::kDriverError && !gpu::Synchronize().ok();
}

int TimeCases(const Options& options, std::size_t count,
              const std::function<CaseResult(Bench* bench, std::size_t index)>& run,
              const std::function<std::string(const CaseResult& result)>& table,
              const std::function<int(const Report& report)>& verdict) {
  ReportFiles files(options.out);
  Bench bench;
  bench.options = options;
  Report report;
  Status status = CheckTiming(options);
  if (status.ok()) status = files.Check();
  if (status.ok()) status = Open(&bench, &report.circumstances);
  if (!status.ok()) return Fail(status);
  Print(report.circumstances);
  for (std::size_t i = 0; i < count; ++i) {
    report.cases.push_back(run(&bench, i));
    fmt::print("{}", table(report.cases.back()));
    std::fflush(stdout);
    files.Write(FormatsOf(report));
    if (ContextIsDead(report.cases.back().failure_code)) break;
  }
  const int code = verdict(report);
  if (report.cases.size() < count)
    Fail(kNoDevice, fmt::format("{} products were not timed", count - report.cases.size()));
  return files.ExitCode(code);
}

}  // namespace gemm::tool::bench
