// What a launch is checked for, and what it runs.
#include <set>

#include "tests/emulator/driver/gpu.h"

namespace emu::testing {
namespace {

std::string Entry(const std::string& name, const std::string& directives, const std::string& body = "ret;") {
  return ".visible .entry " + name + "()\n" + directives + "\n{\n" + body + "\n}\n";
}

// The grid and the cluster as its first thread sees them, into 7 words.
constexpr char kShape[] = R"(
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %nctaid.x; st.global.u32 [%rd1], %r1;
  mov.u32 %r1, %nctaid.y; st.global.u32 [%rd1+4], %r1;
  mov.u32 %r1, %ntid.x; st.global.u32 [%rd1+8], %r1;
  mov.u32 %r1, %ntid.z; st.global.u32 [%rd1+12], %r1;
  mov.u32 %r1, %cluster_nctaid.x; st.global.u32 [%rd1+16], %r1;
  mov.u32 %r1, %cluster_nctarank; st.global.u32 [%rd1+20], %r1;
  mov.u32 %r1, %dynamic_smem_size; st.global.u32 [%rd1+24], %r1;
  ret;)";

class Launches : public Gpu {
 protected:
  CUresult Try(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
               unsigned bz) {
    return cuLaunchKernel(function, gx, gy, gz, bx, by, bz, 0, nullptr, nullptr, nullptr);
  }
};

TEST_F(Launches, TellTheKernelItsShape) {
  const CUfunction shape = FunctionOf(Load(Module(Kernel("shape", ".param .u64 out", kShape))), "shape");
  const CUdeviceptr out = ToDevice(std::vector<std::uint32_t>(7));
  CUdeviceptr parameter = out;
  void* parameters[] = {&parameter};
  EXPECT_CU(CUDA_SUCCESS, cuLaunchKernel(shape, 3, 2, 1, 4, 1, 2, 100, nullptr, parameters, nullptr));
  EXPECT_EQ((std::vector<std::uint32_t>{3, 2, 4, 2, 1, 1, 100}), FromDevice<std::uint32_t>(out, 7));
  EXPECT_CU(CUDA_SUCCESS, Launch(shape, {.blocks = 8, .threads = 32, .cluster = 4}, out));
  EXPECT_EQ((std::vector<std::uint32_t>{8, 1, 32, 1, 4, 4, 0}), FromDevice<std::uint32_t>(out, 7));
}

TEST_F(Launches, AreHeldAgainstTheLimitsOfGridsAndBlocks) {
  const CUfunction empty = FunctionOf(Load(Header() + Entry("empty", "")), "empty");
  EXPECT_CU(CUDA_SUCCESS, Try(empty, 1, 1, 1, 1024, 1, 1));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, Try(empty, 1, 1, 1, 1025, 1, 1));
  EXPECT_CU(CUDA_SUCCESS, Try(empty, 1, 1, 1, 1, 1024, 1));
  EXPECT_CU(CUDA_SUCCESS, Try(empty, 1, 1, 1, 16, 1, 64));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, Try(empty, 1, 1, 1, 1, 1, 65));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, Try(empty, 1, 1, 1, 32, 33, 1)) << "1056 threads";
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, Try(empty, 0, 1, 1, 1, 1, 1));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, Try(empty, 1, 1, 1, 1, 0, 1));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, Try(empty, 1, 65536, 1, 1, 1, 1));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, Try(empty, 1, 1, 65536, 1, 1, 1));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, Try(empty, 0x80000000, 1, 1, 1, 1, 1));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, Try(nullptr, 1, 1, 1, 1, 1, 1));
  EXPECT_CU(CUDA_SUCCESS, cuCtxSynchronize());
}

