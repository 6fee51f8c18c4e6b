// Comparison of bytes.
#pragma once

#include <cstddef>

namespace gemm::tests {

// The first byte that differs; `count` where none does. Many bytes are shared out among threads.
std::size_t FirstDifference(const unsigned char* x, const unsigned char* y, std::size_t count);

inline bool SameBytes(const unsigned char* x, const unsigned char* y, std::size_t count) {
  return FirstDifference(x, y, count) == count;
}

}  // namespace gemm::tests
