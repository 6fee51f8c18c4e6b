// gemm run: one product, verified.
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>

#include "common/dispatch/explain.h"
#include "common/dispatch/query.h"
#include "tests/support/compare.h"
#include "tests/support/oracle.h"
#include "tools/gemm/commands.h"
#include "tools/gemm/compute.h"
#include "tools/gemm/emulated_gpu.h"
#include "tools/gemm/exit_code.h"
#include "tools/gemm/flags.h"
#include "tools/gemm/problem_flags.h"
#include "tools/gemm/progress.h"
#include "tools/io/npy.h"
#include "tools/io/write_file.h"

namespace gemm::tool {
namespace {

constexpr std::int64_t kDefaultSizeGpu = 4096;
constexpr std::int64_t kDefaultSizeEmulated = 256;
constexpr std::int64_t kDefaultSizeHost = 512;
// Multiply-adds that the emulated GPU is given when nobody asked for it: 512^3, which took 0.2 s on the Hopper kernel and 1.5 s
// on SIMT (2026-11-21).
constexpr double kEmulatedBudget = 1.4e8;
// Multiply-adds that the oracle spends before it samples rows: about two seconds on two cores.
constexpr double kOracleBudget = 2e9;
// Beyond this, the time that the host needs is announced.
constexpr double kAnnouncedSeconds = 20;

struct Options {
  ProblemFlags problem;
  std::string a, b, c, out;
  float alpha = 1;
  float beta = 0;
  std::string fill = "normal";
  std::uint64_t seed = 1;
  std::string on = "auto";
  int device = 0;
  std::string kernel;
  std::string verify = "auto";
};

// Where the product is computed.
struct Place {
  enum Kind { kGpu, kEmulated, kHost };
  Kind kind = kHost;
  std::string line;  // says so

  bool has_device() const { return kind != kHost; }
  std::int64_t default_size() const {
    return kind == kGpu ? kDefaultSizeGpu : kind == kEmulated ? kDefaultSizeEmulated : kDefaultSizeHost;
  }
};

Status FindDevice(int number, dispatch::Device* device) {
  Status status = dispatch::QueryDevice(number, device);
  if (status.ok() && device->compute_capability() < 80) {
    status = Status(StatusCode::kArchitectureTooOld,
                    fmt::format("{} has compute capability {}.{}; 8.0 and newer are supported", device->name,
                                device->compute_capability_major, device->compute_capability_minor));
  }
  return status;
}

Status UseEmulatedGpu(const Options& options, const std::string& why, Place* place) {
  dispatch::Device device;
  Status status = OpenEmulatedGpu();
  if (status.ok()) status = FindDevice(options.device, &device);
  if (!status.ok()) return status;
  place->kind = Place::kEmulated;
  place->line = fmt::format("{}: running the kernel on the emulated GPU, device {}: {}", why, options.device,
                            dispatch::ToString(device));
  return Status();
}

// Multiply-adds of the product; the sizes that nobody gave are the emulated GPU's.
double EmulatedWork(const ProblemFlags& flags) {
  const auto size = [](const std::optional<std::int64_t>& value) {
    return static_cast<double>(value.value_or(kDefaultSizeEmulated));
  };
  return size(flags.m) * size(flags.n) * size(flags.k) * static_cast<double>(flags.batch);
}

Status FindPlace(const Options& options, const ProblemFlags& flags, Place* place) {
  if (options.on == "host") {
    place->line = "computing on the host, as asked";
    return Status();
  }
  if (options.on == "emulated") return UseEmulatedGpu(options, "as asked", place);
  const bool asked = options.on == "gpu" || options.device != 0;
  if (!asked && !HasGpu()) {
    const bool small = EmulatedWork(flags) <= kEmulatedBudget;
    if (small || !options.kernel.empty()) {
      const Status status = UseEmulatedGpu(options, "no GPU", place);
      if (status.ok() || !options.kernel.empty()) return status;
      place->line = fmt::format("no GPU, and {}; computing on the host", OneLine(status.message()));
    } else {
      place->line = "no GPU, and too much for the emulated one; computing on the host";
    }
    return Status();
  }
  dispatch::Device device;
  const Status status = FindDevice(options.device, &device);
  if (status.ok()) {
    place->kind = Place::kGpu;
    place->line = fmt::format("device {}: {}", options.device, dispatch::ToString(device));
    return Status();
  }
  // Who names a device or a kernel wants that, and no replacement.
  if (asked || !options.kernel.empty()) return status;
  place->line = fmt::format("no GPU: {}; computing on the host", OneLine(status.message()));
  return Status();
}

// Files that were named, and the sizes that follow from them and from the flags.
struct Inputs {
  std::optional<io::Tensor> a, b, c;
};

Status LoadOne(const char* flag, const std::string& where, bool transposed, Dimension* rows, Dimension* cols,
               std::optional<io::Tensor>* tensor) {
  if (where.empty()) return Status();
  tensor->emplace();
  Status status = LoadMatrix(flag, where, &**tensor);
  const std::string source = fmt::format("{} {}", flag, where);
  if (status.ok()) status = rows->Set((*tensor)->shape[transposed ? 1 : 0], source);
  if (status.ok()) status = cols->Set((*tensor)->shape[transposed ? 0 : 1], source);
  return status;
}

Status LoadInputs(const Options& options, Inputs* inputs, ProblemFlags* flags) {
  io::Layouts layouts;
  if (!io::ParseLayouts(flags->layout, &layouts)) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("--layout is '{}'; allowed are {}", flags->layout, io::LayoutsHelp()));
  }
  const bool any = !options.a.empty() || !options.b.empty() || !options.c.empty();
  if (any && flags->batch != 1) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("--batch is {}; with matrices from files it must be 1", flags->batch));
  }
  Dimension m("m"), n("n"), k("k");
  Status status;
  if (flags->m) status = m.Set(*flags->m, "--m");
  if (flags->n && status.ok()) status = n.Set(*flags->n, "--n");
  if (flags->k && status.ok()) status = k.Set(*flags->k, "--k");
  const auto column = [](Layout layout) { return layout == Layout::kColumnMajor; };
  if (status.ok()) status = LoadOne("--a", options.a, column(layouts.a), &m, &k, &inputs->a);
  if (status.ok()) status = LoadOne("--b", options.b, column(layouts.b), &k, &n, &inputs->b);
  if (status.ok()) status = LoadOne("--c", options.c, column(layouts.d), &m, &n, &inputs->c);
  if (!status.ok()) return status;
  // A size that no file and no flag gives stays open.
  if (m.ValueOr(-1) >= 0) flags->m = m.ValueOr(0);
  if (n.ValueOr(-1) >= 0) flags->n = n.ValueOr(0);
  if (k.ValueOr(-1) >= 0) flags->k = k.ValueOr(0);
  return Status();
}

