// cuInit, the environment, and what the devices say of themselves.
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/emulator/driver/gpu.h"

namespace emu::testing {
namespace {

// What a process says on stderr while cuInit fails with `result`.
void InitSays(const Variables& variables, CUresult result, const std::string& sentence) {
  InProcess(variables, [&] {
    ::testing::internal::CaptureStderr();
    const CUresult got = cuInit(0);
    const std::string said = ::testing::internal::GetCapturedStderr();
    EXPECT_CU(result, got);
    EXPECT_EQ(sentence, said);
    int count = -1;
    EXPECT_CU(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGetCount(&count));
  });
}

TEST(Init, NothingWorksBefore) {
  InProcess({}, [] {
    int count = 0;
    CUcontext context = nullptr;
    CUdeviceptr address = 0;
    EXPECT_CU(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGetCount(&count));
    EXPECT_CU(CUDA_ERROR_NOT_INITIALIZED, cuCtxGetCurrent(&context));
    EXPECT_CU(CUDA_ERROR_NOT_INITIALIZED, cuMemAlloc(&address, 4));
    EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuInit(1));
    EXPECT_CU(CUDA_SUCCESS, cuInit(0));
    EXPECT_CU(CUDA_SUCCESS, cuInit(0));
    EXPECT_CU(CUDA_SUCCESS, cuDeviceGetCount(&count));
    EXPECT_EQ(1, count);
  });
}

TEST(Init, TheVersionNeedsNone) {
  InProcess({}, [] {
    int version = 0;
    EXPECT_CU(CUDA_SUCCESS, cuDriverGetVersion(&version));
    EXPECT_EQ(13000, version);
    EXPECT_EQ(1, emulator_version());
  });
}

TEST(Init, RefusesWhatTheVariablesCannotBe) {
  InitSays({{"GPU_EMULATOR_PROFILE", "gtx1080"}}, CUDA_ERROR_INVALID_VALUE,
           "emulator: GPU_EMULATOR_PROFILE is \"gtx1080\"; it must be one of a100, rtx4090, rtx5070ti, h100, "
           "h200\n");
  InitSays({{"GPU_EMULATOR_PROFILE", ""}}, CUDA_ERROR_INVALID_VALUE,
           "emulator: GPU_EMULATOR_PROFILE is \"\"; it must be one of a100, rtx4090, rtx5070ti, h100, h200\n");
  InitSays({{"GPU_EMULATOR_DEVICES", "65"}}, CUDA_ERROR_INVALID_VALUE,
           "emulator: GPU_EMULATOR_DEVICES is \"65\"; it must be a whole number up to 64\n");
  InitSays({{"GPU_EMULATOR_DEVICES", "two"}}, CUDA_ERROR_INVALID_VALUE,
           "emulator: GPU_EMULATOR_DEVICES is \"two\"; it must be a whole number up to 64\n");
  InitSays({{"GPU_EMULATOR_SEED", "-1"}}, CUDA_ERROR_INVALID_VALUE,
           "emulator: GPU_EMULATOR_SEED is \"-1\"; it must be a whole number up to 18446744073709551615\n");
  InitSays({{"GPU_EMULATOR_SEED", "7x"}}, CUDA_ERROR_INVALID_VALUE,
           "emulator: GPU_EMULATOR_SEED is \"7x\"; it must be a whole number up to 18446744073709551615\n");
  InitSays({{"GPU_EMULATOR_SMS", "0"}}, CUDA_ERROR_INVALID_VALUE,
           "emulator: GPU_EMULATOR_SMS is \"0\"; it must be a whole number from 1 up to 132\n");
  InitSays({{"GPU_EMULATOR_SMS", "71"}, {"GPU_EMULATOR_PROFILE", "rtx5070ti"}}, CUDA_ERROR_INVALID_VALUE,
           "emulator: GPU_EMULATOR_SMS is \"71\"; it must be a whole number from 1 up to 70\n");
  InitSays({{"GPU_EMULATOR_DEVICES", "0"}}, CUDA_ERROR_NO_DEVICE, "");
}

TEST(Init, TakesTheLastSeedThereIs) {
  InProcess({{"GPU_EMULATOR_SEED", "18446744073709551615"}}, [] { EXPECT_CU(CUDA_SUCCESS, cuInit(0)); });
}

int AttributeOf(CUdevice_attribute attribute, CUdevice device = 0) {
  int value = -1;
  EXPECT_CU(CUDA_SUCCESS, cuDeviceGetAttribute(&value, attribute, device)) << attribute;
  return value;
}

// From NVIDIA's documents: the CUDA C++ Programming Guide's table of compute capabilities, and the architecture whitepapers.
struct Expected {
  const char* key;
  const char* name;
  int major, minor, sms, threads_per_sm, blocks_per_sm, shared_per_sm, shared_optin, l2_mib, bus_bits;
  int memory_gib;  // as it is sold; the firmware keeps some
  bool clusters;
};
constexpr Expected kExpected[] = {
    {"a100", "A100", 8, 0, 108, 2048, 32, 164, 163, 40, 5120, 80, false},
    {"rtx4090", "RTX 4090", 8, 9, 128, 1536, 24, 100, 99, 72, 384, 24, false},
    {"rtx5070ti", "RTX 5070 Ti", 12, 0, 70, 1536, 24, 100, 99, 48, 256, 16, true},
    {"h100", "H100", 9, 0, 132, 2048, 32, 228, 227, 50, 5120, 80, true},
    {"h200", "H200", 9, 0, 132, 2048, 32, 228, 227, 60, 6144, 141, true},
};

class Profiles : public ::testing::TestWithParam<Expected> {};

TEST_P(Profiles, SaysWhatTheCardSays) {
  const Expected& card = GetParam();
  InProcess({{"GPU_EMULATOR_PROFILE", card.key}}, [&] {
    ASSERT_CU(cuInit(0));
    char name[100] = {};
    EXPECT_CU(CUDA_SUCCESS, cuDeviceGetName(name, sizeof name, 0));
    EXPECT_NE(nullptr, std::strstr(name, card.name)) << name;
    EXPECT_NE(nullptr, std::strstr(name, "emulated")) << name;
    int major = 0, minor = 0;
    EXPECT_CU(CUDA_SUCCESS, cuDeviceComputeCapability(&major, &minor, 0));
    EXPECT_EQ(std::pair(card.major, card.minor), std::pair(major, minor));
    EXPECT_EQ(card.major, AttributeOf(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR));
    EXPECT_EQ(card.minor, AttributeOf(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
    EXPECT_EQ(card.sms, AttributeOf(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
    EXPECT_EQ(card.threads_per_sm, AttributeOf(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR));
    EXPECT_EQ(card.blocks_per_sm, AttributeOf(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR));
    EXPECT_EQ(card.shared_per_sm * 1024, AttributeOf(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR));
    EXPECT_EQ(card.shared_optin * 1024, AttributeOf(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
    EXPECT_EQ(48 * 1024, AttributeOf(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK));
    EXPECT_EQ(1024, AttributeOf(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK));
    EXPECT_EQ(65536, AttributeOf(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR));
    EXPECT_EQ(card.l2_mib << 20, AttributeOf(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
    EXPECT_EQ(card.bus_bits, AttributeOf(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH));
    EXPECT_EQ(card.clusters, AttributeOf(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH));
    EXPECT_EQ(card.clusters, AttributeOf(CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED));
    std::size_t bytes = 0;
    EXPECT_CU(CUDA_SUCCESS, cuDeviceTotalMem(&bytes, 0));
    EXPECT_LE(bytes, std::size_t(card.memory_gib) << 30);
    EXPECT_GE(bytes, (std::size_t(card.memory_gib) << 30) / 100 * 96);
  });
}

INSTANTIATE_TEST_SUITE_P(All, Profiles, ::testing::ValuesIn(kExpected),
                         [](const auto& info) { return std::string(info.param.key); });

TEST(Devices, HaveAsManyMultiprocessorsAsAsked) {
  InProcess({{"GPU_EMULATOR_SMS", "6"}}, [] {
    ASSERT_CU(cuInit(0));
    EXPECT_EQ(6, AttributeOf(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  });
}

TEST(Devices, AreAsManyAsAsked) {
  InProcess({{"GPU_EMULATOR_DEVICES", "3"}, {"GPU_EMULATOR_PROFILE", "rtx4090"}}, [] {
    ASSERT_CU(cuInit(0));
    int count = 0;
    EXPECT_CU(CUDA_SUCCESS, cuDeviceGetCount(&count));
    ASSERT_EQ(3, count);
    std::map<std::string, int> uuids, buses;
    for (int i = 0; i < count; ++i) {
      CUdevice device = -1;
      EXPECT_CU(CUDA_SUCCESS, cuDeviceGet(&device, i));
      CUuuid uuid;
      EXPECT_CU(CUDA_SUCCESS, cuDeviceGetUuid(&uuid, device));
      ++uuids[std::string(uuid.bytes, sizeof uuid.bytes)];
      char bus[20];
      EXPECT_CU(CUDA_SUCCESS, cuDeviceGetPCIBusId(bus, sizeof bus, device));
      ++buses[bus];
      CUdevice found = -1;
      EXPECT_CU(CUDA_SUCCESS, cuDeviceGetByPCIBusId(&found, bus));
      EXPECT_EQ(device, found);
    }
    EXPECT_EQ(3u, uuids.size());
    EXPECT_EQ(3u, buses.size());
    CUdevice none = 0;
    EXPECT_CU(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&none, 3));
    EXPECT_CU(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&none, -1));
    int can = -1;
    EXPECT_CU(CUDA_SUCCESS, cuDeviceCanAccessPeer(&can, 0, 2));
    EXPECT_EQ(1, can);
  });
}

TEST(Devices, RefuseWhatTheyCannotAnswer) {
  InProcess({}, [] {
    ASSERT_CU(cuInit(0));
    int value = 0;
    EXPECT_CU(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 1));
    EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuDeviceGetAttribute(nullptr, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
    EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAX, 0));
    char name[5];
    EXPECT_CU(CUDA_SUCCESS, cuDeviceGetName(name, sizeof name, 0));
    EXPECT_STREQ("NVID", name);
    EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuDeviceGetPCIBusId(name, sizeof name, 0));
  });
}

std::string WriteFile(const std::string& name, const std::string& text) {
  const std::string path = ::testing::TempDir() + name;
  std::ofstream(path) << text;
  return path;
}

TEST(Replacement, TakesThePlaceOfKernelsOfTheSameName) {
  const std::string other = Module(Kernel("add", kAddParams, R"(
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, 77;
  st.global.u32 [%rd1], %r1;
  ret;)"),
                                   "sm_80");
  InProcess({{"GPU_EMULATOR_PTX", WriteFile("other.ptx", other)}}, [] {
    Start();
    const CUmodule module = Load(AddModule() + Kernel("same", kAddParams, kAddBody));
    const CUdeviceptr in = ToDevice<std::uint32_t>({1}), out = ToDevice<std::uint32_t>({0});
    EXPECT_CU(CUDA_SUCCESS, Launch(FunctionOf(module, "add"), {.threads = 1}, out, in, 5u));
    EXPECT_EQ(77u, FromDevice<std::uint32_t>(out, 1)[0]);
    EXPECT_CU(CUDA_SUCCESS, Launch(FunctionOf(module, "same"), {.threads = 1}, out, in, 5u));
    EXPECT_EQ(6u, FromDevice<std::uint32_t>(out, 1)[0]);
  });
}

TEST(Replacement, IsRefusedWhenItCannotBeRead) {
  InitSays({{"GPU_EMULATOR_PTX", "/nowhere/file.ptx"}}, CUDA_ERROR_INVALID_VALUE,
           "emulator: GPU_EMULATOR_PTX is \"/nowhere/file.ptx\", which is no file of PTX that can be read\n");
}

TEST(ReportFile, GetsEveryReport) {
  const std::string path = WriteFile("report.txt", "before\n");
  InProcess({{"GPU_EMULATOR_REPORT", path}}, [&] {
    Start();
    const CUfunction add = FunctionOf(Load(AddModule()), "add");
    const CUdeviceptr in = ToDevice<std::uint32_t>({1});
    EXPECT_CU(CUDA_SUCCESS, Launch(add, {.threads = 2}, in, in, 5u));
    EXPECT_CU(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    EXPECT_EQ("before\n" + LastReport(), text.str());
    EXPECT_NE(std::string::npos, text.str().find("in add, PTX line "));
  });
}

}  // namespace
}  // namespace emu::testing
