#include <thread>

#include "tests/emulator/driver/gpu.h"

namespace emu::testing {
namespace {

CUcontext Current() {
  CUcontext context = nullptr;
  EXPECT_CU(CUDA_SUCCESS, cuCtxGetCurrent(&context));
  return context;
}

class Contexts : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_CU(cuInit(0));
    while (cuCtxPopCurrent(nullptr) == CUDA_SUCCESS) {  // what tests before this one left
    }
  }
  void TearDown() override {
    EXPECT_CU(CUDA_SUCCESS, cuCtxSetCurrent(nullptr));
    EXPECT_EQ(nullptr, Current());
  }
  CUcontext Make(CUdevice device = 0) {
    CUcontext context = nullptr;
    EXPECT_CU(CUDA_SUCCESS, cuCtxCreate(&context, nullptr, 0, device));
    return context;
  }
};

TEST_F(Contexts, WithoutOneNothingIsAllocated) {
  CUdeviceptr address = 0;
  CUstream stream = nullptr;
  EXPECT_CU(CUDA_ERROR_INVALID_CONTEXT, cuMemAlloc(&address, 4));
  EXPECT_CU(CUDA_ERROR_INVALID_CONTEXT, cuStreamCreate(&stream, 0));
  EXPECT_CU(CUDA_ERROR_INVALID_CONTEXT, cuCtxSynchronize());
  EXPECT_CU(CUDA_ERROR_INVALID_CONTEXT, cuCtxPopCurrent(nullptr));
}

TEST_F(Contexts, AreAStack) {
  const CUcontext a = Make(), b = Make();
  EXPECT_EQ(b, Current());
  EXPECT_CU(CUDA_SUCCESS, cuCtxPushCurrent(a));
  EXPECT_EQ(a, Current());
  CUcontext popped = nullptr;
  EXPECT_CU(CUDA_SUCCESS, cuCtxPopCurrent(&popped));
  EXPECT_EQ(a, popped);
  EXPECT_EQ(b, Current());
  // Takes the place of the one on top.
  EXPECT_CU(CUDA_SUCCESS, cuCtxSetCurrent(a));
  EXPECT_EQ(a, Current());
  EXPECT_CU(CUDA_SUCCESS, cuCtxSetCurrent(nullptr));
  EXPECT_EQ(a, Current());
  EXPECT_CU(CUDA_SUCCESS, cuCtxPopCurrent(nullptr));
  EXPECT_EQ(nullptr, Current());
  EXPECT_CU(CUDA_SUCCESS, cuCtxDestroy(a));
  EXPECT_CU(CUDA_SUCCESS, cuCtxDestroy(b));
  EXPECT_CU(CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy(b));
  EXPECT_CU(CUDA_ERROR_INVALID_CONTEXT, cuCtxSetCurrent(b));
}

TEST_F(Contexts, BelongToAThread) {
  const CUcontext context = Make();
  std::thread([&] {
    EXPECT_EQ(nullptr, Current());
    EXPECT_CU(CUDA_SUCCESS, cuCtxSetCurrent(context));
    EXPECT_EQ(context, Current());
  }).join();
  EXPECT_EQ(context, Current());
  EXPECT_CU(CUDA_SUCCESS, cuCtxDestroy(context));
}

TEST_F(Contexts, TakeAllThatIsTheirsWithThem) {
  const CUcontext context = Make();
  std::size_t before = 0, now = 0, total = 0;
  EXPECT_CU(CUDA_SUCCESS, cuMemGetInfo(&before, &total));
  CUdeviceptr address = 0;
  CUstream stream = nullptr;
  CUevent event = nullptr;
  EXPECT_CU(CUDA_SUCCESS, cuMemAlloc(&address, 1000));
  EXPECT_CU(CUDA_SUCCESS, cuStreamCreate(&stream, 0));
  EXPECT_CU(CUDA_SUCCESS, cuEventCreate(&event, 0));
  const CUmodule module = Load(AddModule() + ".global .b8 bytes[5000];\n");
  EXPECT_CU(CUDA_SUCCESS, cuMemGetInfo(&now, &total));
  EXPECT_LE(now + 6000, before);
  EXPECT_CU(CUDA_SUCCESS, cuCtxDestroy(context));

  const CUcontext other = Make();
  EXPECT_CU(CUDA_SUCCESS, cuMemGetInfo(&now, &total));
  EXPECT_EQ(before, now);
  CUfunction function = nullptr;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuMemFree(address));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cuStreamSynchronize(stream));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cuEventSynchronize(event));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cuModuleGetFunction(&function, module, "add"));
  EXPECT_CU(CUDA_SUCCESS, cuCtxDestroy(other));
}

