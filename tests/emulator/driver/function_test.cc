// What kernels need and how many blocks of them fit.
#include "tests/emulator/driver/gpu.h"

namespace emu::testing {
namespace {

int AttributeOf(CUfunction function, CUfunction_attribute attribute) {
  int value = -1;
  EXPECT_CU(CUDA_SUCCESS, cuFuncGetAttribute(&value, attribute, function)) << attribute;
  return value;
}

std::string Bounded(const std::string& name, const std::string& directives, const std::string& body = "ret;") {
  return ".visible .entry " + name + "()\n" + directives + "\n{\n.reg .b32 %r<4>;\n" + body + "\n}\n";
}

TEST_F(Gpu, FunctionsHaveAttributes) {
  const CUmodule module = Load(Header() + Bounded("bounds", ".maxntid 256, 1, 1 .minnctapersm 2") +
                               Bounded("exact", ".reqntid 64, 2, 1") + Bounded("registers", ".maxnreg 40") +
                               Bounded("memory", "",
                                       ".local .align 8 .b8 mine[24];\n.shared .align 16 .b8 ours[1000];\n"
                                       "mov.u32 %r1, ours; mov.u32 %r1, mine; ret;") +
                               Bounded("cluster", ".reqnctapercluster 4, 2, 1"));
  EXPECT_EQ(256, AttributeOf(FunctionOf(module, "bounds"), CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
  EXPECT_EQ(128, AttributeOf(FunctionOf(module, "exact"), CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
  EXPECT_EQ(1024, AttributeOf(FunctionOf(module, "memory"), CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
  EXPECT_EQ(40, AttributeOf(FunctionOf(module, "registers"), CU_FUNC_ATTRIBUTE_NUM_REGS));
  EXPECT_LE(AttributeOf(FunctionOf(module, "bounds"), CU_FUNC_ATTRIBUTE_NUM_REGS), 128);
  const CUfunction memory = FunctionOf(module, "memory");
  EXPECT_EQ(1000, AttributeOf(memory, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
  EXPECT_GE(AttributeOf(memory, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES), 24);
  EXPECT_EQ(49152 - 1000, AttributeOf(memory, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES));
  EXPECT_EQ(90, AttributeOf(memory, CU_FUNC_ATTRIBUTE_PTX_VERSION));
  EXPECT_EQ(90, AttributeOf(memory, CU_FUNC_ATTRIBUTE_BINARY_VERSION));
  const CUfunction cluster = FunctionOf(module, "cluster");
  EXPECT_EQ(4, AttributeOf(cluster, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH));
  EXPECT_EQ(2, AttributeOf(cluster, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT));
  EXPECT_EQ(1, AttributeOf(cluster, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH));
  EXPECT_EQ(0, AttributeOf(memory, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH));
  int value = 0;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX, memory));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuFuncSetAttribute(memory, CU_FUNC_ATTRIBUTE_NUM_REGS, 10));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE,
            cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, reinterpret_cast<CUfunction>(&value)));
}

TEST_F(Gpu, SharedMemoryBeyond48KNeedsTheAttribute) {
  const CUmodule module = Load(Header() + Bounded("none", "") +
                               Bounded("some", "", ".shared .b8 ours[1024]; mov.u32 %r1, ours; ret;"));
  const CUfunction none = FunctionOf(module, "none"), some = FunctionOf(module, "some");
  EXPECT_CU(CUDA_SUCCESS, Launch(none, {.shared = 49152}));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, Launch(none, {.shared = 49153}));
  EXPECT_CU(CUDA_SUCCESS, Launch(some, {.shared = 48128}));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, Launch(some, {.shared = 48129}));
  // 227 KB in all.
  const auto attribute = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
  EXPECT_CU(CUDA_SUCCESS, cuFuncSetAttribute(none, attribute, 232448));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuFuncSetAttribute(none, attribute, 232449));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuFuncSetAttribute(none, attribute, -1));
  EXPECT_CU(CUDA_SUCCESS, cuFuncSetAttribute(some, attribute, 231424));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuFuncSetAttribute(some, attribute, 231425));
  EXPECT_EQ(231424, AttributeOf(some, attribute));
  EXPECT_CU(CUDA_SUCCESS, Launch(none, {.shared = 232448}));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, Launch(none, {.shared = 232449}));
  EXPECT_CU(CUDA_SUCCESS, Launch(some, {.shared = 231424}));
  EXPECT_CU(CUDA_SUCCESS, cuCtxSynchronize());
}

int Fit(CUfunction function, int threads, std::size_t shared = 0) {
  int blocks = -1;
  EXPECT_CU(CUDA_SUCCESS, cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, threads, shared));
  return blocks;
}

