// The flags that describe a product, shared by the subcommands.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "gemm/gemm.h"
#include "tools/io/shapes.h"

namespace gemm::tool {

struct ProblemFlags {
  std::optional<std::int64_t> m;
  std::optional<std::int64_t> n;
  std::optional<std::int64_t> k;
  std::int64_t batch = 1;
  std::string type = "bf16";  // of A and B
  std::string out_type;       // of C and D; empty: that of A and B
  std::string layout = "nk";
  std::string compute = "tensor";
};

// Refuses what is no decimal integer of 64 bits; the argument library alone would take the nearest that is.
CLI::Validator Integer();

void AddProblemFlags(CLI::App* app, ProblemFlags* flags);

// "fp32", "fp16", "bf16" (also "float32", "half", ...): false for another word. FP8 is known to the library's
// enum but to no kernel; its name is accepted here so that the library's own reason is what the user reads.
bool ParseType(const std::string& text, DataType* type);

// The problem for these sizes, every operand packed and aligned as CUDA's allocators align. kInvalidArgument
// for a flag that cannot be understood.
Status MakeProblem(const io::Layouts& layouts, std::int64_t m, std::int64_t n, std::int64_t k,
                   std::int64_t batch, DataType in, DataType out, ComputeType compute, Problem* problem);
// The same from flags; a size that was not given is `default_size`.
Status MakeProblem(const ProblemFlags& flags, std::int64_t default_size, Problem* problem);

// "m=1 n=4096 k=4096 nk bf16 -> fp32", with the batch when there is one.
std::string ProblemText(const Problem& problem);
io::Layouts LayoutsOf(const Problem& problem);

// 2 m n k batch.
double Flops(const Problem& problem);

}  // namespace gemm::tool
