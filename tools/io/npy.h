// NumPy's .npy files. Format: numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <string>

#include "gemm/status.h"
#include "tools/io/byte_source.h"
#include "tools/io/tensor.h"

namespace gemm::io {

// Reads an array of little-endian f2, f4 or f8, format version 1.0, 2.0 or 3.0. Fortran order is turned into C
// order (at most two dimensions). A file that is shorter or longer than its header says is refused. `name` is
// for sentences. kInvalidArgument for a malformed file, kUnsupported for a well-formed one of another kind,
// kOutOfMemory. On failure *tensor is unchanged.
Status ReadNpy(const ByteSource& source, const std::string& name, Tensor* tensor) noexcept;
Status ReadNpy(const std::string& path, Tensor* tensor) noexcept;

// Writes version 1.0 in C order. NumPy has no BF16: such a tensor is written as f4, which holds its values
// exactly.
Status WriteNpy(const std::string& path, const Tensor& tensor) noexcept;

}  // namespace gemm::io
