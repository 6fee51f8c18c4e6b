// Plans that are good: what is chosen, what is launched, what is told.
#include <cstdlib>
#include <string>
#include <utility>

#include "common/dispatch/tuning.h"
#include "common/driver/api.h"
#include "common/driver/driver.h"
#include "tests/api/common.h"

namespace gemm::fake {
namespace {

TEST(Plan, RunsTheKernelItNames) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    const Plan plan = MakePlan(MakeProblem(4096, 4096, 4096));
    EXPECT_STREQ(plan.kernel_name(), "hopper_fake_128x256");
    EXPECT_STREQ(plan.kernel_name_with_c(), "hopper_fake_128x256");
    EXPECT_EQ(plan.workspace_size(), 0u);
    EXPECT_EQ(driver.launch_count(), 0u);
    Arguments args = MakeArguments();
    args.alpha = 2.5f;
    args.stream = reinterpret_cast<Stream>(0);
    EXPECT_TRUE(IsOk(plan.Run(args)));
    ASSERT_EQ(driver.launch_count(), 1u);
    EXPECT_STREQ(driver.launch(0).kernel, "FakeKernel");
    EXPECT_STREQ(LastLaunch().kernel, "hopper_fake_128x256");
    EXPECT_EQ(LastLaunch().args.a, args.a);
    EXPECT_EQ(LastLaunch().args.b, args.b);
    EXPECT_EQ(LastLaunch().args.d, args.d);
    EXPECT_EQ(LastLaunch().args.alpha, 2.5f);
    EXPECT_EQ(driver.context_depth(), 0u) << "the thread had no context and is left without one";
  }));
}

TEST(Plan, AForcedKernelIsTheOnlyOneJudged) {
  EXPECT_TRUE(InChild([](FakeDriver&) {
    PlanOptions options;
    options.kernel = "ampere_fake_64x64";
    const Plan plan = MakePlan(MakeProblem(4096, 4096, 4096), options);
    EXPECT_STREQ(plan.kernel_name(), "ampere_fake_64x64");
    EXPECT_EQ(Predictions(), 1u);
    EXPECT_NE(plan.Explain().find("hopper_fake_128x256"), std::string::npos) << plan.Explain();
  }));
}

TEST(Plan, FollowsATuning) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    driver.Set("DEVICES", "h200");
    const Problem problem = MakeProblem(4096, 4096, 4096);
    problem::Normalized normalized;
    ASSERT_TRUE(problem::Normalize(problem, &normalized).ok());
    PlanOptions options;
    const std::string text =
        dispatch::TuningHeader(*dispatch::FindKnownDevice("h200")) +
        dispatch::TuningLine(dispatch::TuningKey(normalized, options), "ampere_fake_64x64", 1);
    ASSERT_TRUE(IsOk(Tuning::Parse(text, &options.tuning)));
    EXPECT_EQ(options.tuning.size(), 1u);
    const Plan plan = MakePlan(problem, options);
    EXPECT_STREQ(plan.kernel_name(), "ampere_fake_64x64") << plan.Explain();
    EXPECT_NE(plan.Explain().find("tuned: ampere_fake_64x64\n"), std::string::npos) << plan.Explain();
    EXPECT_STREQ(MakePlan(MakeProblem(4096, 4096, 4104), options).kernel_name(), "hopper_fake_128x256");
    EXPECT_TRUE(Refuses(Tuning::Parse("nonsense", &options.tuning), StatusCode::kInvalidArgument, "line 1"));
    EXPECT_EQ(options.tuning.size(), 1u) << "unchanged by a refusal";
    EXPECT_TRUE(Refuses(Tuning::Parse(text, nullptr), StatusCode::kInvalidArgument, "tuning is null"));
  }));
}

// Under ScalarMode::kDevice C is always read, so it decides too.
TEST(Plan, FollowsATuningForItsC) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    driver.Set("DEVICES", "h200");
    Problem problem = MakeProblem(4096, 4096, 4096);
    problem.c.ld = 4104;
    problem.scalars = ScalarMode::kDevice;
    problem::Normalized normalized;
    ASSERT_TRUE(problem::Normalize(problem, &normalized).ok());
    PlanOptions options;
    ASSERT_TRUE(IsOk(Tuning::Parse(
        dispatch::TuningHeader(*dispatch::FindKnownDevice("h200")) +
            dispatch::TuningLine(dispatch::TuningKey(normalized, options), "ampere_fake_64x64", 1),
        &options.tuning)));
    EXPECT_STREQ(MakePlan(problem, options).kernel_name(), "ampere_fake_64x64");
    problem.c.ld = 0;
    EXPECT_STREQ(MakePlan(problem, options).kernel_name(), "hopper_fake_128x256");
  }));
}

