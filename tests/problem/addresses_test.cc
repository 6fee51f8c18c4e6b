// Normalize must not change which addresses a problem names: the set of (element, address) pairs of the
// description and of its normalisation are compared element by element, over seeded random problems.
#include <algorithm>
#include <cstdint>
#include <random>
#include <string>

#include "common/base/data_type.h"
#include "common/problem/problem.h"
#include "gtest/gtest.h"

namespace gemm::problem {
namespace {

std::int64_t PackedLd(const Matrix& m, std::int64_t rows, std::int64_t cols) {
  return m.layout == Layout::kRowMajor ? cols : rows;
}

// By the words of gemm.h, in elements.
std::int64_t Offset(const Matrix& m, std::int64_t rows, std::int64_t cols, std::int64_t batch, std::int64_t b,
                    std::int64_t i, std::int64_t j) {
  const std::int64_t ld = m.ld == 0 ? PackedLd(m, rows, cols) : m.ld;
  std::int64_t stride = m.batch_stride;
  if (stride == kPacked) stride = ld * (m.layout == Layout::kRowMajor ? rows : cols);
  if (batch == 1) stride = 0;
  return b * stride + (m.layout == Layout::kRowMajor ? i * ld + j : i + j * ld);
}

// (mn, k) of an input by the words of problem.h.
std::int64_t Offset(const Input& in, std::int64_t b, std::int64_t mn, std::int64_t k) {
  return b * in.batch_stride + (in.major == Major::kK ? mn * in.ld + k : k * in.ld + mn);
}

std::int64_t Offset(const Output& out, std::int64_t b, std::int64_t i, std::int64_t j) {
  return b * out.batch_stride + i * out.row_stride + j * out.col_stride;
}

Matrix RandomMatrix(std::mt19937_64& random, DataType type, std::int64_t rows, std::int64_t cols, bool output) {
  Matrix m;
  m.type = type;
  m.layout = random() % 2 ? Layout::kRowMajor : Layout::kColumnMajor;
  if (random() % 2) m.ld = PackedLd(m, rows, cols) + static_cast<std::int64_t>(random() % 9);
  const std::int64_t ld = m.ld == 0 ? PackedLd(m, rows, cols) : m.ld;
  const std::int64_t whole = ld * (m.layout == Layout::kRowMajor ? rows : cols);
  switch (random() % 3) {
    case 0:
      m.batch_stride = whole + static_cast<std::int64_t>(random() % 9);
      break;
    case 1:
      if (!output) m.batch_stride = static_cast<std::int64_t>(random() % 5);
      break;
    default:
      break;
  }
  m.alignment = base::ElementBytes(type) << random() % 4;
  return m;
}

struct Case {
  Problem problem;
  Normalized normalized;
};

Case RandomCase(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  constexpr DataType kTypes[] = {DataType::kFP32, DataType::kFP16, DataType::kBF16};
  Case out;
  Problem& p = out.problem;
  p.m = 1 + static_cast<std::int64_t>(random() % 6);
  p.n = 1 + static_cast<std::int64_t>(random() % 6);
  p.k = static_cast<std::int64_t>(random() % 6);
  p.batch = 1 + static_cast<std::int64_t>(random() % 3);
  const DataType input = kTypes[random() % 3];
  const DataType output = kTypes[random() % 3];
  p.a = RandomMatrix(random, input, p.m, p.k, false);
  p.b = RandomMatrix(random, input, p.k, p.n, false);
  p.c = RandomMatrix(random, output, p.m, p.n, false);
  p.d = RandomMatrix(random, output, p.m, p.n, true);
  const Status status = Normalize(p, &out.normalized);
  EXPECT_TRUE(status.ok()) << "seed " << seed << ": " << status.message();
  EXPECT_TRUE(out.normalized.c_status.ok()) << "seed " << seed;
  return out;
}

constexpr std::uint64_t kSeeds = 20000;

TEST(Addresses, OfInputsAreKept) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const auto [p, n] = RandomCase(seed);
    const Input& a = n.swapped ? n.b : n.a;
    const Input& b = n.swapped ? n.a : n.b;
    for (std::int64_t batch = 0; batch < p.batch; ++batch) {
      for (std::int64_t k = 0; k < p.k; ++k) {
        for (std::int64_t i = 0; i < p.m; ++i) {
          ASSERT_EQ(Offset(p.a, p.m, p.k, p.batch, batch, i, k), Offset(a, batch, i, k)) << "seed " << seed;
        }
        for (std::int64_t j = 0; j < p.n; ++j) {
          ASSERT_EQ(Offset(p.b, p.k, p.n, p.batch, batch, k, j), Offset(b, batch, j, k)) << "seed " << seed;
        }
      }
    }
  }
}

TEST(Addresses, OfOutputsAreKept) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const auto [p, n] = RandomCase(seed);
    ASSERT_EQ(n.d.col_stride, 1) << "seed " << seed;
    ASSERT_TRUE(n.c.col_stride == 1 || n.c.row_stride == 1) << "seed " << seed;
    for (std::int64_t batch = 0; batch < p.batch; ++batch) {
      for (std::int64_t i = 0; i < p.m; ++i) {
        for (std::int64_t j = 0; j < p.n; ++j) {
          const auto [row, col] = n.swapped ? std::pair(j, i) : std::pair(i, j);
          ASSERT_EQ(Offset(p.d, p.m, p.n, p.batch, batch, i, j), Offset(n.d, batch, row, col))
              << "seed " << seed;
          ASSERT_EQ(Offset(p.c, p.m, p.n, p.batch, batch, i, j), Offset(n.c, batch, row, col))
              << "seed " << seed;
        }
      }
    }
  }
}

// The promised alignment holds at the start of every line that exists, and is not needlessly low: of the
// promise, the leading dimension and the batch stride, one that counts allows no more.
TEST(Addresses, AlignmentsHoldAndAreTight) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const auto [p, n] = RandomCase(seed);
    const int bytes = base::ElementBytes(n.input_type);
    const auto check = [&](const Input& in, std::int64_t outer, std::int32_t promise) {
      std::int64_t allowed = std::min<std::int64_t>(promise, 16);
      const bool ld_counts = outer > 1 && n.k > 0;
      if (ld_counts) allowed = std::min(allowed, (in.ld * bytes) & -(in.ld * bytes));
      const std::int64_t stride = in.batch_stride * bytes;
      if (p.batch > 1 && stride != 0) allowed = std::min(allowed, stride & -stride);
      ASSERT_EQ(in.alignment, allowed) << "seed " << seed;
      if (!ld_counts) {
        ASSERT_EQ(in.ld * bytes % 16, 0) << "seed " << seed;
      }
    };
    check(n.a, n.a.major == Major::kK ? n.m : n.k, n.a_address_alignment);
    check(n.b, n.b.major == Major::kK ? n.n : n.k, n.b_address_alignment);
  }
}

}  // namespace
}  // namespace gemm::problem
