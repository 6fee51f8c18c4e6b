#include "tests/support/case.h"

#include <gtest/gtest.h>

#include <set>

#include "common/problem/problem.h"

namespace gemm::tests {
namespace {

std::vector<Case> Parse(const std::string& line) {
  std::vector<Case> cases;
  std::string error;
  EXPECT_TRUE(ParseCaseLine(line, "here", &cases, &error)) << line << ": " << error;
  return cases;
}

std::string ErrorOf(const std::string& line) {
  std::vector<Case> cases;
  std::string error;
  EXPECT_FALSE(ParseCaseLine(line, "here", &cases, &error)) << line;
  return error;
}

TEST(CaseLine, DefaultsAreWeightsInBf16) {
  const Case c = Parse("3 5 7").at(0);
  EXPECT_EQ(c.problem.m, 3);
  EXPECT_EQ(c.problem.n, 5);
  EXPECT_EQ(c.problem.k, 7);
  EXPECT_EQ(c.problem.a.type, DataType::kBF16);
  EXPECT_EQ(c.problem.a.layout, Layout::kRowMajor);
  EXPECT_EQ(c.problem.a.ld, 7);
  EXPECT_EQ(c.problem.b.layout, Layout::kColumnMajor);
  EXPECT_EQ(c.problem.b.ld, 7);
  EXPECT_EQ(c.problem.d.ld, 5);
  EXPECT_EQ(c.c_mode, CMode::kNone);
  EXPECT_EQ(c.line, "3 5 7");
  EXPECT_EQ(c.origin, "here");
}

TEST(CaseLine, EveryKeyIsRead) {
  const Case c =
      Parse(
          "4 6 8 in=fp16 out=fp32 a=c b=r d=c c=r lda=+1 ldb=+2 ldc=+3 ldd=+4 offa=2 offb=8 offc=4 offd=12 "
          "batch=9 sa=0 sb=+16 sc=packed sd=+2 alpha=-0.25 beta=3 cmode=distinct scalars=device compute=fp32 "
          "fill=zeros seed=77")
          .at(0);
  const Problem& p = c.problem;
  EXPECT_EQ(p.a.type, DataType::kFP16);
  EXPECT_EQ(p.d.type, DataType::kFP32);
  EXPECT_EQ(p.a.ld, 4 + 1);
  EXPECT_EQ(p.b.ld, 6 + 2);
  EXPECT_EQ(p.c.ld, 6 + 3);
  EXPECT_EQ(p.d.ld, 4 + 4);
  EXPECT_EQ(p.a.alignment, 2);
  EXPECT_EQ(p.b.alignment, 8);
  EXPECT_EQ(p.c.alignment, 4);
  EXPECT_EQ(p.d.alignment, 4);
  EXPECT_EQ(p.batch, 9);
  EXPECT_EQ(p.a.batch_stride, 0);
  EXPECT_EQ(p.b.batch_stride, 8 * (6 + 2) + 16);
  EXPECT_EQ(p.c.batch_stride, kPacked);
  EXPECT_EQ(p.d.batch_stride, 6 * (4 + 4) + 2);
  EXPECT_EQ(c.alpha, -0.25f);
  EXPECT_EQ(c.beta, 3.0f);
  EXPECT_EQ(p.scalars, ScalarMode::kDevice);
  EXPECT_EQ(p.compute, ComputeType::kFP32);
  EXPECT_EQ(c.fill, Fill::kZeros);
  EXPECT_EQ(c.seed, 77u);
}

TEST(CaseLine, ListsMultiplyAndEachCaseNamesItself) {
  const std::vector<Case> cases = Parse("1,2 3 4,5 in=bf16,fp16 b=r,c  # a comment");
  EXPECT_EQ(cases.size(), 16u);
  std::set<std::string> lines;
  for (const Case& one : cases) {
    EXPECT_TRUE(lines.insert(one.line).second) << one.line;
    const std::vector<Case> again = Parse(one.line);
    ASSERT_EQ(again.size(), 1u);
    EXPECT_EQ(again[0].line, one.line);
    EXPECT_EQ(again[0].problem.b.layout, one.problem.b.layout);
    EXPECT_EQ(again[0].problem.k, one.problem.k);
  }
  EXPECT_TRUE(Parse("").empty());
  EXPECT_TRUE(Parse("   # only a comment").empty());
}

TEST(CaseLine, BadLinesSayWhy) {
  EXPECT_EQ(ErrorOf("1 2"), "a case starts with three sizes: m n k");
  EXPECT_EQ(ErrorOf("1 2 3 4"), "'4' is no key=value");
  EXPECT_EQ(ErrorOf("1 2 x"), "'x' is no value of 'k'");
  EXPECT_EQ(ErrorOf("1 -2 3"), "'-2' is no value of 'n'");
  EXPECT_EQ(ErrorOf("1 2 3 in=fp64"), "'fp64' is no value of 'in'");
  EXPECT_EQ(ErrorOf("1 2 3 in=bf16 in=fp16"), "'in' is given twice");
  EXPECT_NE(ErrorOf("1 2 3 tpye=bf16").find("'tpye' is no key; there are in out"), std::string::npos);
  EXPECT_EQ(ErrorOf("1 2 3 alpha="), "'' is no value of 'alpha'");
  EXPECT_EQ(ErrorOf("1 2 3 alpha=1e"), "'1e' is no value of 'alpha'");
  EXPECT_EQ(ErrorOf("1 2 3 sa=7"), "'7' is no value of 'sa': packed, 0 or +elements");
  EXPECT_EQ(ErrorOf("1 2 3 offa=3"), "'offa' is 3; it must be a multiple of the element's 2 bytes below 16");
  EXPECT_EQ(ErrorOf("1 2 3 beta=1 cmode=none"), "beta is not 0, so cmode must be distinct or inplace");
  EXPECT_EQ(ErrorOf("1 2 3 scalars=device cmode=none"), "scalars=device needs a C, so cmode must not be none");
  EXPECT_EQ(ErrorOf("1 2 3 batch=2 sd=0"), "'sd' must not be 0: the matrices of D would overlap");
  EXPECT_EQ(ErrorOf("1 2 3 beta=1 cmode=inplace ldc=+1"),
            "'ldc' has no meaning with cmode=inplace, where C is D");
  EXPECT_NE(ErrorOf("1 2 3 alpha=0.1 fill=integers").find("fill=integers is not exact"), std::string::npos);
  EXPECT_NE(ErrorOf("1,2,3,4,5,6,7,8,9 1,2,3,4,5,6,7,8,9 1,2,3,4,5,6,7,8,9 seed=1,2,3,4,5,6,7,8")
                .find("more than 4096"),
            std::string::npos);
}

TEST(CaseTable, ABadLineIsNamedWithFileAndNumber) {
  std::vector<Case> cases;
  std::string error;
  EXPECT_FALSE(ParseCaseTable("1 2 3\n# fine\n\n4 5 six\n7 8 9\n", "some/table.txt", &cases, &error));
  EXPECT_EQ(error, "some/table.txt:4: 'six' is no value of 'k'");
  cases.clear();
  EXPECT_TRUE(ParseCaseTable("1 2 3\r\n4 5 6", "t", &cases, &error));
  ASSERT_EQ(cases.size(), 2u);
  EXPECT_EQ(cases[1].origin, "t:2");
}

// The tables themselves, which otherwise only a GPU machine would read.
TEST(CaseTable, EveryEmbeddedCaseIsAValidProblem) {
  ASSERT_GE(EmbeddedCaseFiles().size(), 4u);
  std::size_t total = 0;
  for (const CaseFile& file : EmbeddedCaseFiles()) {
    std::vector<Case> cases;
    std::string error;
    ASSERT_TRUE(ParseCaseTable(file.text, file.name, &cases, &error)) << error;
    for (const Case& one : cases) {
      problem::Normalized normalized;
      const Status status = problem::Normalize(one.problem, &normalized);
      EXPECT_TRUE(status.ok()) << one.origin << ": " << one.line << ": " << status.message();
      EXPECT_TRUE(normalized.c_status.ok()) << one.line;
    }
    total += cases.size();
  }
  EXPECT_GT(total, 500u);
}

TEST(RandomCases, AreValidVariedAndRepeatable) {
  std::set<std::string> lines;
  int aligned = 0, batched = 0, in_place = 0;
  for (std::uint64_t index = 0; index < 1000; ++index) {
    const Case one = RandomCase(42, index);
    EXPECT_EQ(RandomCase(42, index).line, one.line);
    lines.insert(one.line);
    problem::Normalized normalized;
    const Status status = problem::Normalize(one.problem, &normalized);
    ASSERT_TRUE(status.ok()) << one.line << ": " << status.message();
    aligned +=
        normalized.a.alignment == 16 && normalized.b.alignment == 16 && normalized.d.alignment == 16 ? 1 : 0;
    batched += one.problem.batch > 1 ? 1 : 0;
    in_place += one.c_mode == CMode::kInPlace ? 1 : 0;
    EXPECT_EQ(Parse(one.line).at(0).line, one.line);
  }
  EXPECT_GT(lines.size(), 990u);
  EXPECT_GT(aligned, 100) << "the fast paths get too few cases";
  EXPECT_GT(batched, 100);
  EXPECT_GT(in_place, 30);
  EXPECT_NE(RandomCase(43, 0).line, RandomCase(42, 0).line);
}

}  // namespace
}  // namespace gemm::tests
