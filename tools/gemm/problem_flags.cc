#include "tools/gemm/problem_flags.h"

#include <fmt/format.h>

#include <charconv>

#include "common/problem/problem.h"

namespace gemm::tool {

CLI::Validator Integer() {
  return CLI::Validator(
      [](std::string& text) {
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool integer = error == std::errc() && end == text.data() + text.size();
        return integer ? std::string() : fmt::format("{} is no integer of 64 bits", text);
      },
      "");
}

void AddProblemFlags(CLI::App* app, ProblemFlags* flags) {
  app->add_option("--m", flags->m, "rows of A and D")->option_text("SIZE")->check(Integer());
  app->add_option("--n", flags->n, "columns of B and D")->option_text("SIZE")->check(Integer());
  app->add_option("--k", flags->k, "columns of A, rows of B")->option_text("SIZE")->check(Integer());
  app->add_option("--batch", flags->batch, "number of products")->option_text("COUNT")->check(Integer());
  app->add_option("--type", flags->type, "type of A and B: fp32, fp16 or bf16 (default bf16)")
      ->option_text("TYPE");
  app->add_option("--out-type", flags->out_type, "type of C and D (default: --type)")->option_text("TYPE");
  app->add_option(
         "--layout", flags->layout,
         "order in which the matrices are stored. B: nk is [n, k], as engines keep weights, kn is [k, n]. "
         "A before it: mk- (the default) or km-. D and C behind it: -mn (the default) or -nm. "
         "Default nk; others: kn, km-nk, km-kn, nk-nm, ...")
      ->option_text("LAYOUT");
  app->add_option("--compute", flags->compute, "tensor (default), or fp32 to keep off the tensor cores")
      ->option_text("COMPUTE");
}

bool ParseType(const std::string& text, DataType* type) {
  static constexpr std::pair<const char*, DataType> kNames[] = {
      {"fp32", DataType::kFP32},     {"float32", DataType::kFP32},     {"fp16", DataType::kFP16},
      {"half", DataType::kFP16},     {"float16", DataType::kFP16},     {"bf16", DataType::kBF16},
      {"bfloat16", DataType::kBF16}, {"fp8_e4m3", DataType::kFP8E4M3}, {"fp8_e5m2", DataType::kFP8E5M2}};
  for (const auto& [name, value] : kNames) {
    if (text != name) continue;
    *type = value;
    return true;
  }
  return false;
}

Status MakeProblem(const io::Layouts& layouts, std::int64_t m, std::int64_t n, std::int64_t k,
                   std::int64_t batch, DataType in, DataType out, ComputeType compute, Problem* problem) {
  Problem result;
  result.m = m;
  result.n = n;
  result.k = k;
  result.batch = batch;
  result.a.type = result.b.type = in;
  result.c.type = result.d.type = out;
  result.a.layout = layouts.a;
  result.b.layout = layouts.b;
  result.c.layout = result.d.layout = layouts.d;
  result.compute = compute;
  for (Matrix* matrix : {&result.a, &result.b, &result.c, &result.d}) matrix->alignment = 256;
  problem::Normalized normalized;
  Status status = problem::Normalize(result, &normalized);
  if (status.ok()) *problem = result;
  return status;
}

Status MakeProblem(const ProblemFlags& flags, std::int64_t default_size, Problem* problem) {
  DataType in;
  DataType out;
  io::Layouts layouts;
  const auto refuse = [](const std::string& text) { return Status(StatusCode::kInvalidArgument, text); };
  if (!ParseType(flags.type, &in)) {
    return refuse(fmt::format("--type is '{}'; fp32, fp16 and bf16 are allowed", flags.type));
  }
  if (!ParseType(flags.out_type.empty() ? flags.type : flags.out_type, &out)) {
    return refuse(fmt::format("--out-type is '{}'; fp32, fp16 and bf16 are allowed", flags.out_type));
  }
  if (!io::ParseLayouts(flags.layout, &layouts)) {
    return refuse(fmt::format("--layout is '{}'; allowed are {}", flags.layout, io::LayoutsHelp()));
  }
  if (flags.compute != "tensor" && flags.compute != "fp32") {
    return refuse(fmt::format("--compute is '{}'; tensor and fp32 are allowed", flags.compute));
  }
  const ComputeType compute = flags.compute == "fp32" ? ComputeType::kFP32 : ComputeType::kTensor;
  return MakeProblem(layouts, flags.m.value_or(default_size), flags.n.value_or(default_size),
                     flags.k.value_or(default_size), flags.batch, in, out, compute, problem);
}

io::Layouts LayoutsOf(const Problem& problem) { return {problem.a.layout, problem.b.layout, problem.d.layout}; }

std::string ProblemText(const Problem& problem) {
  std::string text = fmt::format("m={} n={} k={} {} {} -> {}", problem.m, problem.n, problem.k,
                                 io::ToString(LayoutsOf(problem)), Name(problem.a.type), Name(problem.d.type));
  if (problem.batch != 1) text += fmt::format(" batch={}", problem.batch);
  if (problem.compute != ComputeType::kTensor) text += fmt::format(" compute={}", Name(problem.compute));
  return text;
}

double Flops(const Problem& problem) {
  return 2.0 * static_cast<double>(problem.m) * static_cast<double>(problem.n) *
         static_cast<double>(problem.k) * static_cast<double>(problem.batch);
}

}  // namespace gemm::tool