TEST_F(Contexts, DestroyedButStillOnAStackAreNamedSo) {
  const CUcontext a = Make(), b = Make();
  // `a` lies below `b`.
  EXPECT_CU(CUDA_SUCCESS, cuCtxDestroy(a));
  EXPECT_CU(CUDA_SUCCESS, cuCtxDestroy(b));
  CUdeviceptr address = 0;
  EXPECT_CU(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuMemAlloc(&address, 4));
  // Also when there is a younger one.
  const CUcontext c = Make();
  EXPECT_CU(CUDA_SUCCESS, cuCtxPopCurrent(nullptr));
  EXPECT_CU(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuMemAlloc(&address, 4));
  EXPECT_CU(CUDA_SUCCESS, cuCtxPopCurrent(nullptr));
  EXPECT_CU(CUDA_SUCCESS, cuCtxDestroy(c));
}

TEST_F(Contexts, SayWhatTheyAre) {
  CUcontext context = nullptr;
  EXPECT_CU(CUDA_SUCCESS, cuCtxCreate(&context, nullptr, CU_CTX_SCHED_SPIN, 0));
  unsigned flags = 0, version = 0;
  CUdevice device = -1;
  unsigned long long id = 0;
  EXPECT_CU(CUDA_SUCCESS, cuCtxGetFlags(&flags));
  EXPECT_EQ(unsigned(CU_CTX_SCHED_SPIN), flags);
  EXPECT_CU(CUDA_SUCCESS, cuCtxGetDevice(&device));
  EXPECT_EQ(0, device);
  EXPECT_CU(CUDA_SUCCESS, cuCtxGetApiVersion(context, &version));
  EXPECT_GE(version, 3020u);
  EXPECT_CU(CUDA_SUCCESS, cuCtxGetId(context, &id));
  EXPECT_NE(0u, id);
  std::size_t limit = 0;
  EXPECT_CU(CUDA_SUCCESS, cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
  EXPECT_CU(CUDA_SUCCESS, cuCtxGetLimit(&limit, CU_LIMIT_STACK_SIZE));
  EXPECT_EQ(4096u, limit);
  EXPECT_CU(CUDA_ERROR_UNSUPPORTED_LIMIT, cuCtxSetLimit(CU_LIMIT_MAX, 1));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuCtxCreate(&context, nullptr, 1u << 31, 0));
  EXPECT_CU(CUDA_ERROR_INVALID_DEVICE, cuCtxCreate(&context, nullptr, 0, 1));
  EXPECT_CU(CUDA_SUCCESS, cuCtxDestroy(Current()));
}

TEST_F(Contexts, ThePrimaryOneIsCounted) {
  CUcontext a = nullptr, b = nullptr;
  unsigned flags = 0;
  int active = -1;
  EXPECT_CU(CUDA_SUCCESS, cuDevicePrimaryCtxGetState(0, &flags, &active));
  EXPECT_EQ(0, active);
  EXPECT_CU(CUDA_SUCCESS, cuDevicePrimaryCtxRetain(&a, 0));
  EXPECT_CU(CUDA_SUCCESS, cuDevicePrimaryCtxRetain(&b, 0));
  EXPECT_EQ(a, b);
  EXPECT_EQ(nullptr, Current());
  EXPECT_CU(CUDA_SUCCESS, cuCtxSetCurrent(a));
  CUdeviceptr address = 0;
  EXPECT_CU(CUDA_SUCCESS, cuMemAlloc(&address, 4));
  EXPECT_CU(CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy(a));
  EXPECT_CU(CUDA_SUCCESS, cuDevicePrimaryCtxRelease(0));
  EXPECT_CU(CUDA_SUCCESS, cuMemsetD32(address, 1, 1));
  EXPECT_CU(CUDA_SUCCESS, cuDevicePrimaryCtxRelease(0));
  EXPECT_CU(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuMemsetD32(address, 1, 1));
  EXPECT_CU(CUDA_ERROR_INVALID_CONTEXT, cuDevicePrimaryCtxRelease(0));
  // The next one is as new; the memory has gone.
  EXPECT_CU(CUDA_SUCCESS, cuDevicePrimaryCtxRetain(&b, 0));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuMemsetD32(address, 1, 1));
  EXPECT_CU(CUDA_SUCCESS, cuDevicePrimaryCtxRelease(0));
}

