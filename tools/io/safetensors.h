// .safetensors files: one tensor by name. Format: github.com/huggingface/safetensors, "Format".
#pragma once

#include <string>

#include "gemm/status.h"
#include "tools/io/byte_source.h"
#include "tools/io/tensor.h"

namespace gemm::io {

// Reads the tensor `tensor_name` of type F16, BF16 or F32. The whole header is checked first: tensors must
// cover the bytes behind it exactly, in their order, without overlaps or holes, each as long as its type and
// shape say. `name` is for sentences. kInvalidArgument for a malformed file or a tensor that is not there (the
// sentence lists the nearest names), kUnsupported for another type, kOutOfMemory. On failure *tensor is
// unchanged.
Status ReadSafetensors(const ByteSource& source, const std::string& name, const std::string& tensor_name,
                       Tensor* tensor) noexcept;
Status ReadSafetensors(const std::string& path, const std::string& tensor_name, Tensor* tensor) noexcept;

}  // namespace gemm::io
