// The caller's context is respected, whichever it is.
#include <thread>

#include "tests/gpu_api/product.h"

namespace gemm::tests {
namespace {

CUcontext CurrentContext() {
  const gpu::Api* api = nullptr;
  CUcontext context = nullptr;
  if (gpu::Load(&api).ok()) (void)api->CtxGetCurrent(&context);
  return context;
}

TEST(Contexts, TheCurrentOneStaysCurrent) {
  const CUcontext before = CurrentContext();
  Product product("264 520 328");
  ASSERT_TRUE(product.good());
  EXPECT_EQ(product.device().RunTwiceAndCheck(product.plan()), "");
  EXPECT_EQ(CurrentContext(), before);
}

// A plan made in the primary context runs in another one of the device, in that one's memory.
TEST(Contexts, AnotherOneOfTheDevice) {
  for (const std::string& line : LinesOfAllBackends()) {
    Plan made_before;
    ASSERT_OK(Plan::Create(ParseOne(line).problem, {}, &made_before));
    gpu::Context separate;
    ASSERT_OK(gpu::Context::Separate(0, &separate));
    Product product(line);
    ASSERT_TRUE(product.good());
    EXPECT_EQ(CurrentContext(), separate.handle());
    EXPECT_EQ(product.device().RunTwiceAndCheck(product.plan()), "") << line;
    EXPECT_EQ(product.device().RunTwiceAndCheck(made_before), "") << line;
    EXPECT_EQ(CurrentContext(), separate.handle());
  }
}

// A thread that made no CUDA call has no context: the primary one serves, and the thread is left without again.
TEST(Contexts, AThreadWithoutOne) {
  for (const std::string& line : LinesOfAllBackends()) {
    Product product(line);
    ASSERT_TRUE(product.good());
    ASSERT_EQ(product.device().ResetD(), "");
    Status created, ran;
    CUcontext after_create = nullptr, after_run = nullptr;
    std::string kernel;
    std::thread([&] {
      Plan plan;
      created = Plan::Create(product.problem(), {}, &plan);
      after_create = CurrentContext();
      kernel = plan.kernel_name();
      ran = plan.Run(product.arguments());
      after_run = CurrentContext();
    }).join();
    ASSERT_OK(created);
    ASSERT_OK(ran);
    EXPECT_EQ(after_create, nullptr);
    EXPECT_EQ(after_run, nullptr);
    EXPECT_EQ(kernel, product.plan().kernel_name());
    ASSERT_OK(gpu::Synchronize());
    EXPECT_EQ(product.device().CheckResult(), "") << line;
  }
}

TEST(Contexts, TheOneCallGemmOnAThreadWithoutOne) {
  Product product("264 520 328");
  ASSERT_TRUE(product.good());
  ASSERT_EQ(product.device().ResetD(), "");
  Status ran;
  std::thread([&] { ran = Gemm(product.problem(), product.arguments()); }).join();
  ASSERT_OK(ran);
  ASSERT_OK(gpu::Synchronize());
  EXPECT_EQ(product.device().CheckResult(), "");
}

}  // namespace
}  // namespace gemm::tests