TEST_F(Launches, AreHeldAgainstTheKernelsDirectives) {
  const CUmodule module = Load(Header() + Entry("most", ".maxntid 64, 2, 1") +
                               Entry("exactly", ".reqntid 32, 2, 1") + Entry("registers", ".maxnreg 96"));
  const CUfunction most = FunctionOf(module, "most"), exactly = FunctionOf(module, "exactly");
  const CUfunction registers = FunctionOf(module, "registers");
  EXPECT_CU(CUDA_SUCCESS, Try(most, 1, 1, 1, 128, 1, 1)) << "the product is the bound (PTX ISA, .maxntid)";
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, Try(most, 1, 1, 1, 129, 1, 1));
  EXPECT_CU(CUDA_SUCCESS, Try(exactly, 1, 1, 1, 32, 2, 1));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, Try(exactly, 1, 1, 1, 64, 1, 1));
  EXPECT_CU(CUDA_SUCCESS, Try(registers, 1, 1, 1, 672, 1, 1)) << "21 warps of 3072 registers";
  EXPECT_CU(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, Try(registers, 1, 1, 1, 704, 1, 1));
  EXPECT_CU(CUDA_SUCCESS, cuCtxSynchronize());
}

TEST_F(Launches, TakeParametersInBothForms) {
  const CUfunction add = FunctionOf(Load(AddModule()), "add");
  const CUdeviceptr word = ToDevice<std::uint32_t>({1});
  struct {
    CUdeviceptr out, in;
    std::uint32_t add;
  } packed{word, word, 5};
  std::size_t size = 20;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   CU_LAUNCH_PARAM_END};
  EXPECT_CU(CUDA_SUCCESS, cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
  EXPECT_EQ(6u, FromDevice<std::uint32_t>(word, 1)[0]);
  size = 19;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  void* parameters[] = {&packed.out, nullptr, &packed.add};
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
  // They are read when the launch is called, not when it runs.
  parameters[1] = &packed.in;
  EXPECT_CU(CUDA_SUCCESS, cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
  packed.add = 1000;
  EXPECT_EQ(11u, FromDevice<std::uint32_t>(word, 1)[0]);
}

TEST_F(Launches, OfClustersAreHeldAgainstTheirLimits) {
  const CUfunction empty = FunctionOf(Load(Header() + Entry("empty", "")), "empty");
  EXPECT_CU(CUDA_SUCCESS, Launch(empty, {.blocks = 16, .cluster = 8}));
  EXPECT_CU(CUDA_ERROR_INVALID_CLUSTER_SIZE, Launch(empty, {.blocks = 18, .cluster = 9}));
  EXPECT_CU(CUDA_ERROR_INVALID_CLUSTER_SIZE, Launch(empty, {.blocks = 16, .cluster = 16}));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, Launch(empty, {.blocks = 10, .cluster = 4})) << "10 is no multiple of 4";
  EXPECT_CU(CUDA_SUCCESS, cuFuncSetAttribute(empty, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
  EXPECT_CU(CUDA_SUCCESS, Launch(empty, {.blocks = 16, .cluster = 16}));
  EXPECT_CU(CUDA_ERROR_INVALID_CLUSTER_SIZE, Launch(empty, {.blocks = 17, .cluster = 17}));
  EXPECT_CU(CUDA_SUCCESS, cuCtxSynchronize());
}

TEST_F(Launches, OfClustersThatTheKernelAsksFor) {
  const CUmodule module =
      Load(Header() +
           ".visible .entry two(.param .u64 out)\n.reqnctapercluster 2, 1, 1\n"
           "{\n.reg .b32 %r<4>; .reg .b64 %rd<4>;\n" +
           kShape + "\n}\n" + Entry("explicit", ".explicitcluster") + Entry("at_most", ".maxclusterrank 4"));
  const CUfunction two = FunctionOf(module, "two"), at_most = FunctionOf(module, "at_most");
  const CUfunction explicit_cluster = FunctionOf(module, "explicit");
  const CUdeviceptr out = ToDevice(std::vector<std::uint32_t>(7));
  EXPECT_CU(CUDA_SUCCESS, Launch(two, {.blocks = 6}, out));
  EXPECT_EQ(2u, FromDevice<std::uint32_t>(out, 7)[4]);
  EXPECT_CU(CUDA_SUCCESS, Launch(two, {.blocks = 6, .cluster = 2}, out));
  EXPECT_CU(CUDA_ERROR_INVALID_CLUSTER_SIZE, Launch(two, {.blocks = 6, .cluster = 3}, out));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, Launch(two, {.blocks = 5}, out));
  EXPECT_CU(CUDA_ERROR_INVALID_CLUSTER_SIZE, Launch(explicit_cluster, {.blocks = 6}));
  EXPECT_CU(CUDA_SUCCESS, Launch(explicit_cluster, {.blocks = 6, .cluster = 1}));
  EXPECT_CU(CUDA_SUCCESS, Launch(explicit_cluster, {.blocks = 6, .cluster = 3}));
  EXPECT_CU(CUDA_SUCCESS, Launch(at_most, {.blocks = 8, .cluster = 4}));
  EXPECT_CU(CUDA_ERROR_INVALID_CLUSTER_SIZE, Launch(at_most, {.blocks = 8, .cluster = 8}));
  EXPECT_CU(CUDA_SUCCESS, cuCtxSynchronize());
}

// The API's number says little; the last report says which limit it was.
TEST_F(Launches, ThatAreRefusedLeaveAReason) {
  const CUmodule module = Load(Header() + Entry("empty", "") + Entry("exactly", ".reqntid 32, 2, 1"));
  const CUfunction empty = FunctionOf(module, "empty"), exactly = FunctionOf(module, "exactly");
  const auto reason = [](const std::string& text) {
    EXPECT_EQ("emulator: a launch of " + text + "\n", LastReport());
  };
  ::testing::internal::CaptureStderr();
  Try(empty, 1, 70000, 1, 1, 1, 1);
  reason("empty is refused: its grid is (1, 70000, 1); 1 to 2147483647, 65535 and 65535 are allowed");
  Try(empty, 1, 1, 1, 32, 33, 1);
  reason(
      "empty is refused: its blocks are (32, 33, 1); 1 to 1024, 1024 and 64 are allowed, and 1024 threads in "
      "all");
  Try(exactly, 1, 1, 1, 64, 1, 1);
  reason("exactly is refused: its blocks are (64, 1, 1); .reqntid says (32, 2, 1)");
  Launch(empty, {.shared = 50000});
  reason(
      "empty is refused: it asks for 50000 bytes of dynamic shared memory; 49152 are allowed, and more by "
      "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES");
  Launch(empty, {.blocks = 10, .cluster = 4});
  reason("empty is refused: its grid (10, 1, 1) is no multiple of its clusters (4, 1, 1)");
  Launch(empty, {.blocks = 16, .cluster = 16});
  reason("empty is refused: its clusters have 16 blocks; 8 are allowed");
  EXPECT_EQ("", ::testing::internal::GetCapturedStderr());
}

TEST(Clusters, NeedADeviceThatHasThem) {
  InProcess({{"GPU_EMULATOR_PROFILE", "a100"}}, [] {
    Start();
    const CUfunction empty = FunctionOf(Load(Module(Entry("empty", ""), "sm_80")), "empty");
    EXPECT_CU(CUDA_ERROR_NOT_SUPPORTED, Launch(empty, {.blocks = 4, .cluster = 2}));
    EXPECT_CU(CUDA_SUCCESS, Launch(empty, {.blocks = 4, .cluster = 1}));
  });
  InProcess({{"GPU_EMULATOR_PROFILE", "rtx5070ti"}}, [] {
    Start();
    const CUfunction empty = FunctionOf(Load(Module(Entry("empty", ""), "sm_90")), "empty");
    EXPECT_CU(CUDA_SUCCESS, Launch(empty, {.blocks = 8, .cluster = 8}));
    EXPECT_CU(CUDA_ERROR_INVALID_CLUSTER_SIZE, Launch(empty, {.blocks = 16, .cluster = 16}));
  });
}

// A barrier over the whole grid: every block must be there at the same time.
constexpr char kGridBarrier[] = R"(
  ld.param.u64 %rd1, [counter];
  ld.param.u32 %r1, [blocks];
  mov.u32 %r2, %tid.x;
  setp.ne.u32 %p1, %r2, 0;
  @%p1 bra DONE;
  atom.release.gpu.global.add.u32 %r3, [%rd1], 1;
WAIT:
  ld.acquire.gpu.global.u32 %r3, [%rd1];
  setp.lt.u32 %p1, %r3, %r1;
  @%p1 bra WAIT;
DONE:
  bar.sync 0;
  ret;)";

