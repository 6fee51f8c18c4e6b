#include "tests/support/oracle.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <numeric>

#include "tests/support/fills.h"
#include "tests/support/numerics.h"
#include "tests/support/parallel.h"

namespace gemm::tests {
namespace {

// One task computes kRows x kCols elements of D; K goes by in blocks of kDepth that stay in the L1 and L2
// caches.
constexpr int kRows = 128;
constexpr int kCols = 64;
constexpr int kDepth = 128;
constexpr int kMicroRows = 2;
constexpr int kMicroCols = 16;

struct Panels {
  double a[kRows][kDepth];  // rows beyond the matrix are zero
  double b[kDepth][kCols];  // columns beyond the matrix are zero
  double value[kRows][kCols];
  double magnitude[kRows][kCols];
};

// value += a b, magnitude += |a b| over `depth`, for kMicroRows x kMicroCols elements held in registers.
inline __attribute__((always_inline)) void MicroKernel(Panels* p, int row, int col, int depth) {
  double value[kMicroRows][kMicroCols];
  double magnitude[kMicroRows][kMicroCols];
  for (int r = 0; r < kMicroRows; ++r) {
    for (int c = 0; c < kMicroCols; ++c) {
      value[r][c] = p->value[row + r][col + c];
      magnitude[r][c] = p->magnitude[row + r][col + c];
    }
  }
  for (int k = 0; k < depth; ++k) {
    for (int r = 0; r < kMicroRows; ++r) {
      const double a = p->a[row + r][k];
      for (int c = 0; c < kMicroCols; ++c) {
        const double product = a * p->b[k][col + c];
        value[r][c] += product;
        magnitude[r][c] += std::abs(product);
      }
    }
  }
  for (int r = 0; r < kMicroRows; ++r) {
    for (int c = 0; c < kMicroCols; ++c) {
      p->value[row + r][col + c] = value[r][c];
      p->magnitude[row + r][col + c] = magnitude[r][c];
    }
  }
}

inline __attribute__((always_inline)) void MultiplyPanels(Panels* p, int rows, int cols, int depth) {
  for (int row = 0; row < rows; row += kMicroRows) {
    for (int col = 0; col < cols; col += kMicroCols) MicroKernel(p, row, col, depth);
  }
}

void MultiplyPortable(Panels* p, int rows, int cols, int depth) { MultiplyPanels(p, rows, cols, depth); }

#if defined(__x86_64__)
__attribute__((target("avx2"))) void MultiplyAvx2(Panels* p, int rows, int cols, int depth) {
  MultiplyPanels(p, rows, cols, depth);
}
__attribute__((target("avx512f,prefer-vector-width=512"))) void MultiplyAvx512(Panels* p, int rows, int cols,
                                                                               int depth) {
  MultiplyPanels(p, rows, cols, depth);
}
#endif

using Multiply = void (*)(Panels*, int, int, int);

Multiply ChooseMultiply() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return MultiplyAvx512;
  if (__builtin_cpu_supports("avx2")) return MultiplyAvx2;
#endif
  return MultiplyPortable;
}

struct Product {
  View a, b, c;
  double alpha, beta;
  Expected* expected;
  Multiply multiply;
};

void PackA(const Product& product, std::int64_t batch, std::int64_t first_row, int rows, std::int64_t first_k,
           int depth, Panels* p) {
  const View& a = product.a;
  for (int r = 0; r < kRows; ++r) {
    if (r >= rows) {
      std::fill_n(p->a[r], depth, 0.0);
      continue;
    }
    const std::int64_t row = product.expected->rows[static_cast<std::size_t>(first_row + r)];
    for (int k = 0; k < depth; ++k) p->a[r][k] = Load(a.type, a.data, a.Index(batch, row, first_k + k));
  }
}

void PackB(const Product& product, std::int64_t batch, std::int64_t first_col, int cols, std::int64_t first_k,
           int depth, Panels* p) {
  const View& b = product.b;
  for (int k = 0; k < depth; ++k) {
    for (int c = 0; c < cols; ++c)
      p->b[k][c] = Load(b.type, b.data, b.Index(batch, first_k + k, first_col + c));
    std::fill(p->b[k] + cols, p->b[k] + kCols, 0.0);
  }
}

void ComputeBlock(const Product& product, std::int64_t batch, std::int64_t first_row, std::int64_t first_col,
                  Panels* p) {
  Expected& out = *product.expected;
  const std::int64_t sampled = static_cast<std::int64_t>(out.rows.size());
  const int rows = static_cast<int>(std::min<std::int64_t>(kRows, sampled - first_row));
  const int cols = static_cast<int>(std::min<std::int64_t>(kCols, out.n - first_col));
  std::fill_n(&p->value[0][0], kRows * kCols, 0.0);
  std::fill_n(&p->magnitude[0][0], kRows * kCols, 0.0);
  for (std::int64_t k = 0; k < out.k; k += kDepth) {
    const int depth = static_cast<int>(std::min<std::int64_t>(kDepth, out.k - k));
    PackA(product, batch, first_row, rows, k, depth, p);
    PackB(product, batch, first_col, cols, k, depth, p);
    product.multiply(p, rows, cols, depth);
  }
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < cols; ++c) {
      double value = 0;
      double magnitude = 0;
      if (out.k > 0) {
        value = product.alpha * p->value[r][c];
        magnitude = std::abs(product.alpha) * p->magnitude[r][c];
      }
      if (product.beta != 0) {
        const std::int64_t row = out.rows[static_cast<std::size_t>(first_row + r)];
        const double term =
            product.beta * Load(product.c.type, product.c.data, product.c.Index(batch, row, first_col + c));
        value += term;
        magnitude += std::abs(term);
      }
      const std::size_t index =
          static_cast<std::size_t>((batch * sampled + first_row + r) * out.n + first_col + c);
      out.value[index] = value;
      out.magnitude[index] = magnitude;
    }
  }
}

}  // namespace

