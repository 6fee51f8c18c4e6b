#include "tools/gemm/operand.h"

#include <fmt/core.h>

#include "tools/io/npy.h"
#include "tools/io/safetensors.h"

namespace gemm::tool {
namespace {

Status LoadTensor(const std::string& flag, const std::string& where, io::Tensor* tensor) {
  const std::string extension = ".safetensors:";
  const std::size_t at = where.find(extension);
  if (at != std::string::npos) {
    const std::size_t colon = at + extension.size() - 1;
    return io::ReadSafetensors(where.substr(0, colon), where.substr(colon + 1), tensor);
  }
  // An empty name is no tensor's: the answer lists names that are.
  if (where.ends_with(".safetensors")) return io::ReadSafetensors(where, "", tensor);
  if (where.ends_with(".npy")) return io::ReadNpy(where, tensor);
  return Status(StatusCode::kInvalidArgument,
                fmt::format("{} is '{}'; expected FILE.npy or FILE.safetensors:TENSOR", flag, where));
}

}  // namespace

Status LoadMatrix(const std::string& flag, const std::string& where, io::Tensor* tensor) {
  Status status = LoadTensor(flag, where, tensor);
  if (!status.ok()) return status;
  if (tensor->shape.size() == 2) return Status();
  return Status(StatusCode::kInvalidArgument,
                fmt::format("{} {} has the shape {}; a matrix of two dimensions is needed", flag, where,
                            io::ShapeText(tensor->shape)));
}

Status Dimension::Set(std::int64_t value, const std::string& source) {
  if (!source_.empty() && value != value_) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("{} is {} by {} and {} by {}", name_, value_, source_, value, source));
  }
  value_ = value;
  source_ = source;
  return Status();
}

void Generate(tests::View view, tests::Fill fill, tests::Operand operand, std::uint64_t seed, Bytes* bytes) {
  bytes->resize(tests::ExtentBytes(view));
  view.data = bytes->data();
  tests::FillMatrix(view, fill, operand, seed);
}

}  // namespace gemm::tool
