// What a finding does to its context, and to nobody else.
#include <thread>

#include "tests/emulator/driver/gpu.h"

namespace emu::testing {
namespace {

constexpr char kWriteTo[] = "ld.param.u64 %rd1, [to]; st.global.u32 [%rd1], 7; ret;";

class Findings : public Gpu {
 protected:
  CUfunction Make(const std::string& body) {
    return FunctionOf(Load(Module(Kernel("k", ".param .u64 to", body))), "k");
  }
};

TEST_F(Findings, StickToTheirContext) {
  const CUfunction write = Make(kWriteTo);
  const CUdeviceptr word = ToDevice<std::uint32_t>({1});
  CUstream stream = nullptr, other = nullptr;
  CUevent event = nullptr;
  ASSERT_CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  ASSERT_CU(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
  ASSERT_CU(cuEventCreate(&event, 0));
  EXPECT_CU(CUDA_SUCCESS, Launch(write, {.threads = 1, .stream = stream}, word + 4)) << "found out later";
  EXPECT_CU(CUDA_SUCCESS, cuEventRecord(event, stream));
  EXPECT_CU(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamSynchronize(stream));
  // From now on everything says the same.
  std::uint32_t value = 0;
  CUdeviceptr address = 0;
  EXPECT_CU(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
  EXPECT_CU(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamSynchronize(other));
  EXPECT_CU(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamQuery(stream));
  EXPECT_CU(CUDA_ERROR_ILLEGAL_ADDRESS, cuEventSynchronize(event));
  EXPECT_CU(CUDA_ERROR_ILLEGAL_ADDRESS, cuEventQuery(event));
  EXPECT_CU(CUDA_ERROR_ILLEGAL_ADDRESS, cuMemcpyDtoH(&value, word, 4));
  EXPECT_CU(CUDA_ERROR_ILLEGAL_ADDRESS, cuMemAlloc(&address, 4));
  EXPECT_CU(CUDA_ERROR_ILLEGAL_ADDRESS, Launch(write, {.threads = 1}, word));
  // Another context, before and after the first one goes, is none the worse.
  const CUcontext second = Start();
  EXPECT_CU(CUDA_SUCCESS, cuCtxSynchronize());
  const CUdeviceptr mine = ToDevice<std::uint32_t>({1});
  EXPECT_CU(CUDA_SUCCESS, Launch(Make(kWriteTo), {.threads = 1}, mine));
  EXPECT_EQ(7u, FromDevice<std::uint32_t>(mine, 1)[0]);
  EXPECT_CU(CUDA_SUCCESS, cuCtxSetCurrent(context()));
  EXPECT_CU(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
  EXPECT_CU(CUDA_SUCCESS, cuCtxDestroy(second));
}

TEST_F(Findings, DropWhatIsQueuedBehindThem) {
  const CUfunction write = Make(kWriteTo);
  void* pinned = nullptr;
  ASSERT_CU(cuMemAllocHost(&pinned, 4));
  *static_cast<std::uint32_t*>(pinned) = 3;
  EXPECT_CU(CUDA_SUCCESS, Launch(write, {.threads = 1}, CUdeviceptr{0}));
  EXPECT_CU(CUDA_SUCCESS, Launch(write, {.threads = 1}, reinterpret_cast<CUdeviceptr>(pinned)));
  EXPECT_CU(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
  EXPECT_EQ(3u, *static_cast<std::uint32_t*>(pinned));
}

TEST_F(Findings, OfEachKindHaveTheDriversError) {
  const struct {
    const char* body;
    CUresult result;
    const char* words;
  } kinds[] = {
      {"st.global.u32 [0], 1; ret;", CUDA_ERROR_ILLEGAL_ADDRESS, "out of bounds in k, PTX line "},
      {"ld.param.u64 %rd1, [to]; st.global.u32 [%rd1+2], 1; ret;", CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned"},
      {"trap;", CUDA_ERROR_LAUNCH_FAILED, "trap"},
      {".shared .b32 s; ld.shared.u32 %r1, [s]; ret;", CUDA_ERROR_LAUNCH_FAILED, "s"},
      {"bar.sync 0, 64; ret;", CUDA_ERROR_LAUNCH_FAILED, "deadlock"},
  };
  for (const auto& kind : kinds) {
    const CUcontext own = Start();
    const CUdeviceptr word = ToDevice<std::uint32_t>({1, 2});
    EXPECT_CU(CUDA_SUCCESS, Launch(Make(kind.body), {.threads = 32}, word)) << kind.body;
    EXPECT_CU(kind.result, cuCtxSynchronize()) << kind.body;
    EXPECT_NE(std::string::npos, LastReport().find(kind.words)) << LastReport();
    EXPECT_CU(CUDA_SUCCESS, cuCtxDestroy(own));
  }
}

TEST_F(Findings, OfAssertionsAreTheDriversToo) {
  const CUmodule module = Load(Header() + R"(
.global .align 1 .b8 said[5] = {120, 62, 48, 63, 0};
.global .align 1 .b8 file[5] = {97, 46, 99, 117, 0};
.global .align 1 .b8 name[2] = {107, 0};
.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
)" + Kernel("k", "", R"(
  cvta.global.u64 %rd1, said;
  cvta.global.u64 %rd2, file;
  cvta.global.u64 %rd3, name;
  {
  .param .b64 a; st.param.b64 [a], %rd1;
  .param .b64 b; st.param.b64 [b], %rd2;
  .param .b32 c; st.param.b32 [c], 12;
  .param .b64 d; st.param.b64 [d], %rd3;
  .param .b64 e; st.param.b64 [e], 1;
  call.uni __assertfail, (a, b, c, d, e);
  }
  ret;)"));
  EXPECT_CU(CUDA_SUCCESS, Launch(FunctionOf(module, "k"), {}));
  EXPECT_CU(CUDA_ERROR_ASSERT, cuCtxSynchronize());
  EXPECT_NE(std::string::npos, LastReport().find("a.cu:12: k: assertion `x>0?` failed")) << LastReport();
}

TEST_F(Findings, LeaveTheirReport) {
  const CUdeviceptr word = ToDevice<std::uint32_t>({1});
  ::testing::internal::CaptureStderr();
  EXPECT_CU(CUDA_SUCCESS, Launch(Make(kWriteTo), {.blocks = 3, .threads = 1}, word + 8));
  EXPECT_CU(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(said, LastReport());
  for (const char* part :
       {"emulator: out of bounds in k, PTX line 7", "st.global.u32", "thread (0, 0, 0)",
        "4 bytes past the end of the allocation of 4 bytes", "GPU_EMULATOR_SEED=0", "launches so far: 1"}) {
    EXPECT_NE(std::string::npos, said.find(part)) << part << " is not in\n" << said;
  }
  char start[9];
  EXPECT_EQ(said.size(), emulator_last_report(start, sizeof start));
  EXPECT_STREQ("emulator", start);
  EXPECT_EQ(said.size(), emulator_last_report(nullptr, 0));
}

TEST(PrimaryContext, IsAsNewAfterAReset) {
  InProcess({}, [] {
    ASSERT_CU(cuInit(0));
    CUcontext context = nullptr;
    ASSERT_CU(cuDevicePrimaryCtxRetain(&context, 0));
    ASSERT_CU(cuCtxSetCurrent(context));
    const std::string text = Module(Kernel("k", ".param .u64 to", kWriteTo));
    EXPECT_CU(CUDA_SUCCESS, Launch(FunctionOf(Load(text), "k"), {.threads = 1}, CUdeviceptr{0}));
    EXPECT_CU(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
    EXPECT_CU(CUDA_SUCCESS, cuDevicePrimaryCtxReset(0));
    const CUdeviceptr word = ToDevice<std::uint32_t>({1});
    EXPECT_CU(CUDA_SUCCESS, Launch(FunctionOf(Load(text), "k"), {.threads = 1}, word));
    EXPECT_EQ(7u, FromDevice<std::uint32_t>(word, 1)[0]);
  });
}

// Two host threads, each with its own context and stream, launch and copy at once.
TEST(Threads, DoNotDisturbEachOther) {
  InProcess({{"GPU_EMULATOR_SEED", "7"}}, [] {
    ASSERT_CU(cuInit(0));
    const auto work = [](std::uint32_t step) {
      const CUcontext context = Start();
      const CUfunction add = FunctionOf(Load(AddModule()), "add");
      CUstream stream = nullptr;
      EXPECT_CU(CUDA_SUCCESS, cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
      const CUdeviceptr words = ToDevice(std::vector<std::uint32_t>(64));
      for (int i = 0; i < 200; ++i) {
        EXPECT_CU(CUDA_SUCCESS,
                  Launch(add, {.blocks = 2, .threads = 32, .stream = stream}, words, words, step));
        if (i % 10 == 9) {
          EXPECT_CU(CUDA_SUCCESS, cuStreamSynchronize(stream));
        }
      }
      EXPECT_CU(CUDA_SUCCESS, cuStreamSynchronize(stream));
      EXPECT_EQ(std::vector<std::uint32_t>(64, 200 * step), FromDevice<std::uint32_t>(words, 64));
      EXPECT_CU(CUDA_SUCCESS, cuCtxDestroy(context));
    };
    std::thread a(work, 1), b(work, 3);
    a.join();
    b.join();
  });
}

// Both use one context and its streams.
TEST(Threads, ShareAContext) {
  InProcess({}, [] {
    const CUcontext context = Start();
    const CUfunction add = FunctionOf(Load(AddModule()), "add");
    const CUdeviceptr word = ToDevice<std::uint32_t>({0});
    const auto work = [&] {
      EXPECT_CU(CUDA_SUCCESS, cuCtxSetCurrent(context));
      for (int i = 0; i < 200; ++i) EXPECT_CU(CUDA_SUCCESS, Launch(add, {.threads = 1}, word, word, 1u));
    };
    std::thread a(work), b(work);
    a.join();
    b.join();
    EXPECT_EQ(400u, FromDevice<std::uint32_t>(word, 1)[0]);
  });
}

}  // namespace
}  // namespace emu::testing
