#include "tools/gemm/problem_flags.h"

#include <fmt/core.h>

#include "tools/io/shapes.h"

namespace gemm::tool {

void AddProblemFlags(Subcommand* sub, ProblemFlags* flags) {
  sub->Add("--m", &flags->m, "rows of A and D").Takes("SIZE").Integer();
  sub->Add("--n", &flags->n, "columns of B and D").Takes("SIZE").Integer();
  sub->Add("--k", &flags->k, "columns of A, rows of B").Takes("SIZE").Integer();
  sub->Add("--batch", &flags->batch, "number of products").Takes("COUNT").Integer();
  sub->Add("--type", &flags->type, "type of A and B: fp32, fp16 or bf16 (default bf16)").Takes("TYPE");
  sub->Add("--out-type", &flags->out_type, "type of C and D (default: --type)").Takes("TYPE");
  sub->Add("--layout", &flags->layout,
           "order in which the matrices are stored. B: nk is [n, k], as engines keep weights, kn is [k, n]. "
           "A before it: mk- (the default) or km-. D and C behind it: -mn (the default) or -nm. "
           "Default nk; others: kn, km-nk, km-kn, nk-nm, ...")
      .Takes("LAYOUT");
  sub->Add("--compute", &flags->compute,
           "tensor (default), fp32 to keep off the tensor cores, or tf32 to let FP32 inputs be rounded")
      .Takes("COMPUTE");
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
  ComputeType compute;
  if (!ParseCompute(flags.compute, &compute)) {
    return refuse(fmt::format("--compute is '{}'; tensor, fp32 and tf32 are allowed", flags.compute));
  }
  return MakeProblem(layouts, flags.m.value_or(default_size), flags.n.value_or(default_size),
                     flags.k.value_or(default_size), flags.batch, in, out, compute, problem);
}

}  // namespace gemm::tool
