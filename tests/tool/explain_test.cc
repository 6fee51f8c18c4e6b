// gemm explain from outside: that it says what a plan would, and how it fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gemm/gemm.h"
#include "tests/fake_driver/fake_driver.h"
#include "tests/tool/expect.h"

namespace gemm::tool {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

using Words = std::vector<std::string>;

Outcome Explain(Words options) {
  options.insert(options.begin(), {"explain", "--device", "h200"});
  return RunGemm(options);
}

std::string Text(const Words& options) { return ExpectSuccess(Explain(options)).out; }

// The row with the star: its name, what it is predicted to take, its workspace.
std::string Chosen(const Words& options) {
  const std::string out = Text(options);
  const std::size_t star = out.find("\n* ");
  return star == std::string::npos ? out : out.substr(star + 3, out.find('\n', star + 1) - star - 3);
}

TEST(Explain, KnowsDevicesThatAreNotHere) {
  EXPECT_THAT(Chosen({"--m", "4096"}), StartsWith("hopper_bf16"));
  EXPECT_THAT(ExpectSuccess(RunGemm({"explain", "--device", "a100"})).out, HasSubstr("\n* ampere_bf16"));
  ExpectFailure(RunGemm({"explain", "--device", "tpu"}), 2, "--device is 'tpu'");
  ExpectFailure(RunGemm({"explain"}), 3, "name a profile with --device");
}

TEST(Explain, ListsWhatCannotRunOnlyWhenAsked) {
  const std::string all = Text({"--all"});
  const std::string some = Text({});
  const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
  EXPECT_THAT(all, HasSubstr("rejected: it multiplies fp16, and the problem has bf16\n"));
  EXPECT_THAT(some, Not(HasSubstr("rejected")));
  const std::string hidden = std::to_string(lines(all) - lines(some) + 1);
  EXPECT_THAT(some, HasSubstr("\n" + hidden + " kernels cannot run it; --all lists them with the reasons\n"));
  EXPECT_THAT(all, StartsWith(some.substr(0, some.rfind('\n', some.size() - 2) + 1)));
}

TEST(Explain, WhatAPlansOptionsChange) {
  const auto chosen = [](Words options) {
    options.insert(options.end(), {"--m", "32", "--n", "8192", "--k", "1024"});
    return Chosen(options);
  };
  const std::string plain = chosen({});
  // Weights before the predecessor's end need both: that they may be read, and a kernel that has started.
  EXPECT_NE(chosen({"--programmatic", "--constant-b"}), plain);
  EXPECT_EQ(chosen({"--programmatic"}), plain);
  EXPECT_EQ(chosen({"--constant-b"}), plain);
  EXPECT_THAT(Text({"--batch-invariant"}), HasSubstr("batch-invariant"));
}

TEST(Explain, LeadingDimensionsAndAlignments) {
  EXPECT_THAT(Text({"--layout", "km-nk", "--lda", "4112", "--ldb", "4128", "--ldd", "4144"}),
              HasSubstr(" A=MN/ld4112/align16 B=K/ld4128/align16 D=ld4144/align16\n"));
  EXPECT_THAT(Text({"--align-a", "2", "--align-b", "4", "--align-d", "8"}),
              HasSubstr(" A=K/ld4096/align2 B=K/ld4096/align4 D=ld4096/align8\n"));
  // TMA addresses neither of these.
  EXPECT_THAT(Chosen({}), Not(HasSubstr("_packed")));
  EXPECT_THAT(Chosen({"--lda", "4100"}), HasSubstr("_packed"));
  EXPECT_THAT(Chosen({"--align-b", "8"}), HasSubstr("_packed"));
}

TEST(Explain, LimitsOfWorkspaceAndMultiprocessors) {
  const Words unaligned = {"--m", "300", "--n", "301", "--k", "1001", "--all", "--max-workspace"};
  const auto with = [&](const char* bytes) {
    Words words = unaligned;
    words.push_back(bytes);
    return Text(words);
  };
  EXPECT_THAT(with("1230848"), HasSubstr("* hopper_bf16_kk_128x64x64_s8_c1x1_packed"));
  EXPECT_THAT(with("1230847"), HasSubstr("it needs 1230848 bytes of workspace; 1230847 are allowed"));
  EXPECT_THAT(with("0"), HasSubstr("* hopper_bf16_kk_64x128x64_s4_anywhere"));

  EXPECT_THAT(Text({"--max-sms", "66"}), HasSubstr(" MiB L2, limited to 66 multiprocessors\n"));
  EXPECT_EQ(Text({"--max-sms", "132"}), Text({}));
  EXPECT_THAT(Chosen({"--m", "1"}), StartsWith("ampere_bf16_kk_gemv_"));
  EXPECT_THAT(Chosen({"--m", "1", "--max-sms", "131"}), StartsWith("hopper_"));
}

TEST(Explain, COnlyWhereBetaIsNotZero) {
  const Words other = {"--c-layout", "nm", "--ldc", "4112", "--align-c", "4", "--beta"};
  const auto with = [&](const char* beta) {
    Words words = other;
    words.push_back(beta);
    return words;
  };
  EXPECT_THAT(Text(with("-1")),
              StartsWith("with beta != 0, which reads C=ld4112/align4, in another layout than D:\n"));
  EXPECT_THAT(Text({"--beta", "1"}), StartsWith("with beta != 0, which reads C=ld4096/align16:\n"));
  // Most kernels of Hopper cannot read such a C.
  EXPECT_NE(Chosen(with("1")), Chosen({"--beta", "1"}));
  EXPECT_EQ(Text({"--beta", "0"}), Text({}));
  ExpectFailure(Explain(with("0")), 2, "--beta is 0: C would not be read");
  ExpectFailure(Explain({"--ldc", "4096"}), 2, "--beta is 0: C would not be read");
}

TEST(Explain, RefusesBadValues) {
  ExpectFailure(Explain({"--m", "-1"}), 2, "problem.m is -1");
  ExpectFailure(Explain({"--lda", "4095"}), 2,
                "problem.a.ld is 4095; a row-major 4096 x 4096 matrix needs 4096");
  ExpectFailure(Explain({"--ldb", "-1"}), 2, "problem.b.ld is -1");
  ExpectFailure(Explain({"--ldd", "1"}), 2, "problem.d.ld is 1");
  ExpectFailure(Explain({"--beta", "1", "--ldc", "1"}), 2, "problem.c.ld is 1");
  ExpectFailure(Explain({"--ldd", "9223372036854775807"}), 2, "2^63");
  ExpectFailure(Explain({"--lda", "x"}), 2, "--lda: x is no integer");
  ExpectFailure(Explain({"--align-a", "3"}), 2, "problem.a.alignment is 3");
  ExpectFailure(Explain({"--align-b", "1"}), 2, "problem.b.alignment is 1");
  ExpectFailure(Explain({"--align-d", "0"}), 2, "--align-d is 0");
  ExpectFailure(Explain({"--align-d", "4294967312"}), 2, "--align-d is 4294967312");
  ExpectFailure(Explain({"--beta", "1", "--c-layout", "mk"}), 2, "--c-layout is 'mk'");
  ExpectFailure(Explain({"--beta", "much"}), 2, "--beta");
  ExpectFailure(Explain({"--max-workspace", "-1"}), 2, "--max-workspace is -1");
  ExpectFailure(Explain({"--max-workspace", "1GB"}), 2, "--max-workspace: 1GB is no integer");
  ExpectFailure(Explain({"--max-sms", "-1"}), 2, "--max-sms is -1");
  ExpectFailure(Explain({"--max-sms", "99999999999"}), 2, "--max-sms");
  ExpectFailure(Explain({"--kernel", "hopper_fp16_kk_128x256x64_s4_c2x1"}), 2, "which cannot run this problem");
}

// The library's own words on the fake driver, which plays an H200.
TEST(Explain, SaysWhatAPlanSays) {
  const Words sizes = {"--all", "--m", "64", "--n", "1000", "--k", "1000"};
  const auto with = [&](Words words) {
    words.insert(words.begin(), sizes.begin(), sizes.end());
    return words;
  };
  const std::string plain = Text(with({}));
  const std::string limited = Text(with({"--max-workspace", "4096", "--max-sms", "100"}));
  const std::string unaligned = Text(with({"--lda", "1001", "--align-b", "4", "--ldd", "1004"}));
  const std::string reads_c = Chosen(with({"--beta", "1", "--c-layout", "nm", "--ldc", "72"}));
  EXPECT_TRUE(fake::InChild([&](fake::FakeDriver&) {
    Problem problem;
    problem.m = 64;
    problem.n = problem.k = 1000;
    problem.b.layout = problem.c.layout = Layout::kColumnMajor;
    problem.c.ld = 72;
    Plan plan;
    PlanOptions options;
    ASSERT_TRUE(Plan::Create(problem, options, &plan).ok());
    EXPECT_THAT(plan.Explain(), StartsWith(plain));
    EXPECT_THAT(reads_c, StartsWith(std::string(plan.kernel_name_with_c()) + " "));
    options.max_workspace = 4096;
    options.max_sms = 100;
    ASSERT_TRUE(Plan::Create(problem, options, &plan).ok());
    EXPECT_THAT(plan.Explain(), StartsWith(limited));
    problem.a.ld = 1001;
    problem.b.alignment = 4;
    problem.d.ld = 1004;
    ASSERT_TRUE(Plan::Create(problem, {}, &plan).ok());
    EXPECT_THAT(plan.Explain(), StartsWith(unaligned));
  }));
}

// A kernel that can read C, but an element at a time, does not run where C is read, also where it chooses for beta = 0.
TEST(Explain, WithCNamesTheKernelThatAPlanRuns) {
  struct Asked {
    std::int64_t m, n, k;
    DataType out;
    std::string with_c;
  };
  std::vector<Asked> products;
  for (const DataType out : {DataType::kBF16, DataType::kFP32}) {
    for (const std::int64_t m : {8, 16, 32, 64, 160}) {
      for (const auto& [n, k] :
           {std::pair<std::int64_t, std::int64_t>(512, 2048), {4096, 4096}, {8192, 1024}}) {
        const std::string chosen =
            Chosen({"--m", std::to_string(m), "--n", std::to_string(n), "--k", std::to_string(k), "--out-type",
                    out == DataType::kFP32 ? "fp32" : "bf16", "--beta", "1"});
        products.push_back({m, n, k, out, chosen.substr(0, chosen.find(' '))});
      }
    }
  }
  EXPECT_TRUE(fake::InChild([&](fake::FakeDriver&) {
    int different = 0;
    for (const Asked& asked : products) {
      Problem problem;
      problem.m = asked.m;
      problem.n = asked.n;
      problem.k = asked.k;
      problem.b.layout = Layout::kColumnMajor;
      problem.c.type = problem.d.type = asked.out;
      Plan plan;
      ASSERT_TRUE(Plan::Create(problem, {}, &plan).ok());
      EXPECT_EQ(asked.with_c, plan.kernel_name_with_c()) << asked.m << " x " << asked.n << " x " << asked.k;
      different += asked.with_c != plan.kernel_name();
    }
    EXPECT_GT(different, 0) << "no product here asks for another kernel where C is read";
  }));
}

}  // namespace
}  // namespace gemm::tool