TEST(Plan, ServesTheDeviceItFinds) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    driver.Set("DEVICES", "rtx4090");
    const Plan plan = MakePlan(MakeProblem(4096, 4096, 4096));
    EXPECT_STREQ(plan.kernel_name(), "ampere_fake_128x128");
    EXPECT_NE(plan.Explain().find("RTX 4090"), std::string::npos) << plan.Explain();
  }));
}

TEST(Plan, AskedForADeviceItUsesThatOne) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    driver.Set("DEVICES", "h200,a100");
    PlanOptions options;
    options.device = 1;
    const Plan plan = MakePlan(MakeProblem(4096, 4096, 4096), options);
    EXPECT_STREQ(plan.kernel_name(), "ampere_fake_128x128");
    EXPECT_TRUE(IsOk(plan.Run(MakeArguments())));
    EXPECT_EQ(driver.launch(0).device, 1);
  }));
}

TEST(Plan, UsesTheDeviceOfTheCurrentContext) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    driver.Set("DEVICES", "h200,a100");
    const driver::Api* api = nullptr;
    ASSERT_TRUE(IsOk(driver::Load(&api)));
    CUcontext context = nullptr;
    ASSERT_EQ(api->DevicePrimaryCtxRetain(&context, 1), CUDA_SUCCESS);
    ASSERT_EQ(api->CtxPushCurrent(context), CUDA_SUCCESS);
    EXPECT_STREQ(MakePlan(MakeProblem(4096, 4096, 4096)).kernel_name(), "ampere_fake_128x128");
    EXPECT_TRUE(IsOk(Gemm(MakeProblem(4096, 4096, 4096), MakeArguments())));
    EXPECT_EQ(driver.launch(0).device, 1);
    EXPECT_EQ(driver.launch(0).context, context);
  }));
}

TEST(Plan, ColumnMajorDExchangesTheAddresses) {
  EXPECT_TRUE(InChild([](FakeDriver&) {
    Problem problem = MakeProblem(64, 128, 256);
    problem.d.layout = Layout::kColumnMajor;
    const Plan plan = MakePlan(problem);
    const Arguments args = MakeArguments();
    EXPECT_TRUE(IsOk(plan.Run(args)));
    EXPECT_EQ(LastLaunch().args.a, args.b);
    EXPECT_EQ(LastLaunch().args.b, args.a);
    EXPECT_EQ(LastLaunch().args.d, args.d);
  }));
}

TEST(Plan, LaunchersSeeOnlyWhatTheyMayRead) {
  EXPECT_TRUE(InChild([](FakeDriver&) {
    Plan plan = MakePlan(MakeProblem(64, 128, 256));
    Arguments args = MakeArguments();
    args.c = Address(0x30001);  // misaligned, but beta is 0
    args.beta = -0.0f;
    args.alpha_device = reinterpret_cast<const float*>(0x50001);
    EXPECT_TRUE(IsOk(plan.Run(args)));
    EXPECT_EQ(LastLaunch().args.c, nullptr);
    EXPECT_EQ(LastLaunch().args.alpha_device, nullptr);
    Problem problem = MakeProblem(64, 128, 256);
    problem.scalars = ScalarMode::kDevice;
    plan = MakePlan(problem);
    args.c = args.d;
    args.alpha = 3;
    args.beta = 3;
    args.alpha_device = reinterpret_cast<const float*>(0x50000);
    args.beta_device = reinterpret_cast<const float*>(0x50004);
    EXPECT_TRUE(IsOk(plan.Run(args)));
    EXPECT_EQ(LastLaunch().args.c, args.d);
    EXPECT_EQ(LastLaunch().args.alpha_device, args.alpha_device);
    EXPECT_EQ(LastLaunch().args.beta_device, args.beta_device);
    EXPECT_EQ(LastLaunch().args.alpha, 1);
    EXPECT_EQ(LastLaunch().args.beta, 0);
  }));
}