// Moves a file's matrix into `bytes` as `view.type`, or makes one.
Status Provide(std::optional<io::Tensor>* tensor, const tests::View& view, tests::Fill fill,
               tests::Operand operand, std::uint64_t seed, Bytes* bytes) {
  if (!tensor->has_value()) {
    Generate(view, fill, operand, seed, bytes);
    return Status();
  }
  *bytes = std::move((*tensor)->data);
  return io::Convert((*tensor)->element, view.type, bytes);
}

// Rows that the oracle computes: all when that is affordable.
Status ChooseRows(const Options& options, const Problem& problem, std::vector<std::int64_t>* rows) {
  const double per_row = Flops(problem) / 2 / std::max(1.0, static_cast<double>(problem.m));
  double count = std::max(16.0, kOracleBudget / std::max(per_row, 1.0));
  if (options.verify != "auto" && options.verify != "all") {
    char* end = nullptr;
    const long long asked = std::strtoll(options.verify.c_str(), &end, 10);
    if (*end != '\0' || asked < 1) {
      return Status(
          StatusCode::kInvalidArgument,
          fmt::format("--verify is '{}'; auto, all, none and a number of rows are allowed", options.verify));
    }
    count = static_cast<double>(asked);
  }
  rows->clear();
  if (options.verify != "all" && count < static_cast<double>(problem.m)) {
    *rows = tests::SampleRows(problem.m, static_cast<std::int64_t>(count), options.seed);
  }
  return Status();
}

// `rows`: those that the oracle computes; empty means all.
Status CheckMemory(const Options& options, const Problem& problem, const std::vector<std::int64_t>& rows) {
  const auto bytes = [](const tests::View& view) { return static_cast<double>(tests::ExtentBytes(view)); };
  double need =
      bytes(tests::ViewOfA(problem)) + bytes(tests::ViewOfB(problem)) + bytes(tests::ViewOfD(problem));
  if (options.beta != 0) need += bytes(tests::ViewOfC(problem));
  // Files are converted, which needs them twice.
  if (!options.a.empty() || !options.b.empty() || !options.c.empty()) need *= 1.5;
  if (options.verify == "none") return io::CheckHostMemory(need, "the matrices");
  // The oracle keeps 16 bytes an element of its rows.
  const double judged = rows.empty() ? static_cast<double>(problem.m) : static_cast<double>(rows.size());
  need += 16 * judged * static_cast<double>(problem.n) * static_cast<double>(problem.batch);
  return io::CheckHostMemory(need, "the matrices and their verification (--verify)");
}