double OperandError(const Problem& problem) {
  return problem.compute == ComputeType::kTF32 && problem.a.type == DataType::kFP32 ? kTF32ErrorConstant : 0;
}

Expected ComputeOracle(const Problem& problem, const void* a, const void* b, const void* c, float alpha,
                       float beta, const OracleOptions& options) {
  Expected expected;
  expected.rows = options.rows;
  if (expected.rows.empty()) {
    expected.rows.resize(static_cast<std::size_t>(problem.m));
    std::iota(expected.rows.begin(), expected.rows.end(), std::int64_t{0});
  }
  expected.n = problem.n;
  expected.k = problem.k;
  expected.batch = problem.batch;
  expected.operand_error = OperandError(problem);
  const std::int64_t sampled = static_cast<std::int64_t>(expected.rows.size());
  expected.value.resize(static_cast<std::size_t>(problem.batch * sampled * problem.n));
  expected.magnitude.resize(expected.value.size());
  const Product product = {ViewOfA(problem, a), ViewOfB(problem, b), ViewOfC(problem, c), alpha, beta,
                           &expected,           ChooseMultiply()};
  const std::int64_t row_blocks = (sampled + kRows - 1) / kRows;
  const std::int64_t col_blocks = (problem.n + kCols - 1) / kCols;
  ParallelFor(
      problem.batch * row_blocks * col_blocks, options.threads,
      [&](std::int64_t task) {
        thread_local const auto panels = std::make_unique<Panels>();
        ComputeBlock(product, task / (row_blocks * col_blocks), task / col_blocks % row_blocks * kRows,
                     task % col_blocks * kCols, panels.get());
      },
      options.progress);
  return expected;
}

std::vector<std::int64_t> SampleRows(std::int64_t m, std::int64_t count, std::uint64_t seed) {
  std::vector<std::int64_t> rows;
  if (count >= m) {
    rows.resize(static_cast<std::size_t>(std::max<std::int64_t>(m, 0)));
    std::iota(rows.begin(), rows.end(), std::int64_t{0});
    return rows;
  }
  for (const std::int64_t row : {std::int64_t{0}, m - 1, m / 2, m / 2 - 1}) {
    if (static_cast<std::int64_t>(rows.size()) < count && row >= 0) rows.push_back(row);
  }
  const auto tidy = [&rows] {
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  };
  tidy();
  for (std::uint64_t draw = 0; static_cast<std::int64_t>(rows.size()) < count; ++draw) {
    const auto row = static_cast<std::int64_t>(Mix(seed, draw) % static_cast<std::uint64_t>(m));
    if (std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(row);
  }
  tidy();
  return rows;
}

double EstimateOracleSeconds(const Problem& problem, std::int64_t rows, int threads) {
  Problem probe;
  probe.m = probe.n = probe.k = 256;
  probe.a.type = probe.b.type = problem.a.type;
  probe.c.type = probe.d.type = problem.d.type;
  const std::vector<float> zeros(256 * 256);
  OracleOptions options;
  options.threads = threads;
  double seconds = 0;
  for (int round = 0; round < 2; ++round) {  // the first one wakes threads and pages
    const auto start = std::chrono::steady_clock::now();
    (void)ComputeOracle(probe, zeros.data(), zeros.data(), zeros.data(), 1.0f, 0.0f, options);
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  const double sampled = static_cast<double>(rows > 0 ? std::min(rows, problem.m) : problem.m);
  const double work = sampled * static_cast<double>(problem.n) * static_cast<double>(problem.k) *
                      static_cast<double>(problem.batch);
  return seconds * work / (256.0 * 256.0 * 256.0);
}

}  // namespace gemm::tests
