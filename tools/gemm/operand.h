// The matrices of `gemm run`: from files or made from a seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gemm/gemm.h"
#include "tests/support/fills.h"
#include "tools/io/tensor.h"

namespace gemm::tool {

// A file named on the command line: "x.npy", "x.safetensors:tensor.name". Loads it; kInvalidArgument unless it
// holds a matrix (two dimensions). `flag` ("--a") is for sentences.
Status LoadMatrix(const std::string& flag, const std::string& where, io::Tensor* tensor);

// The size of a dimension as it becomes known from flags and files, which must agree.
class Dimension {
 public:
  explicit Dimension(const char* name) : name_(name) {}
  // `source` says where the value comes from: "--m", "--a x.npy".
  Status Set(std::int64_t value, const std::string& source);
  std::int64_t ValueOr(std::int64_t fallback) const { return source_.empty() ? fallback : value_; }

 private:
  const char* name_;
  std::int64_t value_ = 0;
  std::string source_;
};

// Host memory for one operand, in its stored order.
using Bytes = std::vector<std::byte>;

// Fills `bytes` with the matrix that `view` describes.
void Generate(tests::View view, tests::Fill fill, tests::Operand operand, std::uint64_t seed, Bytes* bytes);

}  // namespace gemm::tool