TEST_F(Launches, ThatCooperateMustFitTogether) {
  const CUmodule module =
      Load(Module(Kernel("barrier", ".param .u64 counter, .param .u32 blocks", kGridBarrier)));
  const CUfunction barrier = FunctionOf(module, "barrier");
  CUdeviceptr counter = ToDevice<std::uint32_t>({0});
  EXPECT_CU(CUDA_SUCCESS, Launch(barrier, {.blocks = 20, .threads = 64, .cooperative = true}, counter, 20u));
  EXPECT_EQ(20u, FromDevice<std::uint32_t>(counter, 1)[0]);
  // 228 KB, 200 of them for each block: one on each of 132 SMs.
  const auto attribute = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
  EXPECT_CU(CUDA_SUCCESS, cuFuncSetAttribute(barrier, attribute, 200 * 1024));
  const Grid too_large{.blocks = 133, .threads = 32, .shared = 200 * 1024, .cooperative = true};
  EXPECT_CU(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, Launch(barrier, too_large, counter, 133u));
  std::uint32_t blocks = 2;
  void* parameters[] = {&counter, &blocks};
  EXPECT_CU(CUDA_SUCCESS, cuMemsetD32(counter, 0, 1));
  EXPECT_CU(CUDA_SUCCESS, cuLaunchCooperativeKernel(barrier, 2, 1, 1, 32, 1, 1, 0, nullptr, parameters));
  EXPECT_CU(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
            cuLaunchCooperativeKernel(barrier, 133, 1, 1, 32, 1, 1, 200 * 1024, nullptr, parameters));
  EXPECT_CU(CUDA_SUCCESS, cuCtxSynchronize());
}

