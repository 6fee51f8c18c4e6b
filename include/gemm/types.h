// The vocabulary of a product: data types, layouts, where the scalars live.
#pragma once

#include <cstdint>

namespace gemm {

enum class DataType : std::int32_t {
  kFP32 = 0,     // IEEE 754 binary32
  kFP16 = 1,     // IEEE 754 binary16
  kBF16 = 2,     // bfloat16: the upper half of a binary32
  kFP8E4M3 = 3,  // declared for the versions to come: every plan refuses it today
  kFP8E5M2 = 4,  // likewise
};

// How a matrix of rows x cols lies in memory; `ld`, the leading dimension, counts elements.
enum class Layout : std::int32_t {
  kRowMajor = 0,     // element (i, j) at i * ld + j, ld >= cols
  kColumnMajor = 1,  // element (i, j) at i + j * ld, ld >= rows
};

// What arithmetic a plan may use. Accumulation is FP32 in all.
enum class ComputeType : std::int32_t {
  // Tensor cores where the inputs are FP16 or BF16, whose products are exact in FP32. FP32 inputs are never rounded:
  // they are multiplied by IEEE FP32 instructions under this type too.
  kTensor = 0,
  // IEEE FP32 fused multiply-add on the SIMT units only, whatever the inputs.
  kFP32 = 1,
  // As kTensor, and FP32 inputs may be rounded to TF32, to one of the two neighbours among the numbers with 11 significant bits, and
  // multiplied by tensor cores. Never chosen unless asked for: see the wider error bound in gemm.h. Where no such kernel takes
  // the operands' layout or alignment, or where it is slower, one that does not round runs.
  kTF32 = 2,
};

enum class ScalarMode : std::int32_t {
  kHost = 0,    // Arguments::alpha and beta, read when Run is called
  kDevice = 1,  // Arguments::alpha_device and beta_device, read when the kernel runs
};

// "fp32", "fp16", "bf16", "fp8_e4m3", "fp8_e5m2"; "unknown" for a value outside the enum. Static storage.
const char* Name(DataType type) noexcept;
const char* Name(Layout layout) noexcept;
const char* Name(ComputeType compute) noexcept;

}  // namespace gemm
