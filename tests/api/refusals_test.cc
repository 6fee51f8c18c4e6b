// Every bad input of the public functions: a code and a sentence, nothing launched, nothing changed. What is
// wrong with a problem alone is tested in tests/problem.
#include <cstdlib>
#include <string>

#include "common/driver/api.h"
#include "common/driver/driver.h"
#include "tests/api/common.h"

namespace gemm::fake {
namespace {

constexpr auto kInvalid = StatusCode::kInvalidArgument;

// A device pointer of the address `value`, for the scalars.
const float* Scalar(std::uintptr_t value) { return reinterpret_cast<const float*>(value); }

// How Create refuses `problem`.
Status CreateStatus(const Problem& problem, const PlanOptions& options = {}) {
  Plan plan;
  const Status status = Plan::Create(problem, options, &plan);
  EXPECT_STREQ(plan.kernel_name(), status.ok() ? plan.kernel_name() : "");
  return status;
}

TEST(CreateRefuses, ABadProblemBeforeItLooksForADriver) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    Problem problem = MakeProblem(64, 64, 64);
    problem.a.ld = 3;
    EXPECT_TRUE(Refuses(CreateStatus(problem), kInvalid, "problem.a.ld is 3"));
    problem = MakeProblem(-1, 64, 64);
    EXPECT_TRUE(Refuses(CreateStatus(problem), kInvalid, "problem.m is -1"));
    problem = MakeProblem(64, 64, 64);
    problem.a.type = problem.b.type = DataType::kFP8E4M3;
    EXPECT_TRUE(Refuses(CreateStatus(problem), StatusCode::kUnsupported, "fp8_e4m3"));
    EXPECT_TRUE(Refuses(Gemm(problem, MakeArguments()), StatusCode::kUnsupported, "fp8_e4m3"));
    EXPECT_EQ(driver.launch_count(), 0u);
  }));
}

TEST(CreateRefuses, ANullPlan) {
  EXPECT_TRUE(InChild([](FakeDriver&) {
    EXPECT_TRUE(Refuses(Plan::Create(MakeProblem(8, 8, 8), {}, nullptr), kInvalid, "plan is null"));
  }));
}

TEST(CreateRefuses, AndLeavesThePlanAsItWas) {
  EXPECT_TRUE(InChild([](FakeDriver&) {
    Plan plan = MakePlan(MakeProblem(4096, 4096, 4096));
    EXPECT_FALSE(Plan::Create(MakeProblem(-1, 1, 1), {}, &plan).ok());
    EXPECT_STREQ(plan.kernel_name(), "hopper_fake_128x256");
    EXPECT_TRUE(IsOk(plan.Run(MakeArguments())));
  }));
}

TEST(CreateRefuses, ADeviceThatIsNotThere) {
  EXPECT_TRUE(InChild([](FakeDriver&) {
    PlanOptions options;
    options.device = 1;
    EXPECT_TRUE(Refuses(CreateStatus(MakeProblem(8, 8, 8), options), StatusCode::kNoDevice,
                        "device 1 was asked for; the driver sees 1 device, number 0"));
    options.device = -2;
    EXPECT_TRUE(Refuses(CreateStatus(MakeProblem(8, 8, 8), options), kInvalid, "options.device is -2"));
    options.device = 0;
    options.max_sms = -1;
    EXPECT_TRUE(Refuses(CreateStatus(MakeProblem(8, 8, 8), options), kInvalid, "options.max_sms is -1"));
  }));
}

TEST(CreateRefuses, ADeviceThatIsTooOld) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    driver.Set("DEVICES", "t4");
    const Status status = CreateStatus(MakeProblem(8, 8, 8));
    EXPECT_TRUE(
        Refuses(status, StatusCode::kArchitectureTooOld, "has compute capability 7.5; libgemm needs 8.0"));
    EXPECT_TRUE(Refuses(Gemm(MakeProblem(8, 8, 8), MakeArguments()), StatusCode::kArchitectureTooOld, "7.5"));
    EXPECT_EQ(driver.launch_count(), 0u);
  }));
}

TEST(CreateRefuses, AMachineWithoutADevice) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    driver.Set("DEVICES", "none");
    EXPECT_TRUE(Refuses(CreateStatus(MakeProblem(8, 8, 8)), StatusCode::kNoDevice, "no device"));
    EXPECT_TRUE(Refuses(Gemm(MakeProblem(8, 8, 8), MakeArguments()), StatusCode::kNoDevice, "no device"));
  }));
}

