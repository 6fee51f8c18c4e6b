// The oracle, the fills and the host product against the definition, element by element.
#include "tests/support/oracle.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <new>

#include "tests/support/compare.h"
#include "tests/support/host_case.h"
#include "tests/support/numerics.h"
#include "tests/support/parallel.h"

namespace gemm::tests {
namespace {

Case ParseOne(const std::string& line) {
  std::vector<Case> cases;
  std::string error;
  EXPECT_TRUE(ParseCaseLine(line, "test", &cases, &error)) << error;
  EXPECT_EQ(cases.size(), 1u);
  return cases.at(0);
}

// Element (i, j) of matrix b by gemm.h's words, with no help from View.
double Element(const Matrix& matrix, std::int64_t rows, std::int64_t cols, const void* data, std::int64_t b,
               std::int64_t i, std::int64_t j) {
  const bool row_major = matrix.layout == Layout::kRowMajor;
  const std::int64_t stride =
      matrix.batch_stride == kPacked ? matrix.ld * (row_major ? rows : cols) : matrix.batch_stride;
  return Load(matrix.type, data, b * stride + (row_major ? i * matrix.ld + j : i + j * matrix.ld));
}

class OracleTest : public ::testing::TestWithParam<const char*> {};

TEST_P(OracleTest, IsTheDefinition) {
  const Case test_case = ParseOne(GetParam());
  const Problem& p = test_case.problem;
  HostCase host(test_case);
  const void* c = test_case.c_mode == CMode::kInPlace ? host.d().data() : host.c().data();
  const Expected& expected = host.expected();
  ASSERT_EQ(expected.value.size(), static_cast<std::size_t>(p.batch * p.m * p.n));
  std::size_t index = 0;
  for (std::int64_t b = 0; b < p.batch; ++b) {
    for (std::int64_t i = 0; i < p.m; ++i) {
      for (std::int64_t j = 0; j < p.n; ++j, ++index) {
        double sum = 0, magnitude = 0;
        for (std::int64_t k = 0; k < p.k; ++k) {
          const double product = Element(p.a, p.m, p.k, host.a().data(), b, i, k) *
                                 Element(p.b, p.k, p.n, host.b().data(), b, k, j);
          sum += product;
          magnitude += std::abs(product);
        }
        double value = p.k > 0 ? test_case.alpha * sum : 0.0;
        magnitude *= std::abs(test_case.alpha);
        if (test_case.beta != 0) {
          const double term = test_case.beta * Element(p.c, p.m, p.n, c, b, i, j);
          value += term;
          magnitude += std::abs(term);
        }
        ASSERT_NEAR(expected.value[index], value, 1e-12 * magnitude) << b << " " << i << " " << j;
        ASSERT_NEAR(expected.magnitude[index], magnitude, 1e-12 * magnitude);
      }
    }
  }
}

// HostGemm shares no loop with the oracle; what it writes must pass the same judge as a kernel's result.
TEST_P(OracleTest, AcceptsTheHostProduct) {
  const Case test_case = ParseOne(GetParam());
  HostCase host(test_case);
  std::vector<unsigned char> d = host.d();
  const void* c = test_case.c_mode == CMode::kInPlace ? d.data() : host.c().data();
  HostGemm(test_case.problem, host.a().data(), host.b().data(), c, d.data(), test_case.alpha, test_case.beta);
  EXPECT_EQ(host.Complaint(d), "");
}

INSTANTIATE_TEST_SUITE_P(Lines, OracleTest,
                         ::testing::Values("1 1 1 in=fp32", "3 5 7 in=bf16 a=c b=r d=c",
                                           "129 65 130 in=fp16 out=fp32",
                                           "130 66 257 in=bf16 lda=+3 ldb=+5 ldd=+7 beta=-0.5 ldc=+2 c=c",
                                           "33 17 40 in=fp32 batch=3 sa=0 sc=+5 sd=+9 beta=2 alpha=-1.5",
                                           "20 30 0 in=fp32 beta=3", "20 30 0 in=bf16",
                                           "64 40 50 in=fp16 beta=1 cmode=inplace batch=2 ldd=+6",
                                           "40 70 300 in=bf16 fill=integers alpha=0.5 beta=-2",
                                           "40 70 64 in=bf16 cmode=poisoned", "300 1 129 in=fp32 b=r"));

TEST(Oracle, ASampleOfRowsIsTheSameRows) {
  HostCase host(ParseOne("200 70 90 in=bf16 batch=2 beta=1"));
  OracleOptions options;
  options.rows = SampleRows(200, 9, 5);
  int calls = 0;
  double last = 0;
  options.progress = [&](double fraction) {
    ++calls;
    EXPECT_GT(fraction, last);
    last = fraction;
  };
  const Expected part = ComputeOracle(host.description().problem, host.a().data(), host.b().data(),
                                      host.c().data(), 1.0f, 1.0f, options);
  EXPECT_GT(calls, 0);
  EXPECT_EQ(last, 1.0);
  const Expected& whole = host.expected();
  for (std::int64_t b = 0; b < 2; ++b) {
    for (std::size_t r = 0; r < part.rows.size(); ++r) {
      for (std::size_t j = 0; j < 70; ++j) {
        const std::size_t at = (static_cast<std::size_t>(b) * part.rows.size() + r) * 70 + j;
        const std::size_t there =
            (static_cast<std::size_t>(b) * 200 + static_cast<std::size_t>(part.rows[r])) * 70 + j;
        ASSERT_EQ(part.value[at], whole.value[there]);
      }
    }
  }
}

TEST(Oracle, SampleRowsAreAscendingDistinctAndHoldTheEnds) {
  for (const std::int64_t m : {1, 2, 3, 4, 5, 100, 1 << 20}) {
    for (const std::int64_t count : {1, 2, 4, 5, 64}) {
      const std::vector<std::int64_t> rows = SampleRows(m, count, 7);
      ASSERT_EQ(static_cast<std::int64_t>(rows.size()), std::min(m, count));
      EXPECT_EQ(rows.front(), 0);
      if (count > 1) {
        EXPECT_EQ(rows.back(), m - 1);
      }
      for (std::size_t i = 1; i < rows.size(); ++i) ASSERT_LT(rows[i - 1], rows[i]);
    }
  }
  EXPECT_TRUE(SampleRows(0, 4, 1).empty());
}

TEST(Oracle, NanAndInfinityGoWhereTheProductSays) {
  HostCase host(ParseOne("60 50 40 in=bf16 fill=special"));
  int nan = 0, infinite = 0, finite = 0;
  for (const double value : host.expected().value) {
    nan += std::isnan(value) ? 1 : 0;
    infinite += std::isinf(value) ? 1 : 0;
    finite += std::isfinite(value) ? 1 : 0;
  }
  EXPECT_GE(nan, 60);  // a row by A's NaN, a column by B's
  EXPECT_GT(infinite, 0);
  EXPECT_GT(finite, 60 * 50 / 2);
}

TEST(Oracle, EstimateIsPositiveAndGrowsWithTheWork) {
  Problem p;
  p.m = p.n = p.k = 4096;
  const double rows = EstimateOracleSeconds(p, 64);
  EXPECT_GT(rows, 0);
  EXPECT_GT(EstimateOracleSeconds(p), 4 * rows);
}

TEST(Fills, AreTheSameMatrixInEveryLayout) {
  HostCase rows(ParseOne("30 20 10 in=fp16 a=r lda=+3"));
  HostCase cols(ParseOne("30 20 10 in=fp16 a=c lda=+5"));
  const View a = ViewOfA(rows.description().problem, rows.a().data());
  const View b = ViewOfA(cols.description().problem, cols.a().data());
  for (std::int64_t i = 0; i < 30; ++i) {
    for (std::int64_t k = 0; k < 10; ++k) {
      ASSERT_EQ(Load(a.type, a.data, a.Index(0, i, k)), Load(b.type, b.data, b.Index(0, i, k)));
    }
  }
}

TEST(Fills, NormalHasMeanZeroAndVarianceOne) {
  Problem p;
  p.m = 500;
  p.k = 400;
  p.a.type = DataType::kFP32;
  std::vector<float> values(200000);
  FillMatrix(ViewOfA(p, values.data()), Fill::kNormal, Operand::kA, 3);
  double sum = 0, squares = 0;
  for (const float value : values) {
    sum += value;
    squares += static_cast<double>(value) * value;
  }
  EXPECT_NEAR(sum / 200000, 0, 0.01);
  EXPECT_NEAR(squares / 200000, 1, 0.02);
}

TEST(Fills, IntegersAreSmallAndVaried) {
  HostCase host(ParseOne("50 50 50 in=bf16 fill=integers"));
  int seen[9] = {};
  for (int i = 0; i < 2500; ++i) {
    const float value = Load(DataType::kBF16, host.a().data(), i);
    ASSERT_EQ(value, std::nearbyint(value));
    ASSERT_LE(std::abs(value), 4);
    ++seen[static_cast<int>(value) + 4];
  }
  for (const int count : seen) EXPECT_GT(count, 150);
}

TEST(Fills, ExactProductsAreToldFromOthers) {
  Problem p;
  p.k = 4096;
  EXPECT_TRUE(IsExactProduct(p, 1, 0));
  EXPECT_TRUE(IsExactProduct(p, -0.5, 2));
  EXPECT_FALSE(IsExactProduct(p, 0.1, 0));
  EXPECT_FALSE(IsExactProduct(p, 1, 1.0 / 3));
  p.k = 1 << 20;
  EXPECT_FALSE(IsExactProduct(p, 1, 0));
}

TEST(Fills, SubnormalsAreSubnormalAndTheirProductsAreNot) {
  for (const char* type : {"bf16", "fp16", "fp32"}) {
    HostCase host(ParseOne(std::string("20 20 20 out=fp32 fill=subnormal in=") + type));
    const DataType t = host.description().problem.a.type;
    const double smallest_normal = t == DataType::kFP16 ? 0x1p-14 : 0x1p-126;
    for (int i = 0; i < 400; ++i) ASSERT_LT(std::abs(Load(t, host.a().data(), i)), smallest_normal) << type;
    for (const double value : host.expected().value) EXPECT_GT(std::abs(value), 0x1p-40) << type;
  }
}

TEST(ParallelFor, ThrowsWhatAThreadThrew) {
  std::atomic<int> calls{0};
  const auto body = [&](std::int64_t i) {
    ++calls;
    if (i == 7) throw std::bad_alloc();
  };
  EXPECT_THROW(ParallelFor(1000, 4, body), std::bad_alloc);
  EXPECT_GE(calls, 1);
  calls = 0;
  ParallelFor(7, 4, body);
  EXPECT_EQ(calls, 7);
}

}  // namespace
}  // namespace gemm::tests
