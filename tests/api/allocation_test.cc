// Run and a remembered Gemm() allocate nothing, and a failed allocation at plan time is a status. Counted by
// replacing operator new; what the fake driver allocates for its books is left out.
#include <dlfcn.h>
#include <execinfo.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

#include "tests/api/common.h"

namespace {

std::atomic<bool> watching{false};
std::atomic<std::size_t> allocations{0};  // while watching
std::atomic<std::size_t> fails_at{0};     // the number of the allocation that fails; 0: none does

bool InFakeDriver() {
  void* frames[24];
  const int count = backtrace(frames, 24);
  for (int i = 0; i < count; ++i) {
    Dl_info info;
    if (dladdr(frames[i], &info) != 0 && std::strstr(info.dli_fname, "libcuda.so") != nullptr) return true;
  }
  return false;
}

void* Allocate(std::size_t size) {
  if (watching && !InFakeDriver()) {
    const std::size_t number = ++allocations;
    if (number == fails_at) throw std::bad_alloc();
  }
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) { return Allocate(size); }
void* operator new[](std::size_t size) { return Allocate(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return Allocate(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace gemm::fake {
namespace {

// Counts allocations from here to its end; the one of number `fail_at` fails.
class Watch {
 public:
  explicit Watch(std::size_t fail_at = 0) {
    allocations = 0;
    fails_at = fail_at;
    watching = true;
  }
  ~Watch() { watching = false; }
};

TEST(Allocation, IsCounted) {
  EXPECT_TRUE(InChild([](FakeDriver&) {
    const Watch watch;
    MakePlan(MakeProblem(64, 64, 64));
    EXPECT_GT(allocations, 0u);
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
    EXPECT_EQ(allocations, 0u);
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
    EXPECT_EQ(allocations, 0u);
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