TEST(Plan, AKernelThatIsSlowAtCIsChosenForTheRunsWithoutIt) {
  EXPECT_TRUE(InChild([](FakeDriver&) {
    Problem problem = MakeProblem(4096, 4096, 8192);
    const Plan plan = MakePlan(problem);
    EXPECT_STREQ(plan.kernel_name(), "hopper_fake_split");
    EXPECT_STREQ(plan.kernel_name_with_c(), "hopper_fake_128x256");
    EXPECT_NE(plan.Explain().find("with beta != 0"), std::string::npos) << plan.Explain();
    PlanOptions forced;
    forced.kernel = "hopper_fake_split";
    EXPECT_STREQ(MakePlan(problem, forced).kernel_name_with_c(), "hopper_fake_split");
    problem.scalars = ScalarMode::kDevice;  // beta may be anything
    EXPECT_STREQ(MakePlan(problem).kernel_name(), "hopper_fake_128x256");
    EXPECT_STREQ(MakePlan(problem, forced).kernel_name(), "hopper_fake_split");
  }));
}

TEST(Plan, ACThatTheFastKernelCannotReadCostsOnlyTheRunsThatReadIt) {
  EXPECT_TRUE(InChild([](FakeDriver&) {
    Problem problem = MakeProblem(4096, 4096, 4096);
    problem.d.layout = Layout::kColumnMajor;  // and C stays row-major
    const Plan plan = MakePlan(problem);
    EXPECT_STREQ(plan.kernel_name(), "hopper_fake_128x256");
    EXPECT_STREQ(plan.kernel_name_with_c(), "ampere_fake_128x128");
    Arguments args = MakeArguments();
    EXPECT_TRUE(IsOk(plan.Run(args)));
    EXPECT_STREQ(LastLaunch().kernel, "hopper_fake_128x256");
    args.beta = 1;
    args.c = Address(0x30000);
    EXPECT_TRUE(IsOk(plan.Run(args)));
    EXPECT_STREQ(LastLaunch().kernel, "ampere_fake_128x128");
    EXPECT_NE(plan.Explain().find("with beta != 0"), std::string::npos) << plan.Explain();
  }));
}

TEST(Plan, AnEmptyProblemNeedsNeitherDriverNorPointers) {
  EXPECT_TRUE(InChildWithoutDriver([] {
    for (const auto& [m, n, batch] : {std::tuple(0, 8, 1), {8, 0, 1}, {8, 8, 0}}) {
      Problem problem = MakeProblem(m, n, 8);
      problem.batch = batch;
      const Plan plan = MakePlan(problem);
      EXPECT_STREQ(plan.kernel_name(), "none");
      EXPECT_TRUE(IsOk(plan.Run(Arguments())));
      EXPECT_TRUE(IsOk(Gemm(problem, Arguments())));
      EXPECT_NE(plan.Explain().find("nothing to compute"), std::string::npos);
    }
  }));
}

TEST(Plan, WithKOfZeroOnlyDMatters) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    const Plan plan = MakePlan(MakeProblem(64, 128, 0));
    Arguments args;
    args.d = Address(0x40000);
    EXPECT_TRUE(IsOk(plan.Run(args)));
    EXPECT_EQ(driver.launch_count(), 1u);
  }));
}

TEST(Plan, CopiesShareAndMovesLeaveNothing) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    Plan plan = MakePlan(MakeProblem(4096, 4096, 4096));
    Plan copy = plan;
    EXPECT_EQ(copy.kernel_name(), plan.kernel_name());
    const Plan moved = std::move(plan);
    EXPECT_STREQ(moved.kernel_name(), "hopper_fake_128x256");
    EXPECT_TRUE(IsOk(copy.Run(MakeArguments())));
    copy = Plan();
    EXPECT_STREQ(copy.kernel_name(), "");
    EXPECT_TRUE(IsOk(moved.Run(MakeArguments())));
    EXPECT_EQ(driver.launch_count(), 2u);
  }));
}

TEST(Plan, ProgrammaticLaunchReachesTheDriver) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    PlanOptions options;
    EXPECT_TRUE(IsOk(MakePlan(MakeProblem(64, 64, 64), options).Run(MakeArguments())));
    options.programmatic_launch = true;
    EXPECT_TRUE(IsOk(MakePlan(MakeProblem(64, 64, 64), options).Run(MakeArguments())));
    options.max_sms = 8;  // of which the next kernel could take others
    EXPECT_TRUE(IsOk(MakePlan(MakeProblem(64, 64, 64), options).Run(MakeArguments())));
    EXPECT_EQ(driver.launch(0).programmatic, 0);
    EXPECT_EQ(driver.launch(1).programmatic, 1);
    EXPECT_EQ(driver.launch(2).programmatic, 0);
  }));
}

