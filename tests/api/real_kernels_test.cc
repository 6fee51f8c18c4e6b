// Every valid problem is planned and launched: the real rows, on each known device as the fake driver plays it.
// Random problems from seeds; a failure names the seed, and tests/dispatch/random_problem.h makes the problem
// from it.
#include <cstdint>
#include <string>

#include "common/dispatch/registry.h"
#include "common/problem/problem.h"
#include "gemm/gemm.h"
#include "gtest/gtest.h"
#include "tests/dispatch/random_problem.h"
#include "tests/fake_driver/fake_driver.h"

namespace gemm::fake {
namespace {

const char* const kDevices[] = {"h200", "h100", "a100", "rtx3090", "rtx4090", "rtx5070ti", "rtx5060laptop"};

// Addresses as badly aligned as the problem allows; nobody reads them.
Arguments MakeArguments(const Problem& p) {
  const auto address = [](std::uintptr_t base, std::int32_t alignment) {
    return reinterpret_cast<void*>(base + static_cast<std::uintptr_t>(alignment));
  };
  Arguments args;
  args.a = address(0x100000000, p.a.alignment);
  args.b = address(0x200000000, p.b.alignment);
  args.c = address(0x300000000, p.c.alignment);
  args.d = address(0x400000000, p.d.alignment);
  args.workspace = reinterpret_cast<void*>(0x500000000);
  args.workspace_size = SIZE_MAX;
  args.alpha_device = args.beta_device = reinterpret_cast<const float*>(0x600000000);
  return args;
}

// Plans and runs, with and without C. `label` tells the case.
void ExpectRuns(FakeDriver& driver, const Problem& problem, const PlanOptions& options,
                const std::string& label) {
  Plan plan;
  Status status = Plan::Create(problem, options, &plan);
  ASSERT_TRUE(status.ok()) << label << ": " << status.message();
  Arguments args = MakeArguments(problem);
  const bool empty = problem.m == 0 || problem.n == 0 || problem.batch == 0;
  for (const float beta : {0.0f, 1.0f}) {
    args.beta = beta;
    const std::size_t before = driver.launch_count();
    status = plan.Run(args);
    // A forced kernel may be unable to read C as it is described.
    if (!options.kernel.empty() && beta != 0 && status.code() == StatusCode::kUnsupported) continue;
    ASSERT_TRUE(status.ok()) << label << ", " << plan.kernel_name() << ", beta = " << beta << ": "
                             << status.message();
    ASSERT_EQ(driver.launch_count() > before, !empty) << label << ", " << plan.kernel_name();
  }
}

TEST(RealKernels, RunEveryProblemOnEveryDevice) {
  for (const char* device : kDevices) {
    EXPECT_TRUE(InChild([&](FakeDriver& driver) {
      driver.Set("DEVICES", device);
      for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        PlanOptions options;
        options.programmatic_launch = seed % 2 == 1;
        ExpectRuns(driver, RandomProblem(seed), options, "seed " + std::to_string(seed) + " on " + device);
        if (testing::Test::HasFatalFailure()) return;
      }
    })) << device;
  }
}

TEST(RealKernels, KeepToTheLimitOfSms) {
  const struct {
    const char* name;
    int sms;
  } devices[] = {{"h200", 132}, {"a100", 108}};
  for (const auto& device : devices) {
    EXPECT_TRUE(InChild([&](FakeDriver& driver) {
      driver.Set("DEVICES", device.name);
      for (const int most : {1, 2, 3, 8, 17, 100, 107, 108, 131, 132, 1000}) {
        for (const std::int64_t m : {1, 64, 1024, 8192}) {
          Problem problem;
          problem.m = m;
          problem.n = 8192;
          problem.k = 4096;
          problem.b.layout = Layout::kColumnMajor;
          PlanOptions options;
          options.max_sms = most;
          const std::size_t before = driver.launch_count();
          ExpectRuns(driver, problem, options, "max_sms " + std::to_string(most) + " on " + device.name);
          ASSERT_GT(driver.launch_count(), before);
          if (most >= device.sms) continue;  // all there are: grids need not be persistent
          for (std::size_t i = before; i < driver.launch_count(); ++i) {
            const Launch& launch = driver.launch(i);
            EXPECT_LE(launch.grid[0] * launch.grid[1] * launch.grid[2], static_cast<unsigned>(most))
                << m << " on " << device.name;
          }
        }
      }
    })) << device.name;
  }
}

TEST(RealKernels, EveryRowRunsWhatItAccepts) {
  for (const char* device : {"h200", "a100", "rtx5070ti"}) {
    EXPECT_TRUE(InChild([&](FakeDriver& driver) {
      driver.Set("DEVICES", device);
      std::size_t ran = 0;
      for (std::uint64_t seed = 5000; seed < 5100; ++seed) {
        Problem problem = RandomProblem(seed);
        for (const dispatch::KernelRow* row : dispatch::Registry()) {
          PlanOptions options;
          options.kernel = row->name;
          Plan plan;
          const Status status = Plan::Create(problem, options, &plan);
          if (status.code() == StatusCode::kUnsupported) continue;
          ExpectRuns(driver, problem, options,
                     "seed " + std::to_string(seed) + " on " + device + " by " + row->name);
          if (testing::Test::HasFatalFailure()) return;
          ++ran;
        }
      }
      EXPECT_GT(ran, 100u);
    })) << device;
  }
}

// More elements of D than 32 bits count, up to the 2^62 bytes that 64 bits hold.
TEST(RealKernels, RunProductsPastThirtyTwoBits) {
  for (const char* device : {"h200", "a100", "rtx5070ti"}) {
    EXPECT_TRUE(InChild([&](FakeDriver& driver) {
      driver.Set("DEVICES", device);
      for (const DataType type : {DataType::kBF16, DataType::kFP32}) {
        for (const int log_n : {16, 31}) {
          Problem problem;
          problem.m = type == DataType::kFP32 ? std::int64_t{1} << 29 : std::int64_t{1} << 30;
          problem.n = std::int64_t{1} << log_n;
          problem.k = 8;
          problem.a.type = problem.b.type = problem.c.type = problem.d.type = type;
          ExpectRuns(driver, problem, {}, std::string("n of 2^") + std::to_string(log_n) + " on " + device);
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    })) << device;
  }
}

// A driver that takes only PTX, as an emulated one, is served by the same rows.
TEST(RealKernels, RunFromPtxAlone) {
  for (const char* device : kDevices) {
    EXPECT_TRUE(InChild([&](FakeDriver& driver) {
      driver.Set("DEVICES", device);
      driver.Set("REFUSE", "cubin");
      for (std::uint64_t seed = 0; seed < 200; ++seed) {
        ExpectRuns(driver, RandomProblem(seed), {}, "seed " + std::to_string(seed) + " on " + device);
        if (testing::Test::HasFatalFailure()) return;
      }
      EXPECT_NE(driver.launch(0).is_ptx, 0);
    })) << device;
  }
}

// Code for 8.0 has no griddepcontrol.wait: a kernel made of it must not start before its predecessor has ended.
TEST(RealKernels, OnlyCodeThatCanWaitIsLaunchedProgrammatically) {
  const auto is_programmatic = [](FakeDriver& driver, DataType type, const char* kernel) {
    Problem problem;
    problem.m = problem.n = problem.k = 2048;
    problem.a.type = problem.b.type = problem.c.type = problem.d.type = type;
    PlanOptions options;
    options.kernel = kernel;
    options.programmatic_launch = true;
    const std::size_t first = driver.launch_count();
    ExpectRuns(driver, problem, options, "programmatic");
    return driver.launch(first).programmatic != 0;
  };
  for (const char* refused : {"", "cubin"}) {
    EXPECT_TRUE(InChild([&](FakeDriver& driver) {
      driver.Set("DEVICES", "h200");
      driver.Set("REFUSE", refused);
      const bool cubin = *refused == 0;
      EXPECT_TRUE(is_programmatic(driver, DataType::kBF16, "")) << "hopper, whose PTX is of 9.0 too";
      EXPECT_EQ(is_programmatic(driver, DataType::kBF16, "ampere_bf16_kn_128x128x64_s3"), cubin) << "ampere";
      EXPECT_EQ(is_programmatic(driver, DataType::kFP32, ""), cubin) << "simt";
    })) << refused;
  }
}

}  // namespace
}  // namespace gemm::fake
