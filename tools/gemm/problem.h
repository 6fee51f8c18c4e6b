// Making and showing a problem.
#pragma once

#include <cstdint>
#include <string>

#include "gemm/gemm.h"
#include "tools/io/shapes.h"

namespace gemm::tool {

// "fp32", "fp16", "bf16" (also "float32", "half", ...): false for another word. FP8 is known to the library's
// enum but to no kernel; its name is accepted here so that the library's own reason is what the user reads.
bool ParseType(const std::string& text, DataType* type);

// "tensor", "fp32", "tf32".
bool ParseCompute(const std::string& text, ComputeType* compute);

// A type of A and B as lists of types have it: as ParseType, or "tf32", FP32 that may be rounded.
bool ParseInput(const std::string& text, DataType* type, ComputeType* compute);
const char* InputName(const Problem& problem);

// The problem for these sizes, every operand packed and aligned as CUDA's allocators align. kInvalidArgument
// for one that the library refuses.
Status MakeProblem(const io::Layouts& layouts, std::int64_t m, std::int64_t n, std::int64_t k,
                   std::int64_t batch, DataType in, DataType out, ComputeType compute, Problem* problem);

// "m=1 n=4096 k=4096 nk bf16 -> fp32", with the batch when there is one.
std::string ProblemText(const Problem& problem);
io::Layouts LayoutsOf(const Problem& problem);

// 2 m n k batch.
double Flops(const Problem& problem);

}  // namespace gemm::tool
