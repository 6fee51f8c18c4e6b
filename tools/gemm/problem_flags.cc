#include "tools/gemm/problem_flags.h"

#include <fmt/format.h>

#include <charconv>

#include "tools/io/shapes.h"

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

}  // namespace gemm::tool
