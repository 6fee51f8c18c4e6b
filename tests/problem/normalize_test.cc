// What Normalize makes of valid problems, field by field.
#include <cstdint>

#include "common/problem/problem.h"
#include "gtest/gtest.h"

namespace gemm::problem {
namespace {

Problem Make(std::int64_t m, std::int64_t n, std::int64_t k) {
  Problem p;
  p.m = m;
  p.n = n;
  p.k = k;
  return p;
}

Normalized Ok(const Problem& p, const PlanOptions& options = {}) {
  Normalized out;
  const Status status = Normalize(p, options, &out);
  EXPECT_TRUE(status.ok()) << status.message();
  return out;
}

TEST(Normalize, PackedRowMajorIsTakenAsItIs) {
  const Normalized p = Ok(Make(64, 128, 256));
  EXPECT_EQ(p.m, 64);
  EXPECT_EQ(p.n, 128);
  EXPECT_EQ(p.k, 256);
  EXPECT_EQ(p.batch, 1);
  EXPECT_FALSE(p.swapped);
  EXPECT_EQ(p.a.major, Major::kK);
  EXPECT_EQ(p.a.ld, 256);
  EXPECT_EQ(p.b.major, Major::kMN);
  EXPECT_EQ(p.b.ld, 128);
  EXPECT_EQ(p.d.row_stride, 128);
  EXPECT_EQ(p.d.col_stride, 1);
  EXPECT_EQ(p.c.row_stride, 128);
  EXPECT_EQ(p.a.alignment, 16);
  EXPECT_EQ(p.d.alignment, 16);
  EXPECT_EQ(p.a.batch_stride, 0);
}

TEST(Normalize, ColumnMajorInputs) {
  Problem problem = Make(64, 128, 256);
  problem.a.layout = Layout::kColumnMajor;
  problem.b.layout = Layout::kColumnMajor;
  problem.b.ld = 264;
  const Normalized p = Ok(problem);
  EXPECT_EQ(p.a.major, Major::kMN);
  EXPECT_EQ(p.a.ld, 64);
  EXPECT_EQ(p.b.major, Major::kK);
  EXPECT_EQ(p.b.ld, 264);
}

TEST(Normalize, ColumnMajorDExchangesAAndB) {
  Problem problem = Make(64, 128, 256);
  problem.d.layout = Layout::kColumnMajor;
  problem.a.alignment = 2;
  problem.b.alignment = 8;
  const Normalized p = Ok(problem);
  EXPECT_TRUE(p.swapped);
  EXPECT_EQ(p.m, 128);
  EXPECT_EQ(p.n, 64);
  // A is now the transpose of a row-major B, whose contiguous dimension is N, now called M.
  EXPECT_EQ(p.a.major, Major::kMN);
  EXPECT_EQ(p.a.ld, 128);
  EXPECT_EQ(p.a.alignment, 8);
  EXPECT_EQ(p.a_address_alignment, 8);
  EXPECT_EQ(p.b.major, Major::kK);
  EXPECT_EQ(p.b.ld, 256);
  EXPECT_EQ(p.b.alignment, 2);
  EXPECT_EQ(p.b_address_alignment, 2);
  EXPECT_EQ(p.d.row_stride, 64);
  EXPECT_EQ(p.d.col_stride, 1);
  // C was left row-major: across the rows of the transposed product.
  EXPECT_EQ(p.c.row_stride, 1);
  EXPECT_EQ(p.c.col_stride, 128);
}

TEST(Normalize, CMayHaveAnotherLayoutThanD) {
  Problem problem = Make(64, 128, 256);
  problem.c.layout = Layout::kColumnMajor;
  problem.c.ld = 65;
  const Normalized p = Ok(problem);
  EXPECT_EQ(p.c.row_stride, 1);
  EXPECT_EQ(p.c.col_stride, 65);
  EXPECT_EQ(p.c.alignment, 2);
}

TEST(Normalize, LeadingDimensionLowersTheAlignment) {
  Problem problem = Make(64, 128, 256);
  problem.a.ld = 260;  // 520 bytes
  problem.b.ld = 130;  // 260 bytes
  problem.d.ld = 129;  // 258 bytes
  const Normalized p = Ok(problem);
  EXPECT_EQ(p.a.alignment, 8);
  EXPECT_EQ(p.b.alignment, 4);
  EXPECT_EQ(p.d.alignment, 2);
  EXPECT_EQ(p.a_address_alignment, 16);
}

TEST(Normalize, TheAddressPromiseLimitsTheAlignment) {
  Problem problem = Make(64, 128, 256);
  problem.a.alignment = 4;
  problem.b.alignment = 256;
  const Normalized p = Ok(problem);
  EXPECT_EQ(p.a.alignment, 4);
  EXPECT_EQ(p.b.alignment, 16);
  EXPECT_EQ(p.b_address_alignment, 256);
}

TEST(Normalize, TheLeadingDimensionOfOneRowDoesNotCount) {
  Problem problem = Make(1, 128, 255);
  problem.a.ld = 257;
  problem.d.ld = 131;
  const Normalized p = Ok(problem);
  EXPECT_EQ(p.a.alignment, 16);
  EXPECT_EQ(p.a.ld % 8, 0);
  EXPECT_GE(p.a.ld, 255);
  EXPECT_EQ(p.d.alignment, 16);
  EXPECT_EQ(p.d.row_stride % 8, 0);
}

TEST(Normalize, BatchStrideLowersTheAlignmentAndBatchOfOneHasNone) {
  Problem problem = Make(64, 128, 256);
  problem.batch = 3;
  problem.a.batch_stride = 64 * 256 + 4;
  problem.b.batch_stride = 0;
  Normalized p = Ok(problem);
  EXPECT_EQ(p.a.batch_stride, 64 * 256 + 4);
  EXPECT_EQ(p.a.alignment, 8);
  EXPECT_EQ(p.b.batch_stride, 0);
  EXPECT_EQ(p.b.alignment, 16);
  EXPECT_EQ(p.d.batch_stride, 64 * 128);
  problem.batch = 1;
  p = Ok(problem);
  EXPECT_EQ(p.a.batch_stride, 0);
  EXPECT_EQ(p.a.alignment, 16);
  EXPECT_EQ(p.d.batch_stride, 0);
}

TEST(Normalize, PackedBatchStrideCountsThePadding) {
  Problem problem = Make(64, 128, 256);
  problem.batch = 2;
  problem.a.ld = 300;
  problem.d.layout = Layout::kColumnMajor;
  problem.d.ld = 72;
  const Normalized p = Ok(problem);
  EXPECT_EQ(p.b.batch_stride, 64 * 300);
  EXPECT_EQ(p.d.batch_stride, 128 * 72);
}

TEST(Normalize, AColumnVectorStoredDenselyIsOneLine) {
  Problem problem = Make(1, 128, 256);
  problem.a.layout = Layout::kColumnMajor;  // 1 x 256 at stride 1
  Normalized p = Ok(problem);
  EXPECT_EQ(p.a.major, Major::kK);
  EXPECT_EQ(p.a.alignment, 16);
  problem.a.ld = 2;  // every second element: not one line
  p = Ok(problem);
  EXPECT_EQ(p.a.major, Major::kMN);
  EXPECT_EQ(p.a.ld, 2);
  EXPECT_EQ(p.a.alignment, 4);
}

TEST(Normalize, AColumnMajorDOfOneDenseRowIsRowMajor) {
  Problem problem = Make(1, 128, 256);
  problem.d.layout = Layout::kColumnMajor;
  problem.c.layout = Layout::kColumnMajor;
  Normalized p = Ok(problem);
  EXPECT_FALSE(p.swapped);
  EXPECT_EQ(p.m, 1);
  EXPECT_EQ(p.n, 128);
  EXPECT_EQ(p.d.col_stride, 1);
  EXPECT_EQ(p.d.alignment, 16);
  EXPECT_EQ(p.c.row_stride, p.d.row_stride);
  EXPECT_EQ(p.c.col_stride, 1);
  problem.d.ld = 4;
  p = Ok(problem);
  EXPECT_TRUE(p.swapped);
  EXPECT_EQ(p.m, 128);
}

TEST(Normalize, MatricesOfDMayLieSideBySide) {
  Problem problem = Make(64, 32, 16);  // heads of a [tokens, heads, features] tensor
  problem.batch = 8;
  problem.d.ld = 8 * 32;
  problem.d.batch_stride = 32;
  problem.c = problem.d;
  const Normalized p = Ok(problem);
  EXPECT_EQ(p.d.row_stride, 256);
  EXPECT_EQ(p.d.batch_stride, 32);
}

TEST(Normalize, AnUntouchedCIsGoodForBetaZero) {
  Problem problem = Make(64, 128, 256);
  problem.d.type = DataType::kFP32;
  Normalized p = Ok(problem);
  EXPECT_EQ(p.output_type, DataType::kFP32);
  EXPECT_EQ(p.c_status.code(), StatusCode::kUnsupported);
  EXPECT_NE(p.c_status.message().find("problem.c.type is bf16"), std::string::npos) << p.c_status.message();
  EXPECT_EQ(p.c.row_stride, p.d.row_stride);
  problem.c.type = DataType::kFP32;
  EXPECT_TRUE(Ok(problem).c_status.ok());
  problem.c.ld = 5;
  EXPECT_EQ(Ok(problem).c_status.code(), StatusCode::kInvalidArgument);
}

TEST(Normalize, DeviceScalarsNeedAGoodC) {
  Problem problem = Make(64, 128, 256);
  problem.d.type = DataType::kFP32;
  problem.scalars = ScalarMode::kDevice;
  Normalized p;
  p.m = 77;
  EXPECT_EQ(Normalize(problem, &p).code(), StatusCode::kUnsupported);
  EXPECT_EQ(p.m, 77);
  problem.c.type = DataType::kFP32;
  EXPECT_TRUE(Normalize(problem, &p).ok());
}

TEST(Normalize, ZeroSizes) {
  EXPECT_TRUE(Ok(Make(0, 128, 256)).empty());
  EXPECT_TRUE(Ok(Make(64, 0, 256)).empty());
  Problem problem = Make(64, 128, 256);
  problem.batch = 0;
  EXPECT_TRUE(Ok(problem).empty());
  const Normalized p = Ok(Make(64, 128, 0));
  EXPECT_FALSE(p.empty());
  EXPECT_EQ(p.k, 0);
  EXPECT_TRUE(Ok(Make(0, 0, INT64_MAX / 4)).empty());
}

TEST(Normalize, SizesPastThirtyTwoBits) {
  EXPECT_EQ(Ok(Make(1LL << 20, 1LL << 20, 1)).m, 1LL << 20);
  Problem problem = Make(1LL << 30, 1LL << 31, 1);  // 2^62 bytes of D
  EXPECT_EQ(Ok(problem).n, 1LL << 31);
}

TEST(Normalize, TypesOfThisVersion) {
  for (const DataType input : {DataType::kFP32, DataType::kFP16, DataType::kBF16}) {
    for (const DataType output : {DataType::kFP32, DataType::kFP16, DataType::kBF16}) {
      Problem problem = Make(8, 8, 8);
      problem.a.type = problem.b.type = input;
      problem.c.type = problem.d.type = output;
      const Normalized p = Ok(problem);
      EXPECT_EQ(p.input_type, input);
      EXPECT_EQ(p.output_type, output);
    }
  }
}

TEST(ToStringTest, NamesWhatDecides) {
  Problem problem = Make(1, 128, 256);
  problem.b.layout = Layout::kColumnMajor;
  problem.d.type = DataType::kFP32;
  const std::string text = ToString(Ok(problem));
  EXPECT_EQ(text, "m=1 n=128 k=256 batch=1 bf16->fp32 A=K/ld256/align16 B=K/ld256/align16 D=ld128/align16");
}

TEST(NormalizeForAPlan, TheCallersBIsReadEarlyWhereBothOptionsSaySo) {
  for (const bool swapped : {false, true}) {
    Problem problem = Make(2, 128, 256);
    if (swapped) problem.d.layout = Layout::kColumnMajor;
    for (const bool programmatic : {false, true}) {
      for (const bool constant : {false, true}) {
        PlanOptions options;
        options.programmatic_launch = programmatic;
        options.constant_b = constant;
        const Normalized p = Ok(problem, options);
        ASSERT_EQ(p.swapped, swapped);
        EXPECT_EQ((swapped ? p.a : p.b).readable_early, programmatic && constant);
        EXPECT_FALSE((swapped ? p.b : p.a).readable_early);
        EXPECT_EQ(ToString(p).find("/early") != std::string::npos, programmatic && constant);
        options.max_sms = 66;  // launched in turn
        EXPECT_EQ(ToString(Ok(problem, options)).find("/early"), std::string::npos);
      }
    }
  }
}

TEST(NormalizeForAPlan, BatchInvariance) {
  EXPECT_FALSE(Ok(Make(1, 128, 256)).batch_invariant);
  PlanOptions options;
  options.batch_invariant = true;
  const Normalized p = Ok(Make(1, 128, 256), options);
  EXPECT_TRUE(p.batch_invariant);
  EXPECT_NE(ToString(p).find(" batch-invariant"), std::string::npos);
}

// What kernels see beside the sizes.
std::string Described(const Problem& problem) {
  PlanOptions options;
  options.batch_invariant = true;
  const Normalized p = Ok(problem, options);
  const std::string all = ToString(p);
  return all.substr(all.find(" batch=")) + " C=" + std::to_string(p.c.row_stride) + "," +
         std::to_string(p.c.col_stride) + "/align" + std::to_string(p.c.alignment);
}

TEST(NormalizeForAPlan, OneRowIsTakenAsSeveralAreWhereTheBatchMayNotMatter) {
  for (const Layout a : {Layout::kRowMajor, Layout::kColumnMajor}) {
    for (const Layout c : {Layout::kRowMajor, Layout::kColumnMajor}) {
      for (const Layout d : {Layout::kRowMajor, Layout::kColumnMajor}) {
        for (const std::int64_t n : {1, 33}) {
          for (const std::int64_t k : {1, 97}) {
            Problem one = Make(1, n, k);
            one.a.layout = a;
            one.c.layout = c;
            one.d.layout = d;
            // Long enough for either number of rows.
            one.a.ld = a == Layout::kRowMajor ? 0 : 5;
            one.c.ld = c == Layout::kRowMajor ? 0 : 7;
            one.d.ld = d == Layout::kRowMajor ? 0 : 9;
            Problem three = one;
            three.m = 3;
            EXPECT_EQ(Described(one), Described(three)) << n << " " << k;
            // And packed, but for the leading dimensions.
            one.a.ld = one.c.ld = one.d.ld = 0;
            one.a.alignment = one.c.alignment = one.d.alignment = 2;
            PlanOptions options;
            options.batch_invariant = true;
            three = one;
            three.m = 3;
            const Normalized p = Ok(one, options), q = Ok(three, options);
            EXPECT_EQ(p.swapped, q.swapped);
            EXPECT_EQ(p.a.major, q.a.major);
            EXPECT_EQ(p.b.major, q.b.major);
            EXPECT_EQ(p.a.alignment, q.a.alignment);
            EXPECT_EQ(p.c.alignment, q.c.alignment);
            EXPECT_EQ(p.d.alignment, q.d.alignment);
            EXPECT_EQ(p.c.along_row, q.c.along_row) << n << " " << k;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace gemm::problem