TEST_F(Launches, RefuseAttributesThatAreNotKnown) {
  const CUfunction empty = FunctionOf(Load(Header() + Entry("empty", "")), "empty");
  CUlaunchAttribute attribute{};
  attribute.id = static_cast<CUlaunchAttributeID>(9999);
  CUlaunchConfig config{};
  config.gridDimX = config.gridDimY = config.gridDimZ = config.blockDimX = config.blockDimY = config.blockDimZ =
      1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  EXPECT_CU(CUDA_ERROR_NOT_SUPPORTED, cuLaunchKernelEx(&config, empty, nullptr, nullptr));
  config.attrs = nullptr;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuLaunchKernelEx(&config, empty, nullptr, nullptr));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuLaunchKernelEx(nullptr, empty, nullptr, nullptr));
}

// Each of 8 warps takes a number: the order in which they came.
constexpr char kOrder[] = R"(
  .shared .align 4 .u32 next;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 st.shared.u32 [next], 0;
  bar.sync 0;
  and.b32 %r2, %r1, 31;
  setp.ne.u32 %p1, %r2, 0;
  @%p1 ret;
  atom.shared.add.u32 %r3, [next], 1;
  shr.u32 %r2, %r1, 5;
  mul.wide.u32 %rd2, %r2, 4;
  add.u64 %rd1, %rd1, %rd2;
  st.global.u32 [%rd1], %r3;
  ret;)";

// What 12 launches of one context found, and then 3 of another.
std::vector<std::vector<std::uint32_t>> OrdersWith(const std::string& seed) {
  std::vector<std::vector<std::uint32_t>> orders;
  Start();
  for (const int launches : {12, 3}) {
    const CUfunction order = FunctionOf(Load(Module(Kernel("order", ".param .u64 out", kOrder))), "order");
    const CUdeviceptr out = ToDevice(std::vector<std::uint32_t>(8));
    for (int i = 0; i < launches; ++i) {
      EXPECT_CU(CUDA_SUCCESS, Launch(order, {.threads = 256}, out)) << seed;
      orders.push_back(FromDevice<std::uint32_t>(out, 8));
    }
    Start();
  }
  return orders;
}

TEST(Seed, ZeroMakesNoChoices) {
  InProcess({{"GPU_EMULATOR_SEED", "0"}}, [] {
    const auto orders = OrdersWith("0");
    for (const auto& order : orders) EXPECT_EQ(orders[0], order);
  });
}