Status MakeProduct(const Options& options, const Problem& problem, const std::vector<std::int64_t>& rows,
                   Inputs* inputs, Product* product) {
  const std::optional<tests::Fill> fill = tests::ParseFill(options.fill);
  if (!fill) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("--fill is '{}'; normal, integers, zeros, special and subnormal are allowed",
                              options.fill));
  }
  Status status = CheckMemory(options, problem, rows);
  if (!status.ok()) return status;
  product->problem = problem;
  product->alpha = options.alpha;
  product->beta = options.beta;
  using tests::Operand;
  status = Provide(&inputs->a, tests::ViewOfA(problem), *fill, Operand::kA, options.seed, &product->a);
  if (status.ok())
    status = Provide(&inputs->b, tests::ViewOfB(problem), *fill, Operand::kB, options.seed, &product->b);
  if (status.ok() && options.beta != 0) {
    status = Provide(&inputs->c, tests::ViewOfC(problem), *fill, Operand::kC, options.seed, &product->c);
  }
  return status;
}

void AnnounceHostTime(const Problem& problem) {
  const double seconds = EstimateHostSeconds(problem);
  if (seconds > kAnnouncedSeconds) fmt::print("estimate  {} on this machine\n", DurationText(seconds));
  std::fflush(stdout);
}

void PrintSpeed(const Problem& problem, const Computed& computed) {
  fmt::print("kernel    {}\n", computed.kernel);
  if (computed.seconds <= 0) return;  // nothing was computed, or nothing that tells
  fmt::print("time      {:.1f} us, {:.4g} TFLOP/s ({})\n", computed.seconds * 1e6,
             Flops(problem) / computed.seconds * 1e-12, computed.timing);
}

// Prints the verdict, and tells kOk, kVerificationFailed where D misses the bound, or kBadInput where no element of it can be judged.
ExitCode PrintVerdict(const tests::CheckReport& report, const std::string& sample, bool exact) {
  if (report.wrong != 0) {
    fmt::print("WRONG     {}: {}\n", sample, report.ToString());
    return kVerificationFailed;
  }
  if (report.judged == 0) {
    fmt::print("verified  no: {}\n", report.ToString());
    return kBadInput;
  }
  fmt::print("verified  {} against FP64: largest error {:.3g}, {:.3g} of its bound{}\n", sample,
             report.max_error, report.worst_ratio, exact ? ", bit for bit" : "");
  if (report.not_judged() != 0) {
    fmt::print("unjudged  {} of {} elements: their sums of magnitudes pass FP32's range\n", report.not_judged(),
               report.checked);
  }
  return kOk;
}

ExitCode Verify(const Options& options, const Product& product, const std::vector<std::int64_t>& rows,
                Computed* computed) {
  const Problem& problem = product.problem;
  if (computed->d.empty()) {
    fmt::print("verified  nothing to verify: D is empty\n");
    return kOk;
  }
  Progress progress("verifying");
  tests::OracleOptions oracle;
  oracle.rows = rows;
  oracle.progress = [&](double fraction) { progress.Update(fraction); };
  const tests::Expected expected =
      tests::ComputeOracle(problem, product.a.data(), product.b.data(),
                           product.c.empty() ? nullptr : product.c.data(), product.alpha, product.beta, oracle);
  progress.Hide();
  const tests::View d = tests::ViewOfD(problem, computed->d.data());
  tests::CheckReport report = tests::CheckBound(expected, d);
  const bool made = options.a.empty() && options.b.empty() && (options.beta == 0 || options.c.empty());
  const bool exact =
      made && options.fill == "integers" && tests::IsExactProduct(problem, options.alpha, options.beta);
  if (report.ok() && exact) report = tests::CheckExact(expected, d);
  const std::string sample = rows.empty()
                                 ? fmt::format("all {} rows", problem.m)
                                 : fmt::format("{} of {} rows (first, last, middle, others by seed {})",
                                               rows.size(), problem.m, options.seed);
  return PrintVerdict(report, sample, exact);
}

Status WriteResult(const Options& options, const Problem& problem, Bytes* d) {
  if (options.out.empty()) return Status();
  io::Tensor tensor;
  tensor.element = problem.d.type == DataType::kFP32   ? io::Element::kF32
                   : problem.d.type == DataType::kFP16 ? io::Element::kF16
                                                       : io::Element::kBF16;
  if (problem.batch != 1) tensor.shape.push_back(problem.batch);
  const bool transposed = problem.d.layout == Layout::kColumnMajor;
  tensor.shape.push_back(transposed ? problem.n : problem.m);
  tensor.shape.push_back(transposed ? problem.m : problem.n);
  tensor.data = std::move(*d);
  Status status = io::WriteNpy(options.out, tensor);
  if (!status.ok()) return status;
  fmt::print("wrote     {} {}{}{}\n", options.out, io::ShapeText(tensor.shape),
             problem.d.type == DataType::kBF16 ? " as float32: NumPy has no bfloat16" : "",
             transposed ? ", D transposed, as it is stored" : "");
  return Status();
}

