// The one-call Gemm() and what it remembers. A plan that is made asks the driver for the device's name once;
// one that is remembered does not.
#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include "common/api/plan_cache.h"
#include "common/driver/api.h"
#include "common/driver/driver.h"
#include "tests/api/common.h"

namespace gemm::fake {
namespace {

TEST(GemmCall, PlansOnceAndRunsOften) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(IsOk(Gemm(MakeProblem(4096, 4096, 4096), MakeArguments())));
    EXPECT_EQ(LaunchersMade(), 1u);
    EXPECT_EQ(driver.launch_count(), 10u);
    EXPECT_STREQ(LastLaunch().kernel, "hopper_fake_128x256");
  }));
}

TEST(GemmCall, EverythingThatMattersIsPartOfTheKey) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    const Problem base = MakeProblem(64, 64, 64);
    std::vector<Problem> problems = {base};
    const auto add = [&](const std::function<void(Problem&)>& change) {
      problems.push_back(base);
      change(problems.back());
    };
    add([](Problem& p) { p.m = 65; });
    add([](Problem& p) { p.n = 65; });
    add([](Problem& p) { p.k = 65; });
    add([](Problem& p) { p.batch = 2; });
    add([](Problem& p) { p.a.type = p.b.type = DataType::kFP16; });
    add([](Problem& p) { p.d.type = p.c.type = DataType::kFP32; });
    add([](Problem& p) { p.a.layout = Layout::kColumnMajor; });
    add([](Problem& p) { p.b.layout = Layout::kColumnMajor; });
    add([](Problem& p) { p.c.layout = Layout::kColumnMajor; });
    add([](Problem& p) { p.d.layout = Layout::kColumnMajor; });
    add([](Problem& p) { p.a.ld = 72; });
    add([](Problem& p) { p.b.ld = 72; });
    add([](Problem& p) { p.c.ld = 72; });
    add([](Problem& p) { p.d.ld = 72; });
    add([](Problem& p) { p.a.batch_stride = 8192; });
    add([](Problem& p) { p.compute = ComputeType::kFP32; });
    for (int round = 0; round < 2; ++round) {
      for (const Problem& problem : problems) EXPECT_TRUE(IsOk(Gemm(problem, MakeArguments())));
    }
    EXPECT_EQ(LaunchersMade(), problems.size() + 2) << "a kernel for a C of another layout or ld, besides";
    EXPECT_EQ(driver.launch_count(), 2 * problems.size());
  }));
}

TEST(GemmCall, TheAddressesDecideAboutTheAlignment) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    Problem problem = MakeProblem(4096, 4096, 4096);
    problem.a.alignment = 64;  // of no account: the address is known
    Arguments args = MakeArguments();
    EXPECT_TRUE(IsOk(Gemm(problem, args)));
    EXPECT_STREQ(LastLaunch().kernel, "hopper_fake_128x256");
    args.a = Address(0x10002);
    EXPECT_TRUE(IsOk(Gemm(problem, args)));
    EXPECT_STREQ(LastLaunch().kernel, "ampere_fake_128x128");
    args.a = Address(0x10001);
    EXPECT_TRUE(Refuses(Gemm(problem, args), StatusCode::kInvalidArgument,
                        "args.a is 0x10001, which is no multiple of the 2 bytes of an element"));
    args.a = nullptr;
    EXPECT_TRUE(Refuses(Gemm(problem, args), StatusCode::kInvalidArgument, "args.a is null"));
    // Only a C that is read counts.
    args = MakeArguments();
    args.c = Address(0x30002);
    const std::size_t made = LaunchersMade();
    EXPECT_TRUE(IsOk(Gemm(problem, args)));
    EXPECT_EQ(LaunchersMade(), made);
    EXPECT_STREQ(LastLaunch().kernel, "hopper_fake_128x256");
    args.beta = 1;
    EXPECT_TRUE(IsOk(Gemm(problem, args)));
    EXPECT_STREQ(LastLaunch().kernel, "ampere_fake_128x128");
    EXPECT_EQ(driver.launch_count(), 4u);
  }));
}

