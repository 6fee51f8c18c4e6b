// The oracle: D = alpha A B + beta C in FP64 on the host, and the sums of magnitudes that the error bound
// needs. Shared by the tests and by tools/gemm.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tests/support/matrix.h"

namespace gemm::tests {

struct OracleOptions {
  // Rows of D to compute, ascending and distinct; empty means all. See SampleRows().
  std::vector<std::int64_t> rows;
  int threads = 0;  // 0: one per core
  // Called now and then with the finished fraction in (0, 1], from one thread at a time.
  std::function<void(double)> progress;
};

// What D should hold. Element (b, rows[r], j) is at (b * rows.size() + r) * n + j.
struct Expected {
  std::vector<std::int64_t> rows;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t batch = 0;
  std::vector<double> value;      // alpha A B + beta C
  std::vector<double> magnitude;  // |alpha| |A| |B| + |beta| |C|
  double operand_error = 0;       // OperandError() of the problem
};

// What rounding A and B may change of a product, relative to the sum of magnitudes: kTF32ErrorConstant or 0.
double OperandError(const Problem& problem);

// Reads a, b and, when beta != 0, c from host memory in the layout that `problem` describes. k = 0: beta C. The
// problem is valid (gemm.h); FP32, FP16 and BF16. Needs 16 bytes for every element of the sample.
Expected ComputeOracle(const Problem& problem, const void* a, const void* b, const void* c, float alpha,
                       float beta, const OracleOptions& options = {});

// At most `count` rows of [0, m), ascending: the first, the last, the neighbours of the middle, and others
// under `seed`.
std::vector<std::int64_t> SampleRows(std::int64_t m, std::int64_t count, std::uint64_t seed);

// Seconds that ComputeOracle would take for this many rows (all when 0), from a product of some milliseconds
// timed here.
double EstimateOracleSeconds(const Problem& problem, std::int64_t rows = 0, int threads = 0);

// The same product as a kernel would compute it: FP32 accumulation, one rounding to D's type. Multi-threaded;
// what the tool computes with on a machine without a GPU. Shares nothing with the oracle but the element
// conversions. Reads c only when beta != 0; c may be d. Runs at a few GFLOP/s per core.
void HostGemm(const Problem& problem, const void* a, const void* b, const void* c, void* d, float alpha,
              float beta, int threads = 0, const std::function<void(double)>& progress = nullptr);

}  // namespace gemm::tests