TEST(Plan, TheEnvironmentForcesAKernelWhereTheCallerDoesNot) {
  EXPECT_TRUE(InChild([](FakeDriver&) {
    setenv("LIBGEMM_KERNEL", "ampere_fake_64x64", 1);
    EXPECT_STREQ(MakePlan(MakeProblem(4096, 4096, 4096)).kernel_name(), "ampere_fake_64x64");
    PlanOptions options;
    options.kernel = "simt_fake_any";
    const Plan plan = MakePlan(MakeProblem(4096, 4096, 4096), options);
    EXPECT_STREQ(plan.kernel_name(), "simt_fake_any");
    setenv("LIBGEMM_KERNEL", "nonsense", 1);
    Plan none;
    EXPECT_TRUE(Refuses(Plan::Create(MakeProblem(8, 8, 8), {}, &none), StatusCode::kInvalidArgument,
                        "LIBGEMM_KERNEL is \"nonsense\""));
    EXPECT_TRUE(IsOk(plan.Run(MakeArguments()))) << "read at plan time only";
    setenv("LIBGEMM_KERNEL", "", 1);
    EXPECT_STREQ(MakePlan(MakeProblem(4096, 4096, 4096)).kernel_name(), "hopper_fake_128x256");
  }));
}

TEST(Plan, TheLogTellsEachChoiceOnce) {
  EXPECT_TRUE(InChild([](FakeDriver&) {
    testing::internal::CaptureStderr();
    MakePlan(MakeProblem(64, 64, 64));
    setenv("LIBGEMM_LOG", "0", 1);
    MakePlan(MakeProblem(64, 64, 64));
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    testing::internal::CaptureStderr();
    setenv("LIBGEMM_LOG", "1", 1);
    for (int i = 0; i < 3; ++i) {
      MakePlan(MakeProblem(64, 64, 64));
      MakePlan(MakeProblem(65, 64, 64));
    }
    const std::string text = testing::internal::GetCapturedStderr();
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2) << text;
    EXPECT_EQ(text.rfind("libgemm: m=64 n=64 k=64 batch=1 bf16->bf16 ", 0), 0u) << text;
    EXPECT_NE(text.find(" on NVIDIA H200: hopper_fake_64x64, predicted "), std::string::npos) << text;
  }));
}

TEST(Plan, ExplainsItself) {
  EXPECT_TRUE(InChild([](FakeDriver&) {
    EXPECT_EQ(Plan().Explain(), "");
    const std::string text = MakePlan(MakeProblem(4096, 4096, 4096)).Explain();
    EXPECT_NE(text.find("\n* hopper_fake_128x256 "), std::string::npos) << text;
    EXPECT_NE(text.find("hopper_fake_split    rejected: K is below 8192"), std::string::npos) << text;
  }));
}

TEST(Plan, ExplainsWhetherItKeepsToALimitOfMultiprocessors) {
  const auto explain = [](FakeDriver& driver, const char* device, int max_sms) {
    driver.Set("DEVICES", device);
    Problem problem = MakeProblem(4096, 4096, 4096);
    problem.c.layout = Layout::kColumnMajor;  // which no persistent kernel here reads
    PlanOptions options;
    options.max_sms = max_sms;
    return MakePlan(problem, options).Explain();
  };
  const std::string broken = "max_sms: ampere_fake_128x128 does not keep to it";
  EXPECT_TRUE(InChild([&](FakeDriver& driver) {
    const std::string text = explain(driver, "h200", 66);
    EXPECT_NE(text.find(", 132 SMs at 1980 MHz"), std::string::npos) << text;
    EXPECT_NE(text.find(" MiB L2, limited to 66 multiprocessors\n"), std::string::npos) << text;
    EXPECT_GT(text.find(broken), text.find("with beta != 0")) << text;
    EXPECT_NE(text.find(broken), std::string::npos) << text;
    EXPECT_EQ(explain(driver, "h200", 132).find("limited"), std::string::npos);
  }));
  EXPECT_TRUE(InChild([&](FakeDriver& driver) {
    const std::string text = explain(driver, "a100", 50);
    EXPECT_NE(text.find(", 108 SMs at 1410 MHz"), std::string::npos) << text;
    EXPECT_NE(text.find(" MiB L2, limited to 50 multiprocessors\n" + broken), std::string::npos) << text;
  }));
}

}  // namespace
}  // namespace gemm::fake