TEST(GemmCall, TheWorkspaceDecidesAboutTheKernelButPlansAreShared) {
  EXPECT_TRUE(InChild([](FakeDriver&) {
    const Problem problem = MakeProblem(16384, 16384, 16384);
    Arguments args = MakeArguments();
    const auto run = [&](void* workspace, std::size_t size) {
      args.workspace = workspace;
      args.workspace_size = size;
      EXPECT_TRUE(IsOk(Gemm(problem, args)));
      return std::string(LastLaunch().kernel);
    };
    EXPECT_EQ(run(nullptr, 0), "hopper_fake_128x256");
    EXPECT_EQ(run(nullptr, SIZE_MAX), "hopper_fake_128x256");
    EXPECT_EQ(run(Address(0x100000), 4096), "hopper_fake_128x256");
    EXPECT_EQ(run(Address(0x100000), kSplitWorkspace - 1), "hopper_fake_128x256");
    EXPECT_EQ(LaunchersMade(), 1u);
    EXPECT_EQ(run(Address(0x100000), kSplitWorkspace), "hopper_fake_split");
    EXPECT_EQ(run(Address(0x100000), SIZE_MAX), "hopper_fake_split");
    EXPECT_EQ(run(nullptr, 0), "hopper_fake_128x256");
    EXPECT_EQ(LaunchersMade(), 3u) << "one more for runs that read C, at which the second kernel is slow";
  }));
}

TEST(GemmCall, ForgetsTheOneUsedLeastRecently) {
  EXPECT_TRUE(InChild([](FakeDriver&) {
    constexpr int kCapacity = api::PlanCache::kCapacity;
    const auto run = [&](int m) { EXPECT_TRUE(IsOk(Gemm(MakeProblem(m, 64, 64), MakeArguments()))); };
    for (int m = 1; m <= kCapacity; ++m) run(m);
    EXPECT_EQ(LaunchersMade(), static_cast<std::size_t>(kCapacity));
    run(1);              // used again: 2 is the oldest now
    run(kCapacity + 1);  // takes the place of 2
    EXPECT_EQ(LaunchersMade(), static_cast<std::size_t>(kCapacity) + 1);
    run(1);
    run(3);
    run(kCapacity);
    EXPECT_EQ(LaunchersMade(), static_cast<std::size_t>(kCapacity) + 1);
    run(2);
    EXPECT_EQ(LaunchersMade(), static_cast<std::size_t>(kCapacity) + 2);
  }));
}

TEST(GemmCall, FailuresAreNotRemembered) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    driver.Set("FAIL", "cuLibraryLoadData:719");
    EXPECT_TRUE(
        Refuses(Gemm(MakeProblem(8, 8, 8), MakeArguments()), StatusCode::kDriverError, "cuLibraryLoadData"));
    driver.Set("FAIL", "");
    EXPECT_TRUE(IsOk(Gemm(MakeProblem(8, 8, 8), MakeArguments())));
  }));
}

TEST(GemmCall, TheDeviceIsPartOfTheKey) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    driver.Set("DEVICES", "h200,a100");
    const driver::Api* api = nullptr;
    ASSERT_TRUE(IsOk(driver::Load(&api)));
    CUcontext contexts[2] = {};
    for (int device = 0; device < 2; ++device) {
      ASSERT_EQ(api->DevicePrimaryCtxRetain(&contexts[device], device), CUDA_SUCCESS);
    }
    for (int i = 0; i < 6; ++i) {
      ASSERT_EQ(api->CtxPushCurrent(contexts[i % 2]), CUDA_SUCCESS);
      EXPECT_TRUE(IsOk(Gemm(MakeProblem(4096, 4096, 4096), MakeArguments())));
      EXPECT_STREQ(LastLaunch().kernel, i % 2 == 0 ? "hopper_fake_128x256" : "ampere_fake_128x128");
      EXPECT_EQ(driver.launch(static_cast<std::size_t>(i)).context, contexts[i % 2]);
      CUcontext popped = nullptr;
      ASSERT_EQ(api->CtxPopCurrent(&popped), CUDA_SUCCESS);
    }
    EXPECT_EQ(LaunchersMade(), 2u);
  }));
}

TEST(GemmCall, ThreadsHaveTheirOwnPlans) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    constexpr int kThreads = 8;
    constexpr int kRuns = 200;
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([t] {
        for (int i = 0; i < kRuns; ++i) {
          Arguments args = MakeArguments();
          args.alpha = static_cast<float>(t);
          EXPECT_TRUE(IsOk(Gemm(MakeProblem(1 + i % 5, 64, 64), args)));
          EXPECT_EQ(LastLaunch().args.alpha, static_cast<float>(t));
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(driver.launch_count(), static_cast<std::size_t>(kThreads) * kRuns);
    EXPECT_EQ(LaunchersMade(), kThreads * 5u);
  }));
}

TEST(PlanShared, ByManyThreads) {
  EXPECT_TRUE(InChild([](FakeDriver& driver) {
    const Plan plan = MakePlan(MakeProblem(4096, 4096, 4096));
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&plan] {
        for (int i = 0; i < 200; ++i) {
          EXPECT_TRUE(IsOk(plan.Run(MakeArguments())));
          EXPECT_TRUE(IsOk(MakePlan(MakeProblem(64 + i % 3, 64, 64)).Run(MakeArguments())));
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(driver.launch_count(), 3200u);
  }));
}

}  // namespace
}  // namespace gemm::fake
