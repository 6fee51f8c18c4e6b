// On a machine without libcuda.so.1 libgemm links, loads and says what is missing.
#include <dlfcn.h>

#include "tests/api/common.h"

namespace gemm::fake {
namespace {

TEST(NoDriver, IsAStatus) {
  EXPECT_TRUE(InChildWithoutDriver([] {
    if (void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL); library != nullptr) {
      GTEST_SKIP() << "this machine has a driver";
    }
    Plan plan;
    for (int i = 0; i < 2; ++i) {
      EXPECT_TRUE(
          Refuses(Plan::Create(MakeProblem(8, 8, 8), {}, &plan), StatusCode::kNoDriver, "libcuda.so.1"));
      EXPECT_TRUE(Refuses(Gemm(MakeProblem(8, 8, 8), MakeArguments()), StatusCode::kNoDriver, "libcuda.so.1"));
    }
    Problem problem = MakeProblem(8, 8, 8);
    problem.b.ld = 1;
    EXPECT_TRUE(Refuses(Plan::Create(problem, {}, &plan), StatusCode::kInvalidArgument, "problem.b.ld is 1"));
    EXPECT_TRUE(Refuses(Gemm(problem, MakeArguments()), StatusCode::kInvalidArgument, "problem.b.ld is 1"));
  }));
}

}  // namespace
}  // namespace gemm::fake
