// The flags that describe a product, shared by the subcommands.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gemm/status.h"
#include "tools/gemm/flags.h"
#include "tools/gemm/problem.h"

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

void AddProblemFlags(Subcommand* sub, ProblemFlags* flags);

// The problem that the flags describe; a size that was not given is `default_size`. kInvalidArgument for a flag
// that cannot be understood.
Status MakeProblem(const ProblemFlags& flags, std::int64_t default_size, Problem* problem);

}  // namespace gemm::tool
