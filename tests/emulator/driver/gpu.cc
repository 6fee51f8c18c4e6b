#include "tests/emulator/driver/gpu.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace emu::testing {
namespace {

constexpr const char* kVariables[] = {"GPU_EMULATOR_PROFILE", "GPU_EMULATOR_DEVICES", "GPU_EMULATOR_SEED",
                                      "GPU_EMULATOR_REPORT",  "GPU_EMULATOR_PTX",     "GPU_EMULATOR_SMS"};
constexpr const char* kChosen = "CALL_OF_IN_PROCESS";

}  // namespace

const char kAddParams[] = ".param .u64 out, .param .u64 in, .param .u32 add";
const char kAddBody[] = R"(
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [in];
  ld.param.u32 %r1, [add];
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %ntid.x;
  mad.lo.u32 %r2, %r3, %r4, %r2;
  mul.wide.u32 %rd3, %r2, 4;
  add.u64 %rd1, %rd1, %rd3;
  add.u64 %rd2, %rd2, %rd3;
  ld.global.u32 %r5, [%rd2];
  add.u32 %r5, %r5, %r1;
  st.global.u32 [%rd1], %r5;
  ret;)";

std::string Name(CUresult result) {
  const char* name = nullptr;
  return cuGetErrorName(result, &name) == CUDA_SUCCESS ? name : "CUresult " + std::to_string(result);
}

std::string LastReport() {
  std::string text(emulator_last_report(nullptr, 0) + 1, '\0');
  emulator_last_report(text.data(), text.size());
  text.pop_back();
  return text;
}

// The test binary runs again, with this test alone, and there the call with the same number runs its body.
void InProcess(const Variables& variables, const std::function<void()>& body) {
  const ::testing::TestInfo& test = *::testing::UnitTest::GetInstance()->current_test_info();
  static const ::testing::TestInfo* of_calls = nullptr;
  static int calls = 0;
  if (of_calls != &test) calls = 0;
  of_calls = &test;
  const std::string number = std::to_string(++calls);
  if (const char* chosen = std::getenv(kChosen)) {
    if (number == chosen) body();
    return;
  }
  const std::string filter = std::string("--gtest_filter=") + test.test_suite_name() + "." + test.name();
  std::fflush(nullptr);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    for (const char* name : kVariables) unsetenv(name);
    for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
    setenv(kChosen, number.c_str(), 1);
    execl("/proc/self/exe", "test", filter.c_str(), "--gtest_brief=1", nullptr);
    std::_Exit(127);
  }
  int status = 0;
  ASSERT_EQ(child, waitpid(child, &status, 0));
  ASSERT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
  EXPECT_EQ(0, WEXITSTATUS(status)) << "see what its process said";
}

std::string Header(const std::string& target) {
  return ".version 8.6\n.target " + target + "\n.address_size 64\n";
}

std::string Kernel(const std::string& name, const std::string& params, const std::string& body) {
  return ".visible .entry " + name + "(" + params +
         ")\n{\n.reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<24>; .reg .b64 %rd<16>; .reg .f32 %f<8>;\n" +
         body + "\n}\n";
}

std::string Module(const std::string& kernels, const std::string& target) { return Header(target) + kernels; }

std::string AddModule() { return Module(Kernel("add", kAddParams, kAddBody), "sm_80"); }

CUmodule Load(const std::string& text) {
  CUmodule module = nullptr;
  EXPECT_CU(CUDA_SUCCESS, cuModuleLoadData(&module, text.c_str())) << LastReport();
  return module;
}

CUfunction FunctionOf(CUmodule module, const char* name) {
  CUfunction function = nullptr;
  EXPECT_CU(CUDA_SUCCESS, cuModuleGetFunction(&function, module, name)) << name;
  return function;
}

CUresult LaunchWith(CUfunction function, const Grid& grid, std::vector<void*> parameters) {
  std::vector<CUlaunchAttribute> attributes;
  const auto add = [&](CUlaunchAttributeID id) -> CUlaunchAttributeValue& {
    attributes.push_back({});
    attributes.back().id = id;
    return attributes.back().value;
  };
  if (grid.cluster > 0) add(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION).clusterDim = {grid.cluster, 1, 1};
  if (grid.cooperative) add(CU_LAUNCH_ATTRIBUTE_COOPERATIVE).cooperative = 1;
  if (grid.programmatic)
    add(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION).programmaticStreamSerializationAllowed = 1;
  CUlaunchConfig config{};
  config.gridDimX = grid.blocks, config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = grid.threads, config.blockDimY = config.blockDimZ = 1;
  config.sharedMemBytes = grid.shared;
  config.hStream = grid.stream;
  config.attrs = attributes.data();
  config.numAttrs = static_cast<unsigned>(attributes.size());
  return cuLaunchKernelEx(&config, function, parameters.data(), nullptr);
}

CUcontext Start() {
  CUcontext context = nullptr;
  CUdevice device = 0;
  EXPECT_CU(CUDA_SUCCESS, cuInit(0));
  EXPECT_CU(CUDA_SUCCESS, cuDeviceGet(&device, 0));
  EXPECT_CU(CUDA_SUCCESS, cuCtxCreate(&context, nullptr, 0, device));
  return context;
}

void Gpu::SetUp() {
  context_ = Start();
  ASSERT_NE(nullptr, context_);
}

void Gpu::TearDown() { EXPECT_CU(CUDA_SUCCESS, cuCtxDestroy(context_)); }

}  // namespace emu::testing