TEST(CreateRefuses, ADriverThatIsTooOld) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    driver.Set("VERSION", "11080");
    EXPECT_TRUE(Refuses(CreateStatus(MakeProblem(8, 8, 8)), StatusCode::kDriverTooOld, "11.8"));
  }));
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    driver.Set("MISSING", "cuLaunchKernelEx");
    EXPECT_TRUE(Refuses(CreateStatus(MakeProblem(8, 8, 8)), StatusCode::kDriverTooOld, "cuLaunchKernelEx"));
  }));
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    driver.Set("REFUSE", "cubin,ptx");
    EXPECT_TRUE(Refuses(CreateStatus(MakeProblem(8, 8, 8)), StatusCode::kDriverTooOld, "loads no code of"));
  }));
}

TEST(CreateRefuses, ADriverThatFails) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    driver.Set("FAIL", "cuLibraryLoadData:2");
    EXPECT_TRUE(Refuses(CreateStatus(MakeProblem(8, 8, 8)), StatusCode::kOutOfMemory, "cuLibraryLoadData"));
    driver.Set("FAIL", "cuLibraryLoadData:719");
    EXPECT_TRUE(Refuses(CreateStatus(MakeProblem(8, 8, 8)), StatusCode::kDriverError, "cuLibraryLoadData"));
    EXPECT_EQ(driver.context_depth(), 0u);
    driver.Set("FAIL", "");
    EXPECT_TRUE(IsOk(CreateStatus(MakeProblem(8, 8, 8))));
  }));
}

TEST(CreateRefuses, AForcedKernelThatIsNotOrCannot) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    PlanOptions options;
    options.kernel = "hopper_fake_64x46";
    EXPECT_TRUE(
        Refuses(CreateStatus(MakeProblem(8, 8, 8), options), kInvalid, "the nearest are hopper_fake_64x64"));
    EXPECT_TRUE(
        Refuses(CreateStatus(MakeProblem(0, 8, 8), options), kInvalid, "the nearest are hopper_fake_64x64"));
    options.kernel = "hopper_fake_split";
    EXPECT_TRUE(
        Refuses(CreateStatus(MakeProblem(8, 8, 8), options), StatusCode::kUnsupported, "K is below 8192"));
    EXPECT_EQ(driver.launch_count(), 0u);
  }));
}

TEST(CreateRefuses, AnotherDeviceThanTheCurrentContexts) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    driver.Set("DEVICES", "h200,h200");
    const driver::Api* api = nullptr;
    ASSERT_TRUE(IsOk(driver::Load(&api)));
    CUcontext context = nullptr;
    ASSERT_EQ(api->DevicePrimaryCtxRetain(&context, 1), CUDA_SUCCESS);
    ASSERT_EQ(api->CtxPushCurrent(context), CUDA_SUCCESS);
    PlanOptions options;
    options.device = 0;
    EXPECT_TRUE(Refuses(CreateStatus(MakeProblem(8, 8, 8), options), StatusCode::kWrongDevice, "device 1"));
  }));
}

// Runs `spoil`ed arguments, which must be refused without a launch; then the good ones, which must run.
void ExpectRunRefuses(const Problem& problem, const PlanOptions& options, const Arguments& good,
                      const std::function<void(Arguments&)>& spoil, StatusCode code, const char* words) {
  EXPECT_TRUE(InChild([&](FakeDriver& driver) {
    const Plan plan = MakePlan(problem, options);
    Arguments bad = good;
    spoil(bad);
    EXPECT_TRUE(Refuses(plan.Run(bad), code, words));
    EXPECT_EQ(driver.launch_count(), 0u);
    EXPECT_TRUE(IsOk(plan.Run(good)));
    EXPECT_EQ(driver.launch_count(), 1u);
  }));
}

void ExpectRunRefuses(const std::function<void(Arguments&)>& spoil, const char* words) {
  Arguments good = MakeArguments();
  good.beta = 1;
  good.c = Address(0x30000);
  ExpectRunRefuses(MakeProblem(64, 64, 64), {}, good, spoil, kInvalid, words);
}

TEST(RunRefuses, NullAddresses) {
  ExpectRunRefuses([](Arguments& args) { args.a = nullptr; }, "args.a is null");
  ExpectRunRefuses([](Arguments& args) { args.b = nullptr; }, "args.b is null");
  ExpectRunRefuses([](Arguments& args) { args.c = nullptr; }, "args.c is null");
  ExpectRunRefuses([](Arguments& args) { args.d = nullptr; }, "args.d is null");
}

