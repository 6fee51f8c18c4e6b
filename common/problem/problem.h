// The validated, normalised problem. Nothing below this line checks the caller's description again.
#pragma once

#include <cstdint>
#include <string>

#include "gemm/gemm.h"

namespace gemm::problem {

// Which dimension of an operand is contiguous in memory.
enum class Major : std::int32_t {
  kK = 0,   // K is contiguous: A is row-major, B is stored [n, k] ("nk")
  kMN = 1,  // M (of A) or N (of B) is contiguous: A is column-major, B is stored [k, n] ("kn")
};

// An input as kernels see it: lines of contiguous elements (of K, or of M or N), `ld` elements apart.
struct Input {
  Major major = Major::kK;
  std::int64_t ld = 0;            // elements; >= the contiguous extent
  std::int64_t batch_stride = 0;  // elements; 0 broadcasts (also whenever batch == 1)
  // Bytes, a power of two in [element size, 16]: what the address (by the caller's promise), every row's start and every
  // batch's start are all multiples of. With one row the leading dimension does not count, with one batch the stride.
  std::int32_t alignment = 16;
  // Asked of the plan, not of the product: may be read before the kernel's predecessor in the stream has finished.
  bool readable_early = false;
};

// C or D as kernels see it: element (i, j) at i * row_stride + j * col_stride. D always has col_stride == 1; C has a
// row_stride or a col_stride of 1.
struct Output {
  // Whether what is contiguous runs along a row. Where it does not, col_stride can be 1 all the same: in a single row under batch_invariant.
  bool along_row = true;
  std::int64_t row_stride = 0;
  std::int64_t col_stride = 1;
  std::int64_t batch_stride = 0;
  std::int32_t alignment = 16;  // as Input::alignment, of the contiguous direction
};

// D = alpha A B + beta C with D row-major. A column-major D is computed as its transpose: D^T = B^T A^T, so A and B
// (and m and n) have changed places; `swapped` says so, and Run exchanges the two addresses.
struct Normalized {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t batch = 1;
  DataType input_type = DataType::kBF16;   // of A and B
  DataType output_type = DataType::kBF16;  // of C and D
  ComputeType compute = ComputeType::kTensor;
  ScalarMode scalars = ScalarMode::kHost;
  Input a;
  Input b;
  Output c;
  Output d;
  bool swapped = false;
  // Asked of the plan, not of the product: the order of summation over K may depend on neither m nor n.
  bool batch_invariant = false;
  // Asked of the choice too: C is read, so rows that would take several times as long for it are refused.
  bool reads_c = false;
  // The alignments promised for the addresses alone, after the swap; Run checks the addresses against them.
  std::int32_t a_address_alignment = 16;
  std::int32_t b_address_alignment = 16;
  std::int32_t c_address_alignment = 16;
  std::int32_t d_address_alignment = 16;
  // Whether C can be read as the caller described it. When not, the reason, and `c` above is as `d`: the problem is good
  // for beta = 0 only. Under ScalarMode::kDevice, where beta is not known in time, Normalize refuses instead.
  Status c_status;

  // Nothing to compute: Run returns at once.
  bool empty() const { return m == 0 || n == 0 || batch == 0; }
};

// Whether a kernel may start before its predecessor's end: it would wait on the multiprocessors that max_sms leaves to others.
bool LaunchesEarly(const PlanOptions& options);

// Checks every rule stated at gemm::Problem and fills *normalized. On failure *normalized is unchanged. A line of the
// caller's operand that is alone gets a leading dimension of our own, a multiple of 16 bytes; an operand of one dense row
// or column is named by the major that makes it one line; a batch of one gets the stride 0. Under PlanOptions::batch_invariant one row of A, C
// or D (of the caller's) is treated as several would be.
Status Normalize(const Problem& problem, const PlanOptions& options, Normalized* normalized);
// With default options.
Status Normalize(const Problem& problem, Normalized* normalized);

// "m=1 n=128 k=256 batch=1 bf16->fp32 A=K/ld256/align16 B=MN/ld128/align16 D=ld128/align16": for Explain and logs.
std::string ToString(const Normalized& problem);

}  // namespace gemm::problem
