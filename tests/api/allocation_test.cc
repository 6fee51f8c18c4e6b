// Run and a remembered Gemm() allocate nothing, and a failed allocation at plan time is a status.
#include <cstdlib>
#include <string>

#include "tests/api/common.h"
#include "tests/fake_driver/allocations.h"

namespace gemm::fake {
namespace {

TEST(Allocation, IsCounted) {
  EXPECT_TRUE(InChild([](FakeDriver&) {
    const Watch watch;
    MakePlan(MakeProblem(64, 64, 64));
    EXPECT_GT(Allocations(), 0u);
  }));
}

TEST(Allocation, NoneInRun) {
  EXPECT_TRUE(InChild([](FakeDriver&) {
    const Plan plan = MakePlan(MakeProblem(4096, 4096, 4096));
    Arguments args = MakeArguments();
    args.beta = 1;
    args.c = args.d;
    EXPECT_TRUE(IsOk(plan.Run(args)));
    bool all_ok = true;
    {
      const Watch watch;
      for (int i = 0; i < 1000; ++i) all_ok = plan.Run(args).ok() && all_ok;
    }
    EXPECT_EQ(Allocations(), 0u);
    EXPECT_TRUE(all_ok);
  }));
}

TEST(Allocation, NoneInARememberedGemm) {
  EXPECT_TRUE(InChild([](FakeDriver&) {
    const Problem problem = MakeProblem(4096, 4096, 4096);
    const Arguments args = MakeArguments();
    EXPECT_TRUE(IsOk(Gemm(problem, args)));
    bool all_ok = true;
    {
      const Watch watch;
      for (int i = 0; i < 1000; ++i) all_ok = Gemm(problem, args).ok() && all_ok;
    }
    EXPECT_EQ(Allocations(), 0u);
    EXPECT_TRUE(all_ok);
  }));
}

TEST(Allocation, AnyThatFailsAtPlanTimeIsAStatus) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    Problem problem = MakeProblem(4096, 4096, 4096);
    problem.c.layout = Layout::kColumnMajor;
    setenv("LIBGEMM_LOG", "1", 1);
    testing::internal::CaptureStderr();
    Plan plan = MakePlan(MakeProblem(64, 64, 64));
    std::size_t failures = 0;
    for (std::size_t number = 1;; ++number) {
      ASSERT_LT(number, 10000u);
      Status status;
      {
        const Watch watch(number);
        status = Plan::Create(problem, {}, &plan);
      }
      if (status.ok()) break;
      ++failures;
      ASSERT_EQ(status.code(), StatusCode::kOutOfMemory) << "allocation " << number << ": " << status.message();
      ASSERT_STREQ(plan.kernel_name(), "hopper_fake_64x64") << "the plan was changed";
    }
    (void)testing::internal::GetCapturedStderr();
    EXPECT_GT(failures, 5u);
    EXPECT_STREQ(plan.kernel_name(), "hopper_fake_128x256");
    EXPECT_EQ(driver.launch_count(), 0u);
    EXPECT_EQ(driver.context_depth(), 0u);
  }));
}

TEST(Allocation, AnyThatFailsInExplainOrARefusalIsHarmless) {
  EXPECT_TRUE(InChild([](FakeDriver&) {
    const Plan plan = MakePlan(MakeProblem(4096, 4096, 4096));
    Arguments args = MakeArguments();
    args.a = Address(0x10001);
    for (std::size_t number = 1; number < 50; ++number) {
      std::string text;
      {
        const Watch watch(number);
        text = plan.Explain();
      }
      EXPECT_TRUE(text.empty() || text.find("hopper_fake_128x256") != std::string::npos);
    }
    Status status;
    {
      const Watch watch(1);
      status = plan.Run(args);
    }
    EXPECT_EQ(status.code(), StatusCode::kOutOfMemory);
  }));
}

}  // namespace
}  // namespace gemm::fake