TEST_F(Contexts, ThePrimaryOneCanBeReset) {
  CUcontext context = nullptr;
  EXPECT_CU(CUDA_SUCCESS, cuDevicePrimaryCtxRetain(&context, 0));
  EXPECT_CU(CUDA_SUCCESS, cuCtxSetCurrent(context));
  CUdeviceptr address = 0;
  EXPECT_CU(CUDA_SUCCESS, cuMemAlloc(&address, 4));
  EXPECT_CU(CUDA_SUCCESS, cuDevicePrimaryCtxReset(0));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuMemFree(address));
  EXPECT_CU(CUDA_SUCCESS, cuMemAlloc(&address, 4));
  EXPECT_CU(CUDA_SUCCESS, cuDevicePrimaryCtxRelease(0));
}

TEST(SeveralDevices, HaveTheirOwnContextsAndAccounts) {
  InProcess({{"GPU_EMULATOR_DEVICES", "2"}}, [] {
    ASSERT_CU(cuInit(0));
    CUcontext contexts[2];
    CUdeviceptr memory[2];
    CUfunction add[2];
    for (int i = 0; i < 2; ++i) {
      ASSERT_CU(cuCtxCreate(&contexts[i], nullptr, 0, i));
      memory[i] = ToDevice<std::uint32_t>({100u * i});
      add[i] = FunctionOf(Load(AddModule()), "add");
    }
    int ordinal = -1;
    EXPECT_CU(CUDA_SUCCESS, cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, memory[1]));
    EXPECT_EQ(1, ordinal);
    // Functions belong to a context.
    EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, Launch(add[0], {.threads = 1}, memory[1], memory[1], 1u));
    for (int i = 0; i < 2; ++i) {
      EXPECT_CU(CUDA_SUCCESS, cuCtxSetCurrent(contexts[i]));
      EXPECT_CU(CUDA_SUCCESS, Launch(add[i], {.threads = 1}, memory[i], memory[i], 7u));
      EXPECT_EQ(100u * i + 7, FromDevice<std::uint32_t>(memory[i], 1)[0]);
    }
    EXPECT_CU(CUDA_SUCCESS, cuMemcpyPeer(memory[0], contexts[0], memory[1], contexts[1], 4));
    EXPECT_EQ(107u, FromDevice<std::uint32_t>(memory[0], 1)[0]);
    EXPECT_CU(CUDA_SUCCESS, cuCtxEnablePeerAccess(contexts[0], 0));
    EXPECT_CU(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, cuCtxEnablePeerAccess(contexts[0], 0));
    EXPECT_CU(CUDA_SUCCESS, cuCtxDisablePeerAccess(contexts[0]));
    EXPECT_CU(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, cuCtxDisablePeerAccess(contexts[0]));
    // What one device uses is not taken from the other.
    std::size_t free_bytes[2], total = 0;
    CUdeviceptr big = 0;
    EXPECT_CU(CUDA_SUCCESS, cuMemAlloc(&big, std::size_t{1} << 30));
    for (int i = 0; i < 2; ++i) {
      EXPECT_CU(CUDA_SUCCESS, cuCtxSetCurrent(contexts[i]));
      EXPECT_CU(CUDA_SUCCESS, cuMemGetInfo(&free_bytes[i], &total));
    }
    EXPECT_GE(free_bytes[0], free_bytes[1] + (std::size_t{1} << 30));
  });
}

}  // namespace
}  // namespace emu::testing
