// The judges must condemn what is wrong: they are tested on results spoilt on purpose.
#include "tests/support/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "tests/support/host_case.h"
#include "tests/support/numerics.h"

namespace gemm::tests {
namespace {

Case ParseOne(const std::string& line) {
  std::vector<Case> cases;
  std::string error;
  EXPECT_TRUE(ParseCaseLine(line, "test", &cases, &error)) << error;
  return cases.at(0);
}

// A correct result for the line, to be spoilt.
struct Spoilable {
  explicit Spoilable(const std::string& line) : host(ParseOne(line)), d(host.d()) {
    const Case& c = host.description();
    const void* c_data = c.c_mode == CMode::kInPlace ? d.data() : host.c().data();
    HostGemm(c.problem, host.a().data(), host.b().data(), c_data, d.data(), c.alpha, c.beta);
    view = ViewOfD(c.problem, d.data());
  }
  float Get(std::int64_t b, std::int64_t i, std::int64_t j) const {
    return Load(view.type, view.data, view.Index(b, i, j));
  }
  void Set(std::int64_t b, std::int64_t i, std::int64_t j, float value) {
    Store(view.type, view.data, view.Index(b, i, j), value);
  }
  HostCase host;
  std::vector<unsigned char> d;
  View view;
};

constexpr const char* kBoundLine = "50 40 300 in=bf16 out=fp32 batch=2 ldd=+3 sd=+5";
constexpr const char* kExactLine = "50 40 300 in=bf16 fill=integers ldd=+3";

TEST(Compare, AcceptsARightResult) {
  for (const char* line : {kBoundLine, kExactLine, "9 9 9 in=fp16 d=c beta=1 cmode=inplace"}) {
    Spoilable s(line);
    EXPECT_EQ(s.host.Complaint(s.d), "") << line;
  }
}

TEST(Compare, TF32MayBeOffByWhatRoundingItsFactorsChanges) {
  const std::size_t index = 7 * 40 + 11;
  for (const bool rounds : {false, true}) {
    Spoilable s(std::string("50 40 300 in=fp32") + (rounds ? " compute=tf32" : ""));
    const double off = 0.99 * kTF32ErrorConstant * s.host.expected().magnitude[index];
    s.Set(0, 7, 11, static_cast<float>(s.host.expected().value[index] + off));
    EXPECT_EQ(s.host.Complaint(s.d) == "", rounds);
    s.Set(0, 7, 11, static_cast<float>(s.host.expected().value[index] + 1.2 * off));
    EXPECT_NE(s.host.Complaint(s.d), "");
  }
}

TEST(Compare, CondemnsOneElementJustBeyondTheBound) {
  Spoilable s(kBoundLine);
  const std::size_t index = (1 * 50 + 7) * 40 + 11;
  const double value = s.host.expected().value[index];
  const double bound = ErrorBound(value, s.host.expected().magnitude[index], 300, DataType::kFP32);
  s.Set(1, 7, 11, static_cast<float>(value + 0.99 * bound));
  EXPECT_EQ(s.host.Complaint(s.d), "");
  s.Set(1, 7, 11, static_cast<float>(value + 1.02 * bound));
  const CheckReport report = CheckBound(s.host.expected(), s.view);
  EXPECT_EQ(report.wrong, 1);
  EXPECT_EQ(report.checked, 2 * 50 * 40);
  EXPECT_EQ(report.worst_batch, 1);
  EXPECT_EQ(report.worst_row, 7);
  EXPECT_EQ(report.worst_col, 11);
  EXPECT_NE(s.host.Complaint(s.d).find("D[1][7, 11]"), std::string::npos) << s.host.Complaint(s.d);
}

TEST(Compare, TheBoundIsTheFormulaOfTheHeader) {
  const double u = std::ldexp(1.0, -24);
  const double computed = 2.0 * (1000 + 2) * u * 12.0;
  const double bound = ErrorBound(3.0, 12.0, 1000, DataType::kBF16);
  EXPECT_NEAR(bound, computed + std::ldexp(1.0, -8) * (3.0 + computed), 1e-12);
  EXPECT_EQ(kErrorConstant, 2.0);
}

TEST(Compare, CondemnsADroppedProductAndASwappedPair) {
  // Half of one product missing, or two neighbours exchanged: what a wrong index gives.
  Spoilable s(kBoundLine);
  const float kept = s.Get(0, 3, 4);
  s.Set(0, 3, 4, s.Get(0, 3, 5));
  s.Set(0, 3, 5, kept);
  EXPECT_EQ(CheckBound(s.host.expected(), s.view).wrong, 2);
}

TEST(Compare, CondemnsNanAndInfinityWhereANumberIsDue) {
  for (const float value : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    for (const char* line : {kBoundLine, kExactLine}) {
      Spoilable s(line);
      s.Set(0, 49, 39, value);
      EXPECT_NE(s.host.Complaint(s.d), "") << line << " " << value;
    }
  }
}

TEST(Compare, CondemnsANumberWhereNanOrInfinityIsDue) {
  Spoilable s("60 50 40 in=bf16 fill=special");
  ASSERT_EQ(s.host.Complaint(s.d), "");
  int seen_nan = 0, seen_infinite = 0;
  for (std::int64_t i = 0; i < 60; ++i) {
    for (std::int64_t j = 0; j < 50; ++j) {
      const float right = s.Get(0, i, j);
      if (std::isfinite(right)) continue;
      ++(std::isnan(right) ? seen_nan : seen_infinite);
      s.Set(0, i, j, std::isinf(right) ? -right : 1.0f);
      ASSERT_EQ(CheckBound(s.host.expected(), s.view).wrong, 1);
      s.Set(0, i, j, right);
    }
  }
  EXPECT_GT(seen_nan, 0);
  EXPECT_GT(seen_infinite, 0);
}

TEST(Compare, CondemnsAnUnwrittenElementEvenWhereNanIsDue) {
  for (const char* line :
       {kBoundLine, kExactLine, "60 50 40 in=bf16 fill=special", "60 50 40 in=fp16 fill=special"}) {
    Spoilable s(line);
    std::int64_t row = 0;
    while (row < 50 && !std::isnan(s.Get(0, row, 0)))
      ++row;  // a NaN, where the case has one in its first column
    row = row == 50 ? 0 : row;
    const std::int64_t at = s.view.Index(0, row, 0) * (s.view.type == DataType::kFP32 ? 4 : 2);
    std::memcpy(s.d.data() + at, s.host.d().data() + at, s.view.type == DataType::kFP32 ? 4 : 2);
    const CheckReport report = CheckBound(s.host.expected(), s.view);
    EXPECT_EQ(report.unwritten, 1) << line;
    EXPECT_EQ(report.wrong, 1) << line;
    EXPECT_NE(s.host.Complaint(s.d), "") << line;
  }
}

TEST(Compare, AnExactResultOffByOneUnitIsWrong) {
  Spoilable s(kExactLine);
  auto* elements = reinterpret_cast<std::uint16_t*>(s.d.data());
  elements[s.view.Index(0, 20, 20)] ^= 1;
  EXPECT_EQ(CheckExact(s.host.expected(), s.view).wrong, 1);
  // The bound, which is wider, would have let it pass or not; the exact judge must not.
  EXPECT_NE(s.host.Complaint(s.d), "");
}

TEST(Compare, HalfPrecisionOverflowIsInfinityAndNothingElse) {
  Spoilable s("40 40 64 in=fp16 alpha=60000");
  ASSERT_EQ(s.host.Complaint(s.d), "");
  int overflowed = 0;
  for (std::int64_t j = 0; j < 40 && overflowed == 0; ++j) {
    if (!std::isinf(s.Get(0, 0, j))) continue;
    ++overflowed;
    s.Set(0, 0, j, std::copysign(1000.0f, s.Get(0, 0, j)));
    EXPECT_EQ(CheckBound(s.host.expected(), s.view).wrong, 1);
  }
  EXPECT_EQ(overflowed, 1);
}

TEST(Compare, AWriteIntoThePaddingIsFound) {
  for (const char* line : {kBoundLine, kExactLine, "50 40 30 in=fp16 d=c ldd=+1", "5 6 7 batch=3 sd=+1"}) {
    Spoilable s(line);
    ASSERT_EQ(s.host.PaddingComplaint(s.d), "");
    // Every byte that is no element's.
    std::vector<bool> element(s.d.size());
    const std::int64_t bytes = s.view.type == DataType::kFP32 ? 4 : 2;
    for (std::int64_t b = 0; b < s.view.batch; ++b) {
      for (std::int64_t i = 0; i < s.view.rows; ++i) {
        for (std::int64_t j = 0; j < s.view.cols; ++j) {
          for (std::int64_t k = 0; k < bytes; ++k)
            element[static_cast<std::size_t>(s.view.Index(b, i, j) * bytes + k)] = true;
        }
      }
    }
    int padding = 0;
    for (std::size_t at = 0; at < s.d.size(); ++at) {
      if (element[at]) continue;
      ++padding;
      if (padding % 37 != 1) continue;
      s.d[at] ^= 0x10;
      ASSERT_NE(s.host.Complaint(s.d), "") << line << " byte " << at;
      s.d[at] ^= 0x10;
    }
    EXPECT_GT(padding, 0) << line;
  }
}

// 3e38 times a sum of 300 products passes FP32's range: nothing is promised but that D is written.
TEST(Compare, NothingJudgedIsNotRight) {
  Spoilable s(kBoundLine);
  Expected expected = s.host.expected();
  for (double& magnitude : expected.magnitude) magnitude = 1e39;
  CheckReport report = CheckBound(expected, s.view);
  EXPECT_EQ(report.checked, 2 * 50 * 40);
  EXPECT_EQ(report.not_judged(), report.checked);
  EXPECT_EQ(report.wrong, 0);
  EXPECT_FALSE(report.ok());
  EXPECT_NE(report.ToString().find("no element was judged"), std::string::npos);
  expected.magnitude[0] = s.host.expected().magnitude[0];
  report = CheckBound(expected, s.view);
  EXPECT_EQ(report.judged, 1);
  EXPECT_TRUE(report.ok()) << report.ToString();
  EXPECT_EQ(CheckBound(s.host.expected(), s.view).not_judged(), 0);
}

TEST(Compare, NothingCheckedIsNotRight) {
  EXPECT_FALSE(CheckReport().ok());
  EXPECT_EQ(CheckReport().ToString(), "no element was checked");
}

TEST(HostCase, PaddingIsPoisonedInEveryOperand) {
  HostCase host(ParseOne("20 30 40 in=bf16 lda=+3 ldb=+5 ldc=+7 ldd=+9 beta=1 batch=2"));
  const Problem& p = host.description().problem;
  EXPECT_EQ(LoadBits(DataType::kBF16, host.a().data(), 40), PoisonBits(DataType::kBF16));
  EXPECT_EQ(LoadBits(DataType::kBF16, host.b().data(), 40), PoisonBits(DataType::kBF16));
  EXPECT_EQ(LoadBits(DataType::kBF16, host.c().data(), 30), PoisonBits(DataType::kBF16));
  EXPECT_EQ(LoadBits(DataType::kBF16, host.d().data(), 0), PoisonBits(DataType::kBF16));
  // The last row ends the memory: what a kernel reads beyond it is another's.
  EXPECT_EQ(host.a().size(), static_cast<std::size_t>(2 * (2 * 20 * p.a.ld - 3)));
  EXPECT_EQ(host.d().size(), static_cast<std::size_t>(2 * (2 * 20 * p.d.ld - 9)));
}

}  // namespace
}  // namespace gemm::tests