int Execute(const Options& options, const Problem& problem, const Place& place, Inputs* inputs) {
  std::vector<std::int64_t> rows;
  Status status;
  if (options.verify != "none") status = ChooseRows(options, problem, &rows);
  Product product;
  if (status.ok()) status = MakeProduct(options, problem, rows, inputs, &product);
  if (!status.ok()) return Fail(status);
  if (!place.has_device()) AnnounceHostTime(problem);
  Computed computed;
  status = place.has_device()
               ? ComputeOnGpu(product, options.device, options.kernel, place.kind == Place::kGpu, &computed)
               : ComputeOnHost(product, &computed);
  if (!status.ok()) return Fail(status);
  PrintSpeed(problem, computed);
  ExitCode verdict = kOk;
  if (options.verify == "none") {
    fmt::print("verified  no, as asked\n");
  } else {
    verdict = Verify(options, product, rows, &computed);
  }
  status = WriteResult(options, problem, &computed.d);
  if (!status.ok()) return Fail(status);
  if (verdict == kVerificationFailed) return Fail(verdict, "the result misses the error bound");
  if (verdict != kOk)
    return Fail(verdict,
                "nothing is verified: sums of magnitudes pass FP32's range; --verify none computes without");
  return kOk;
}

int Run(const Options& options) {
  if (options.on != "auto" && options.on != "gpu" && options.on != "emulated" && options.on != "host") {
    return Fail(kBadInput, fmt::format("--on is '{}'; auto, gpu, emulated and host are allowed", options.on));
  }
  if (options.on == "host" && !options.kernel.empty())
    return Fail(kBadInput, "--kernel names a GPU kernel; --on is host");
  if (!options.c.empty() && options.beta == 0)
    return Fail(kBadInput, "--c is given but --beta is 0: C would not be read");
  Inputs inputs;
  ProblemFlags flags = options.problem;
  Status status = io::CheckFolder("--out", options.out);
  if (status.ok()) status = LoadInputs(options, &inputs, &flags);
  Place place;
  if (status.ok()) status = FindPlace(options, flags, &place);
  if (!status.ok()) return Fail(status);
  fmt::print("{}\n", place.line);
  std::fflush(stdout);
  Problem problem;
  status = MakeProblem(flags, place.default_size(), &problem);
  if (!status.ok()) return Fail(status);
  fmt::print("product   {}, alpha {}, beta {}\n", ProblemText(problem), options.alpha, options.beta);
  return Execute(options, problem, place, &inputs);
}

void AddFlags(Subcommand* sub, Options* options) {
  AddProblemFlags(sub, &options->problem);
  const std::string from = ": FILE.npy or FILE.safetensors:TENSOR, converted to the type (default: generated)";
  sub->Add("--a", &options->a, "A" + from).Takes("FILE");
  sub->Add("--b", &options->b, "B" + from).Takes("FILE");
  sub->Add("--c", &options->c, "C" + from).Takes("FILE");
  sub->Add("--alpha", &options->alpha, "factor of A B (default 1)").Takes("NUMBER");
  sub->Add("--beta", &options->beta, "factor of C (default 0)").Takes("NUMBER");
  sub->Add("--out", &options->out, "write D to this .npy file (BF16 as float32)").Takes("FILE");
  sub->Add("--fill", &options->fill,
           "generated matrices: normal (default), integers, zeros, special, subnormal")
      .Takes("FILL");
  sub->Add("--seed", &options->seed, "of generated matrices and of the sample of rows (default 1)")
      .Takes("NUMBER")
      .Unsigned();
  sub->Add("--on", &options->on,
           "gpu, emulated, host, or auto (default): without a GPU the emulated one for small products, "
           "else the host")
      .Takes("PLACE");
  sub->Add("--device", &options->device, "number of the GPU (default 0)").Takes("NUMBER").Integer();
  sub->Add("--kernel", &options->kernel, "run this kernel; 'gemm explain' lists the names").Takes("NAME");
  sub->Add("--verify", &options->verify,
           "rows of D to compare with FP64: auto (default: all, or a sample of a large D), all, none, "
           "or a number")
      .Takes("ROWS");
}

}  // namespace

void AddRunCommand(CLI::App* app, Command* command) {
  const auto options = std::make_shared<Options>();
  Subcommand sub(app, "run", "multiply two matrices and verify the result");
  sub.Footer(
      "A file holds a matrix as --layout stores it: with nk, B's array is [n, k].\n"
      "Sizes that neither files nor flags give are 4096 on a GPU, 256 on the emulated one and 512 on the "
      "host.\n"
      "Example: gemm run --type fp16 --m 8 --b model.safetensors:encoder.layer.0.output.dense.weight --out "
      "y.npy");
  AddFlags(&sub, options.get());
  sub.Runs(command, [options] { return Run(*options); });
}

}  // namespace gemm::tool
