// Programmatic dependent launch, in streams and graphs.
#include "tests/emulator/driver/gpu.h"

namespace emu::testing {
namespace {

// Says early that the next may start, then works, then leaves 1 in the word of its block.
constexpr char kPrimary[] = R"(
  griddepcontrol.launch_dependents;
  ld.param.u64 %rd1, [words];
  mov.u32 %r1, 0;
WORK:
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p1, %r1, 3000;
  @%p1 bra WORK;
  mov.u32 %r2, %ctaid.x;
  mul.wide.u32 %rd2, %r2, 4;
  add.u64 %rd1, %rd1, %rd2;
  st.global.u32 [%rd1], 1;
  ret;)";
// The sum of 4 words, at once or after the wait.
std::string Dependent(const std::string& wait) {
  return wait + R"(
  ld.param.u64 %rd1, [words];
  ld.global.u32 %r1, [%rd1];
  ld.global.u32 %r2, [%rd1+4];
  ld.global.u32 %r3, [%rd1+8];
  ld.global.u32 %r4, [%rd1+12];
  add.u32 %r1, %r1, %r2;
  add.u32 %r3, %r3, %r4;
  add.u32 %r1, %r1, %r3;
  st.global.u32 [%rd1+16], %r1;
  ret;)";
}

std::string Kernels() {
  const std::string words = ".param .u64 words";
  return Module(Kernel("primary", words, kPrimary) + Kernel("hasty", words, Dependent("")) +
                Kernel("patient", words, Dependent("griddepcontrol.wait;")));
}

enum class By { kStream, kGraph };

// How many of the primary's four blocks the dependent kernel saw done, over several rounds: the fewest.
std::uint32_t FewestSeen(const char* dependent, bool programmatic, By by) {
  Start();
  const CUmodule module = Load(Kernels());
  const CUfunction first = FunctionOf(module, "primary"), second = FunctionOf(module, dependent);
  CUstream stream = nullptr;
  EXPECT_CU(CUDA_SUCCESS, cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  const CUdeviceptr words = ToDevice(std::vector<std::uint32_t>(5));
  CUgraphExec executable = nullptr;
  if (by == By::kGraph) {
    EXPECT_CU(CUDA_SUCCESS, cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  }
  std::uint32_t fewest = 4;
  for (int round = 0; round < 10; ++round) {
    if (by == By::kStream || round == 0) {
      EXPECT_CU(CUDA_SUCCESS, cuMemsetD32Async(words, 0, 5, stream));
      EXPECT_CU(CUDA_SUCCESS, Launch(first, {.blocks = 4, .threads = 1, .stream = stream}, words));
      EXPECT_CU(
          CUDA_SUCCESS,
          Launch(second, {.blocks = 1, .threads = 1, .programmatic = programmatic, .stream = stream}, words));
    }
    if (by == By::kGraph && round == 0) {
      CUgraph graph = nullptr;
      EXPECT_CU(CUDA_SUCCESS, cuStreamEndCapture(stream, &graph));
      EXPECT_CU(CUDA_SUCCESS, cuGraphInstantiate(&executable, graph, 0));
    }
    if (by == By::kGraph) {
      EXPECT_CU(CUDA_SUCCESS, cuGraphLaunch(executable, stream));
    }
    EXPECT_CU(CUDA_SUCCESS, cuStreamSynchronize(stream));
    fewest = std::min(fewest, FromDevice<std::uint32_t>(words, 5)[4]);
  }
  return fewest;
}

class DependentLaunch : public ::testing::TestWithParam<By> {};

TEST_P(DependentLaunch, WithoutTheAttributeComesAfterTheEnd) {
  for (const char* seed : {"0", "1", "2", "3"}) {
    InProcess({{"GPU_EMULATOR_SEED", seed}}, [] { EXPECT_EQ(4u, FewestSeen("hasty", false, GetParam())); });
  }
}

TEST_P(DependentLaunch, ThatWaitsSeesAll) {
  for (const char* seed : {"0", "1", "2", "3"}) {
    InProcess({{"GPU_EMULATOR_SEED", seed}}, [] { EXPECT_EQ(4u, FewestSeen("patient", true, GetParam())); });
  }
}

TEST_P(DependentLaunch, ThatDoesNotWaitIsCaughtOut) {
  for (const char* seed : {"1", "3"}) {
    InProcess({{"GPU_EMULATOR_SEED", seed}}, [] { EXPECT_LT(FewestSeen("hasty", true, GetParam()), 4u); });
  }
}

TEST(DependentLaunchBefore90, RunsOneAfterTheOther) {
  InProcess({{"GPU_EMULATOR_SEED", "1"}, {"GPU_EMULATOR_PROFILE", "rtx4090"}}, [] {
    Start();
    // Without griddepcontrol, which these devices do not have.
    const CUfunction add = FunctionOf(Load(AddModule()), "add");
    const CUdeviceptr word = ToDevice<std::uint32_t>({0});
    for (int i = 0; i < 10; ++i)
      EXPECT_CU(CUDA_SUCCESS, Launch(add, {.threads = 1, .programmatic = true}, word, word, 1u));
    EXPECT_EQ(10u, FromDevice<std::uint32_t>(word, 1)[0]);
  });
}

INSTANTIATE_TEST_SUITE_P(By, DependentLaunch, ::testing::Values(By::kStream, By::kGraph),
                         [](const auto& info) { return info.param == By::kStream ? "Stream" : "Graph"; });

}  // namespace
}  // namespace emu::testing
