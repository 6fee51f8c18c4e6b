// The flags that say how a product's operands lie in memory, where they are not packed and aligned as CUDA's allocators align.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gemm/gemm.h"
#include "tools/gemm/flags.h"

namespace gemm::tool {

struct OperandFlags {
  struct Operand {
    std::optional<std::int64_t> ld;         // as Matrix::ld
    std::optional<std::int64_t> alignment;  // as Matrix::alignment
  };
  Operand a, b, c, d;
  std::string c_layout;  // mn or nm; empty: D's
  float beta = 0;        // other than 0: C is read
};

void AddOperandFlags(Subcommand* sub, OperandFlags* flags);

// Changes *problem as the flags say. kInvalidArgument for a value that no Problem can hold, and for flags of a C that is not read;
// whether the library takes the others is problem::Normalize's to say.
Status ApplyOperandFlags(const OperandFlags& flags, Problem* problem);

}  // namespace gemm::tool