TEST(RunRefuses, MisalignedAddresses) {
  ExpectRunRefuses([](Arguments& args) { args.a = Address(0x10008); },
                   "args.a is 0x10008, which is no multiple of the 16 bytes that problem.a.alignment promises");
  ExpectRunRefuses([](Arguments& args) { args.b = Address(0x20001); }, "args.b is 0x20001");
  ExpectRunRefuses([](Arguments& args) { args.c = Address(0x30004); }, "args.c is 0x30004");
  ExpectRunRefuses([](Arguments& args) { args.d = Address(0x40002); }, "args.d is 0x40002");
}

// After the exchange of A and B each address is still held against its own promise, and called by its own name.
TEST(RunRefuses, MisalignedAddressesOfAColumnMajorProduct) {
  Problem problem = MakeProblem(64, 64, 64);
  problem.d.layout = Layout::kColumnMajor;
  problem.a.alignment = 64;
  problem.b.alignment = 2;
  Arguments good = MakeArguments();
  good.b = Address(0x20002);
  ExpectRunRefuses(
      problem, {}, good, [](Arguments& args) { args.a = Address(0x10020); }, kInvalid,
      "args.a is 0x10020, which is no multiple of the 64 bytes that problem.a.alignment promises");
  ExpectRunRefuses(
      problem, {}, good, [](Arguments& args) { args.b = Address(0x20001); }, kInvalid,
      "args.b is 0x20001, which is no multiple of the 2 bytes of an element");
}

TEST(RunRefuses, DOnAnInput) {
  ExpectRunRefuses([](Arguments& args) { args.d = const_cast<void*>(args.a); },
                   "args.d is the address of args.a");
  ExpectRunRefuses([](Arguments& args) { args.d = const_cast<void*>(args.b); },
                   "args.d is the address of args.b");
}

TEST(RunRefuses, CAtTheAddressOfDWithAnotherLayout) {
  Problem problem = MakeProblem(64, 64, 64);
  problem.c.ld = 72;
  Arguments good = MakeArguments();
  good.beta = 1;
  good.c = Address(0x30000);
  ExpectRunRefuses(
      problem, {}, good, [](Arguments& args) { args.c = args.d; }, kInvalid,
      "args.c is the address of args.d; C may be D itself only where both have the same layout");
  problem.c.ld = 64;  // as the packed D has
  good.c = good.d;
  ExpectRunRefuses(
      problem, {}, good, [](Arguments& args) { args.c = nullptr; }, kInvalid, "args.c is null");
}

TEST(RunRefuses, ACThatDoesNotFit) {
  Problem problem = MakeProblem(64, 64, 64);
  problem.d.type = DataType::kFP32;
  const auto read_c = [](Arguments& args) {
    args.beta = 1;
    args.c = Address(0x30000);
  };
  ExpectRunRefuses(problem, {}, MakeArguments(), read_c, StatusCode::kUnsupported,
                   "problem.c.type is bf16 and problem.d.type is fp32");
  problem.c.type = DataType::kFP32;
  problem.c.ld = 7;
  ExpectRunRefuses(problem, {}, MakeArguments(), read_c, kInvalid, "problem.c.ld is 7");
}

TEST(RunRefuses, ACThatTheForcedKernelCannotRead) {
  Problem problem = MakeProblem(64, 64, 64);
  problem.c.layout = Layout::kColumnMajor;
  PlanOptions options;
  options.kernel = "hopper_fake_64x64";
  ExpectRunRefuses(
      problem, options, MakeArguments(),
      [](Arguments& args) {
        args.beta = 1;
        args.c = Address(0x30000);
      },
      StatusCode::kUnsupported, "TMA reads C only as it writes D");
}

TEST(RunRefuses, BetaThatIsNoNumberReadsC) {
  ExpectRunRefuses(
      [](Arguments& args) {
        args.beta = std::strtof("nan", nullptr);
        args.c = nullptr;
      },
      "args.c is null");
}

TEST(RunRefuses, DeviceScalarsThatAreNot) {
  Problem problem = MakeProblem(64, 64, 64);
  problem.scalars = ScalarMode::kDevice;
  Arguments good = MakeArguments();
  good.c = good.d;
  good.alpha_device = Scalar(0x50000);
  good.beta_device = Scalar(0x50004);
  const auto refuses = [&](const std::function<void(Arguments&)>& spoil, const char* words) {
    ExpectRunRefuses(problem, {}, good, spoil, kInvalid, words);
  };
  refuses([](Arguments& args) { args.alpha_device = nullptr; }, "args.alpha_device is null");
  refuses([](Arguments& args) { args.beta_device = nullptr; }, "args.beta_device is null");
  refuses([](Arguments& args) { args.alpha_device = Scalar(0x50002); }, "args.alpha_device is 0x50002");
  refuses([](Arguments& args) { args.beta_device = Scalar(0x50001); }, "args.beta_device is 0x50001");
  refuses([](Arguments& args) { args.c = nullptr; }, "args.c is null");
}