// By hand, for an SM with 2048 threads, 32 blocks, 65536 registers, 228 KB of which each block takes 1 KB more than it asks.
TEST_F(Gpu, BlocksFitByTheScarcest) {
  const CUmodule module = Load(Header() + Bounded("light", ".maxnreg 16") + Bounded("forty", ".maxnreg 40") +
                               Bounded("heavy", ".maxntid 256, 1, 1 .maxnreg 168") +
                               Bounded("huge", ".maxntid 128, 1, 1 .maxnreg 255"));
  const CUfunction light = FunctionOf(module, "light"), forty = FunctionOf(module, "forty");
  const CUfunction heavy = FunctionOf(module, "heavy"), huge = FunctionOf(module, "huge");
  EXPECT_EQ(32, Fit(light, 32)) << "blocks";
  EXPECT_EQ(32, Fit(light, 64));
  EXPECT_EQ(21, Fit(light, 96)) << "threads: 2048 / 96";
  EXPECT_EQ(2, Fit(light, 1024));
  EXPECT_EQ(2, Fit(light, 993)) << "whole warps";
  // 40 registers: 1280 a warp; 65536 / 1280 = 51 warps.
  EXPECT_EQ(6, Fit(forty, 256));
  EXPECT_EQ(1, Fit(forty, 1024));
  // 168 registers: 5376 a warp; 12 warps.
  EXPECT_EQ(1, Fit(heavy, 256));
  EXPECT_EQ(3, Fit(heavy, 128));
  EXPECT_EQ(0, Fit(heavy, 257)) << "more than its bound";
  // 255 are given out as 256: 8192 a warp; 8 warps.
  EXPECT_EQ(2, Fit(huge, 128));
  EXPECT_EQ(1, Fit(light, 128, 232448)) << "227 KB and 1 KB: all of it";
  EXPECT_EQ(0, Fit(light, 128, 232449));
  EXPECT_EQ(2, Fit(light, 128, 113 * 1024)) << "2 (113 + 1) = 228";
  EXPECT_EQ(1, Fit(light, 128, 113 * 1024 + 1)) << "shared memory goes by 128 bytes";
  EXPECT_EQ(4, Fit(light, 128, 56 * 1024));
  int blocks = 0;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, light, 0, 0));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, light, 1, 0));
  std::size_t bytes = 0;
  EXPECT_CU(CUDA_SUCCESS, cuOccupancyAvailableDynamicSMemPerBlock(&bytes, light, 2, 128));
  EXPECT_EQ(113u * 1024, bytes);
  EXPECT_EQ(2, Fit(light, 128, bytes));
  EXPECT_CU(CUDA_SUCCESS, cuOccupancyAvailableDynamicSMemPerBlock(&bytes, light, 1, 128));
  EXPECT_EQ(227u * 1024, bytes);
  // 256 threads: 8 blocks. 1024: 2. Both are full; the larger block is the answer.
  int grid = 0, block = 0;
  EXPECT_CU(CUDA_SUCCESS, cuOccupancyMaxPotentialBlockSize(&grid, &block, light, nullptr, 0, 0));
  EXPECT_EQ(1024, block);
  EXPECT_EQ(2 * 132, grid);
  EXPECT_CU(CUDA_SUCCESS, cuOccupancyMaxPotentialBlockSize(&grid, &block, light, nullptr, 0, 512));
  EXPECT_EQ(512, block);
  EXPECT_EQ(4 * 132, grid);
}

// An SM of compute capability 8.9: 1536 threads, 24 blocks, 100 KB.
TEST(Occupancy, IsTheDevices) {
  InProcess({{"GPU_EMULATOR_PROFILE", "rtx4090"}}, [] {
    Start();
    const CUfunction light = FunctionOf(Load(Module(Bounded("light", ".maxnreg 16"), "sm_80")), "light");
    EXPECT_EQ(24, Fit(light, 32));
    EXPECT_EQ(1, Fit(light, 1024));
    EXPECT_EQ(2, Fit(light, 768));
    EXPECT_EQ(2, Fit(light, 128, 49 * 1024));
    EXPECT_EQ(1, Fit(light, 128, 99 * 1024));
    CUlaunchConfig config{};
    int clusters = 0;
    EXPECT_CU(CUDA_ERROR_NOT_SUPPORTED, cuOccupancyMaxPotentialClusterSize(&clusters, light, &config));
  });
}

TEST_F(Gpu, ClustersFit) {
  const CUfunction light = FunctionOf(Load(Header() + Bounded("light", ".maxnreg 16")), "light");
  ASSERT_CU(cuFuncSetAttribute(light, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 200 * 1024));
  CUlaunchAttribute attribute{};
  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute.value.clusterDim = {2, 1, 1};
  CUlaunchConfig config{};
  config.gridDimX = 2, config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = 128, config.blockDimY = config.blockDimZ = 1;
  config.sharedMemBytes = 200 * 1024;
  config.attrs = &attribute;
  config.numAttrs = 1;
  int clusters = 0;
  EXPECT_CU(CUDA_SUCCESS, cuOccupancyMaxActiveClusters(&clusters, light, &config));
  EXPECT_EQ(66, clusters) << "132 SMs, one block each";
  int size = 0;
  EXPECT_CU(CUDA_SUCCESS, cuOccupancyMaxPotentialClusterSize(&size, light, &config));
  EXPECT_EQ(8, size);
  EXPECT_CU(CUDA_SUCCESS, cuFuncSetAttribute(light, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
  EXPECT_CU(CUDA_SUCCESS, cuOccupancyMaxPotentialClusterSize(&size, light, &config));
  EXPECT_EQ(16, size);
}

}  // namespace
}  // namespace emu::testing
