// What the host gives the kernel that packs (pack.cu). Shared by host and device code: plain types only.
#pragma once

namespace gemm::hopper {

inline constexpr int kPackThreads = 256;
inline constexpr int kPackVectors = 4;  // of 16 bytes, that a thread copies of each matrix
inline constexpr int kPackVectorElements = 8;

// One operand: `batch` matrices of `rows` rows of `row_elements` 16-bit elements, wherever they lie, to where
// they lie one after the other with rows of whole vectors.
struct PackOperand {
  const void* from;
  void* to;           // 16-byte aligned
  long long from_ld;  // elements
  long long from_batch_stride;
  long long to_ld;  // elements, a multiple of 8
  long long to_batch_stride;
  long long rows;
  int row_elements;
  unsigned row_vectors;  // ceil(row_elements / 8)
  unsigned blocks;       // CTAs along x of one matrix; 0 where there is nothing to pack
  long long batch;
};

// The one parameter: CTAs [0, a.blocks) along x pack A, the next b.blocks pack B; matrices of a batch are dealt
// along y.
struct PackParams {
  PackOperand a;
  PackOperand b;
};

}  // namespace gemm::hopper
