// Matrices in host memory, addressed by strides. Layout rules are taken from include/gemm/gemm.h alone, apart
// from the library's own normalisation, so that errors cannot cancel. Shared by the tests and by tools/gemm.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gemm/gemm.h"

namespace gemm::tests {

// Element (i, j) of matrix b at data + i * row_stride + j * col_stride + b * batch_stride, counted in elements.
// Does not own `data`.
struct View {
  DataType type = DataType::kFP32;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t batch = 1;
  std::int64_t row_stride = 0;
  std::int64_t col_stride = 1;
  std::int64_t batch_stride = 0;
  void* data = nullptr;

  std::int64_t Index(std::int64_t b, std::int64_t i, std::int64_t j) const {
    return b * batch_stride + i * row_stride + j * col_stride;
  }
};

// The four operands as `problem` describes them, with ld = 0 and kPacked resolved; data is null or as given. A
// batch stride of 0 stays 0: all matrices of the batch are one.
View ViewOfA(const Problem& problem, const void* data = nullptr);
View ViewOfB(const Problem& problem, const void* data = nullptr);
View ViewOfC(const Problem& problem, const void* data = nullptr);
View ViewOfD(const Problem& problem, void* data = nullptr);

// Elements from the first to one past the last of the whole batch; 0 for an empty one.
std::int64_t Extent(const View& view);
std::size_t ExtentBytes(const View& view);

}  // namespace gemm::tests
