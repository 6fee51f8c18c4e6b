// Which kernel runs, and that the result is right whichever it is.
#include <ostream>

#include "tests/gpu_api/product.h"

namespace gemm::tests {
namespace {

struct Expectation {
  const char* line;
  const char* on_hopper;  // the backend on compute capability 9.0
  const char* elsewhere;  // on the others from 8.0
};

std::ostream& operator<<(std::ostream& out, const Expectation& expectation) { return out << expectation.line; }

const Expectation kExpectations[] = {
    {"1024 1024 512 in=bf16", "hopper", "ampere"},
    {"1024 1024 512 in=fp16", "hopper", "ampere"},
    {"1024 1024 512 in=bf16 b=r", "hopper", "ampere"},
    {"1024 1024 512 in=bf16 a=c b=r", "hopper", "ampere"},
    {"1024 1024 512 in=bf16 out=fp32 beta=1", "hopper", "ampere"},
    {"1024 1024 512 in=bf16 d=c", "hopper", "ampere"},
    {"1000 1000 520 in=bf16 batch=3", "hopper", "ampere"},
    {"1024 1024 511 in=bf16", "hopper", "ampere"},
    {"1024 1024 512 in=fp16 lda=+1", "hopper", "ampere"},
    {"1024 1024 512 in=bf16 offb=2", "hopper", "ampere"},
    {"1024 1023 512 in=bf16 offd=2", "hopper", "ampere"},
    {"1024 1024 512 in=fp32", "simt", "simt"},
    {"1024 1024 512 in=fp32 out=bf16", "simt", "simt"},
    {"1024 1024 512 in=fp32 compute=tf32", "ampere", "ampere"},
    {"1024 1024 512 in=fp32 compute=tf32 lda=+1", "simt", "simt"},
    {"512 512 256 in=bf16 compute=fp32", "simt", "simt"},
    {"512 512 256 in=fp16 compute=fp32", "simt", "simt"},
};

class Choice : public ::testing::TestWithParam<Expectation> {};

TEST_P(Choice, IsTheBackendForTheProblemAndIsRight) {
  Product product(GetParam().line);
  ASSERT_TRUE(product.good());
  const char* backend = TheDevice().compute_capability() == 90 ? GetParam().on_hopper : GetParam().elsewhere;
  EXPECT_EQ(BackendOf(product.plan().kernel_name()), backend) << product.plan().Explain();
  EXPECT_EQ(product.device().RunTwiceAndCheck(product.plan()), "") << GetParam().line;
}

INSTANTIATE_TEST_SUITE_P(Lines, Choice, ::testing::ValuesIn(kExpectations));

TEST(Choices, LargeProductsTakeTheTensorCores) {
  for (const char* line : {"4096 4096 4096", "8192 8192 8192 b=r", "128 28672 4096", "16 4096 14336"}) {
    Case large = ParseOne(line);
    Plan plan;
    ASSERT_OK(Plan::Create(large.problem, {}, &plan));
    EXPECT_EQ(BackendOf(plan.kernel_name()), TheDevice().compute_capability() == 90 ? "hopper" : "ampere")
        << line;
  }
}

TEST(Choices, KOfZeroRunsWhereHopperHasNothingToLoad) {
  Product product("264 520 0 in=bf16 beta=-1.5");
  ASSERT_TRUE(product.good());
  EXPECT_EQ(product.device().RunTwiceAndCheck(product.plan()), "");
}

TEST(Choices, ExplainNamesTheChosenKernel) {
  Product product("264 520 328");
  ASSERT_TRUE(product.good());
  EXPECT_NE(product.plan().Explain().find(product.plan().kernel_name()), std::string::npos);
}

TEST(Choices, AForcedKernelRunsAndAWrongNameIsRefused) {
  for (const dispatch::KernelRow* row : dispatch::Registry()) {
    Case test_case = ParseOne("264 520 328");
    problem::Normalized normalized;
    ASSERT_OK(problem::Normalize(test_case.problem, &normalized));
    if (row->family->reject(*row, normalized, TheDevice())) continue;
    PlanOptions options;
    options.kernel = row->name;
    Plan plan;
    ASSERT_OK(Plan::Create(test_case.problem, options, &plan));
    EXPECT_STREQ(plan.kernel_name(), row->name);
  }
  PlanOptions options;
  options.kernel = "hopper_of_another_planet";
  Plan plan;
  EXPECT_EQ(Plan::Create(ParseOne("8 8 8").problem, options, &plan).code(), StatusCode::kInvalidArgument);
  EXPECT_STREQ(plan.kernel_name(), "");
}

// A C that the fast kernel cannot read must cost only the runs that read it, and they must be right.
TEST(Choices, ACOfAnotherLayoutIsRead) {
  for (const char* line :
       {"264 520 328 beta=1 c=c", "264 520 328 beta=2 d=c c=r in=fp16", "264 520 328 beta=1 offc=2",
        "264 520 328 beta=1 ldc=+1 scalars=device", "264 520 328 c=c cmode=poisoned"}) {
    Product product(line);
    ASSERT_TRUE(product.good()) << line;
    EXPECT_EQ(product.device().RunTwiceAndCheck(product.plan()), "")
        << line << " on " << product.plan().kernel_name() << ", " << product.plan().kernel_name_with_c();
  }
}

TEST(Choices, TheOneCallGemmGivesTheBitsOfAPlan) {
  for (const std::string& line : LinesOfAllBackends()) {
    Product product(line);
    ASSERT_TRUE(product.good()) << line;
    ASSERT_EQ(product.device().ResetD(), "");
    ASSERT_OK(product.plan().Run(product.arguments()));
    ASSERT_OK(gpu::Synchronize());
    ASSERT_EQ(product.device().CheckResult(), "") << line;
    std::vector<unsigned char> by_plan, by_call;
    ASSERT_EQ(product.device().DownloadD(&by_plan), "");
    for (int call = 0; call < 3; ++call) {
      ASSERT_EQ(product.device().ResetD(), "");
      ASSERT_OK(Gemm(product.problem(), product.arguments()));
      ASSERT_OK(gpu::Synchronize());
      ASSERT_EQ(product.device().DownloadD(&by_call), "");
      EXPECT_EQ(by_call, by_plan) << line << " call " << call;
    }
  }
}

// Gemm() looks at the addresses, whatever the problem promises of them.
TEST(Choices, TheOneCallGemmTakesUnalignedAddresses) {
  Product product("264 520 328 offa=2 offb=4 offd=6");
  ASSERT_TRUE(product.good());
  Problem promising = product.problem();
  promising.a.alignment = promising.b.alignment = promising.d.alignment = 16;
  ASSERT_EQ(product.device().ResetD(), "");
  ASSERT_OK(Gemm(promising, product.arguments()));
  ASSERT_OK(gpu::Synchronize());
  EXPECT_EQ(product.device().CheckResult(), "");
}

}  // namespace
}  // namespace gemm::tests
