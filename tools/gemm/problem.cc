#include "tools/gemm/problem.h"

#include <fmt/core.h>

#include <utility>

#include "common/problem/problem.h"

namespace gemm::tool {

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

bool ParseCompute(const std::string& text, ComputeType* compute) {
  for (const ComputeType value : {ComputeType::kTensor, ComputeType::kFP32, ComputeType::kTF32}) {
    if (text != Name(value)) continue;
    *compute = value;
    return true;
  }
  return false;
}

bool ParseInput(const std::string& text, DataType* type, ComputeType* compute) {
  const bool rounds = text == Name(ComputeType::kTF32);
  *compute = rounds ? ComputeType::kTF32 : ComputeType::kTensor;
  return ParseType(rounds ? "fp32" : text, type);
}

const char* InputName(const Problem& problem) {
  const bool rounds = problem.compute == ComputeType::kTF32 && problem.a.type == DataType::kFP32;
  return rounds ? Name(problem.compute) : Name(problem.a.type);
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