TEST(Seed, MakesOtherChoicesInEachLaunchAndTheSameInEachContext) {
  for (const char* seed : {"1", "2", "12345678901234567890"}) {
    InProcess({{"GPU_EMULATOR_SEED", seed}}, [&] {
      const auto orders = OrdersWith(seed);
      EXPECT_GE(std::set(orders.begin(), orders.begin() + 12).size(), 6u);
      for (int i = 0; i < 3; ++i) EXPECT_EQ(orders[i], orders[12 + i]) << i;
    });
  }
}

TEST(Seed, StartsAgainInTheSameProcess) {
  InProcess({{"GPU_EMULATOR_SEED", "5"}}, [&] {
    EXPECT_FALSE(emulator_restart(5));
    const auto first = OrdersWith("5");
    EXPECT_TRUE(emulator_restart(0));
    const auto plain = OrdersWith("0");
    for (const auto& order : plain) EXPECT_EQ(plain[0], order);
    EXPECT_TRUE(emulator_restart(5));
    EXPECT_EQ(first, OrdersWith("5"));
    EXPECT_TRUE(emulator_restart(6));
    EXPECT_NE(first, OrdersWith("6"));
  });
}

// In a context that goes on, too: its next launch is its first.
TEST(Seed, StartsAgainInTheSameContext) {
  InProcess({{"GPU_EMULATOR_SEED", "5"}}, [] {
    Start();
    const CUfunction order = FunctionOf(Load(Module(Kernel("order", ".param .u64 out", kOrder))), "order");
    const CUdeviceptr out = ToDevice(std::vector<std::uint32_t>(8));
    std::vector<std::vector<std::uint32_t>> orders[2];
    for (auto& rounds : orders) {
      EXPECT_TRUE(emulator_restart(7));
      for (int i = 0; i < 6; ++i) {
        EXPECT_CU(CUDA_SUCCESS, Launch(order, {.threads = 256}, out));
        rounds.push_back(FromDevice<std::uint32_t>(out, 8));
      }
    }
    EXPECT_EQ(orders[0], orders[1]);
  });
}

// Whether a copy into shared memory has come when it is first asked for: each launch tells.
constexpr char kLanding[] = R"(
  .shared .align 16 .b8 buffer[16];
  .shared .align 8 .b64 barrier;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [from];
  mov.u32 %r1, barrier;
  mov.u32 %r2, buffer;
  mbarrier.init.shared::cta.b64 [%r1], 1;
  fence.mbarrier_init.release.cluster;
  fence.proxy.async;
  mbarrier.arrive.expect_tx.shared::cta.b64 %rd3, [%r1], 16;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd2], 16, [%r1];
  mbarrier.test_wait.shared::cta.b64 %p1, [%r1], %rd3;
  selp.u32 %r4, 1, 0, %p1;
  st.global.u32 [%rd1], %r4;
WAIT:
  mbarrier.try_wait.shared::cta.b64 %p1, [%r1], %rd3;
  @!%p1 bra WAIT;
  ret;)";

int EarlyLandings(int launches) {
  Start();
  const std::string params = ".param .u64 out, .param .u64 from";
  const CUfunction landing = FunctionOf(Load(Module(Kernel("landing", params, kLanding))), "landing");
  const CUdeviceptr out = ToDevice<std::uint32_t>({9}), from = ToDevice<std::uint32_t>({1, 2, 3, 4});
  int early = 0;
  for (int i = 0; i < launches; ++i) {
    EXPECT_CU(CUDA_SUCCESS, Launch(landing, {.threads = 1}, out, from));
    early += static_cast<int>(FromDevice<std::uint32_t>(out, 1)[0]);
  }
  return early;
}

TEST(Seed, ZeroLandsAtOnceOneAtLastAndOthersBetween) {
  InProcess({{"GPU_EMULATOR_SEED", "0"}}, [] { EXPECT_EQ(20, EarlyLandings(20)); });
  InProcess({{"GPU_EMULATOR_SEED", "1"}}, [] { EXPECT_EQ(0, EarlyLandings(20)); });
  InProcess({{"GPU_EMULATOR_SEED", "2"}}, [] {
    const int early = EarlyLandings(20);
    EXPECT_GT(early, 0);
    EXPECT_LT(early, 20);
  });
}

}  // namespace
}  // namespace emu::testing
