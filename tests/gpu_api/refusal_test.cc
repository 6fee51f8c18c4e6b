// Refused runs on a real device write nothing.
#include "tests/gpu_api/product.h"

namespace gemm::tests {
namespace {

// Runs with `arguments`, which must be refused with `code` and leave D alone.
void ExpectRefused(Product* product, const Arguments& arguments, StatusCode code, const std::string& part) {
  ASSERT_EQ(product->device().ResetD(), "");
  const Status status = product->plan().Run(arguments);
  ASSERT_OK(gpu::Synchronize());
  EXPECT_EQ(status.code(), code) << status.message();
  EXPECT_NE(status.message().find(part), std::string::npos) << status.message();
  EXPECT_EQ(product->device().DUntouched(), "");
}

template <typename T>
T* Shift(T* address, std::ptrdiff_t bytes) {
  return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(address) + static_cast<std::uintptr_t>(bytes));
}

TEST(Refusal, MisalignedAddressesLeaveDUntouched) {
  for (const std::string& line : LinesOfAllBackends()) {
    Product product(line + " beta=1");
    ASSERT_TRUE(product.good());
    for (const std::ptrdiff_t bytes : {1, 2, 4, 8}) {
      Arguments arguments = product.arguments();
      arguments.a = Shift(arguments.a, bytes);
      ExpectRefused(&product, arguments, StatusCode::kInvalidArgument, "args.a");
      arguments = product.arguments();
      arguments.b = Shift(arguments.b, bytes);
      ExpectRefused(&product, arguments, StatusCode::kInvalidArgument, "args.b");
      arguments = product.arguments();
      arguments.c = Shift(arguments.c, bytes);
      ExpectRefused(&product, arguments, StatusCode::kInvalidArgument, "args.c");
      arguments = product.arguments();
      arguments.d = Shift(arguments.d, bytes);
      ExpectRefused(&product, arguments, StatusCode::kInvalidArgument, "args.d");
    }
  }
}

TEST(Refusal, NullAddressesLeaveDUntouched) {
  Product product("264 520 328 beta=1");
  ASSERT_TRUE(product.good());
  for (const void* Arguments::*operand : {&Arguments::a, &Arguments::b, &Arguments::c}) {
    Arguments arguments = product.arguments();
    arguments.*operand = nullptr;
    ExpectRefused(&product, arguments, StatusCode::kInvalidArgument, "is null");
  }
  Arguments arguments = product.arguments();
  arguments.d = nullptr;
  ExpectRefused(&product, arguments, StatusCode::kInvalidArgument, "args.d is null");
}

TEST(Refusal, NullScalarsLeaveDUntouched) {
  Product product("264 520 328 scalars=device");
  ASSERT_TRUE(product.good());
  Arguments arguments = product.arguments();
  arguments.alpha_device = nullptr;
  ExpectRefused(&product, arguments, StatusCode::kInvalidArgument, "alpha_device");
  arguments = product.arguments();
  arguments.beta_device = Shift(arguments.beta_device, 2);
  ExpectRefused(&product, arguments, StatusCode::kInvalidArgument, "beta_device");
}

TEST(Refusal, AWorkspaceThatDoesNotServeLeavesDUntouched) {
  int tried = 0;
  for (const dispatch::KernelRow* row : dispatch::Registry()) {
    // Unaligned operands are what some kernels need it for.
    for (const char* line : {"264 520 328", "264 520 329"}) {
      PlanOptions options;
      options.kernel = row->name;
      Plan plan;
      if (!Plan::Create(ParseOne(line).problem, options, &plan).ok() || plan.workspace_size() == 0) continue;
      ++tried;
      Product product(line, options);
      ASSERT_TRUE(product.good());
      Arguments arguments = product.arguments();
      arguments.workspace_size -= 1;
      ExpectRefused(&product, arguments, StatusCode::kWorkspaceTooSmall, "workspace_size");
      arguments = product.arguments();
      arguments.workspace = nullptr;
      ExpectRefused(&product, arguments, StatusCode::kWorkspaceTooSmall, "workspace");
      arguments = product.arguments();
      arguments.workspace = Shift(arguments.workspace, 128);
      ExpectRefused(&product, arguments, StatusCode::kInvalidArgument, "workspace");
    }
  }
  if (tried == 0) GTEST_SKIP() << "no kernel asks for workspace on this device";
}

// What no kernel asks for is not looked at.
TEST(Refusal, AWorkspaceThatIsNotNeededIsIgnored) {
  Product product("264 520 328");
  ASSERT_TRUE(product.good());
  if (product.plan().workspace_size() != 0) GTEST_SKIP() << "this plan needs workspace";
  Arguments arguments = product.arguments();
  arguments.workspace = reinterpret_cast<void*>(std::uintptr_t{1});
  ASSERT_EQ(product.device().ResetD(), "");
  ASSERT_OK(product.plan().Run(arguments));
  ASSERT_OK(gpu::Synchronize());
  EXPECT_EQ(product.device().CheckResult(), "");
}

TEST(Refusal, AnEmptyPlanRunsNothing) {
  Product product("264 520 328");
  ASSERT_TRUE(product.good());
  ASSERT_EQ(product.device().ResetD(), "");
  EXPECT_FALSE(Plan().Run(product.arguments()).ok());
  EXPECT_EQ(product.device().DUntouched(), "");
}

TEST(Refusal, APlanOfAnotherDeviceThanTheContexts) {
  int devices = 0;
  ASSERT_OK(driver::DeviceCount(&devices));
  if (devices < 2) GTEST_SKIP() << "needs two devices";
  Product product("264 520 328");
  ASSERT_TRUE(product.good());
  ASSERT_EQ(product.device().ResetD(), "");
  {
    gpu::Context other;
    ASSERT_OK(gpu::Context::Primary(1, &other));
    EXPECT_EQ(product.plan().Run(product.arguments()).code(), StatusCode::kWrongDevice);
  }
  ASSERT_OK(gpu::Synchronize());
  EXPECT_EQ(product.device().DUntouched(), "");
}

}  // namespace
}  // namespace gemm::tests
