// The names of the public enums and of the library's version.
#include "gemm/gemm.h"

namespace gemm {

const char* Name(DataType type) noexcept {
  switch (type) {
    case DataType::kFP32:
      return "fp32";
    case DataType::kFP16:
      return "fp16";
    case DataType::kBF16:
      return "bf16";
    case DataType::kFP8E4M3:
      return "fp8_e4m3";
    case DataType::kFP8E5M2:
      return "fp8_e5m2";
  }
  return "unknown";
}

const char* Name(Layout layout) noexcept {
  switch (layout) {
    case Layout::kRowMajor:
      return "row-major";
    case Layout::kColumnMajor:
      return "column-major";
  }
  return "unknown";
}

const char* Name(ComputeType compute) noexcept {
  switch (compute) {
    case ComputeType::kTensor:
      return "tensor";
    case ComputeType::kFP32:
      return "fp32";
    case ComputeType::kTF32:
      return "tf32";
  }
  return "unknown";
}

const char* Version() noexcept { return GEMM_VERSION; }

}  // namespace gemm