TEST(RunRefuses, AWorkspaceThatIsTooSmallOrNotThere) {
  const Problem problem = MakeProblem(16384, 16384, 16384);
  Arguments good = MakeArguments();
  good.workspace = Address(0x100000);
  good.workspace_size = kSplitWorkspace;
  const auto refuses = [&](const std::function<void(Arguments&)>& spoil, StatusCode code, const char* words) {
    ExpectRunRefuses(problem, {}, good, spoil, code, words);
  };
  refuses([](Arguments& args) { args.workspace = nullptr; }, StatusCode::kWorkspaceTooSmall,
          "args.workspace is null; this plan needs 1048576 bytes");
  refuses([](Arguments& args) { args.workspace_size = kSplitWorkspace - 1; }, StatusCode::kWorkspaceTooSmall,
          "args.workspace_size is 1048575; this plan needs 1048576 bytes");
  refuses([](Arguments& args) { args.workspace = Address(0x100080); }, kInvalid,
          "args.workspace is 0x100080; it must be a multiple of 256");
}

TEST(RunRefuses, AWorkspaceThatIsAnOperand) {
  Arguments good = MakeArguments();
  good.workspace = Address(0x100000);
  good.workspace_size = kSplitWorkspace;
  const auto refuses = [&](const std::function<void(Arguments&)>& spoil, const char* words) {
    ExpectRunRefuses(MakeProblem(16384, 16384, 16384), {}, good, spoil, kInvalid, words);
  };
  refuses([](Arguments& args) { args.a = args.workspace; }, "args.workspace is the address of args.a");
  refuses([](Arguments& args) { args.b = args.workspace; }, "args.workspace is the address of args.b");
  refuses([](Arguments& args) { args.d = args.workspace; }, "args.workspace is the address of args.d");
  refuses(
      [](Arguments& args) {
        args.beta = 1;
        args.c = args.workspace;
      },
      "args.workspace is the address of args.c");
  // A C that is not read, and a workspace that is not asked for.
  good.c = good.workspace;
  refuses([](Arguments& args) { args.beta = 1; }, "args.workspace is the address of args.c");
  good.workspace = good.d;
  ExpectRunRefuses(
      MakeProblem(64, 64, 64), {}, good, [](Arguments& args) { args.a = nullptr; }, kInvalid, "args.a is null");
}

TEST(RunRefuses, AnEmptyPlan) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    EXPECT_TRUE(Refuses(Plan().Run(MakeArguments()), kInvalid, "the plan is empty"));
    EXPECT_EQ(driver.calls(), 0u);
  }));
}

TEST(RunRefuses, AContextOfAnotherDevice) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    driver.Set("DEVICES", "h200,h200");
    const Plan plan = MakePlan(MakeProblem(64, 64, 64));
    const driver::Api* api = nullptr;
    ASSERT_TRUE(IsOk(driver::Load(&api)));
    CUcontext context = nullptr;
    ASSERT_EQ(api->DevicePrimaryCtxRetain(&context, 1), CUDA_SUCCESS);
    ASSERT_EQ(api->CtxPushCurrent(context), CUDA_SUCCESS);
    EXPECT_TRUE(Refuses(plan.Run(MakeArguments()), StatusCode::kWrongDevice, "device 1"));
    EXPECT_EQ(driver.launch_count(), 0u);
    CUcontext popped = nullptr;
    ASSERT_EQ(api->CtxPopCurrent(&popped), CUDA_SUCCESS);
    EXPECT_TRUE(IsOk(plan.Run(MakeArguments())));
  }));
}

TEST(RunRefuses, WhatTheDriverRefuses) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    const Plan plan = MakePlan(MakeProblem(64, 64, 64));
    driver.Set("FAIL", "cuLaunchKernelEx:719");
    EXPECT_TRUE(Refuses(plan.Run(MakeArguments()), StatusCode::kDriverError, "cuLaunchKernelEx"));
    driver.Set("FAIL", "cuLaunchKernelEx:2");
    EXPECT_TRUE(Refuses(plan.Run(MakeArguments()), StatusCode::kOutOfMemory, "cuLaunchKernelEx"));
    driver.Set("FAIL", "");
    EXPECT_TRUE(IsOk(plan.Run(MakeArguments())));
  }));
}

}  // namespace
}  // namespace gemm::fake
