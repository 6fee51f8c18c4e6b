// Loading code: what is taken, what is refused, and what is said about it.
#include <dlfcn.h>
#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>

#include "tests/emulator/driver/fat_binaries.h"
#include "tests/emulator/driver/gpu.h"

namespace emu::testing {
namespace {

// Loads with a buffer for the JIT compiler's errors.
struct Jit {
  CUresult result;
  std::string errors;
  CUmodule module = nullptr;
};
Jit LoadWithLog(const void* image, std::size_t capacity = 1000) {
  Jit jit;
  std::vector<char> buffer(capacity, 'x');
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {buffer.data(), reinterpret_cast<void*>(capacity)};
  jit.result = cuModuleLoadDataEx(&jit.module, image, 2, options, values);
  jit.errors = std::string(buffer.data(), std::strlen(buffer.data()));
  EXPECT_EQ(jit.errors.size(), reinterpret_cast<std::size_t>(values[1]));
  return jit;
}

void ExpectAdds(CUmodule module) {
  const CUdeviceptr words = ToDevice<std::uint32_t>({40});
  EXPECT_CU(CUDA_SUCCESS, Launch(FunctionOf(module, "add"), {.threads = 1}, words, words, 2u));
  EXPECT_EQ(42u, FromDevice<std::uint32_t>(words, 1)[0]);
}

TEST_F(Gpu, LoadsText) {
  const Jit jit = LoadWithLog(AddModule().c_str());
  ASSERT_CU(jit.result);
  EXPECT_EQ("", jit.errors);
  ExpectAdds(jit.module);
  CUfunction function = nullptr;
  EXPECT_CU(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&function, jit.module, "subtract"));
  EXPECT_CU(CUDA_SUCCESS, cuModuleUnload(jit.module));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cuModuleGetFunction(&function, jit.module, "add"));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cuModuleUnload(jit.module));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuModuleLoadData(nullptr, AddModule().c_str()));
}

TEST_F(Gpu, LoadsAFile) {
  const std::string path = ::testing::TempDir() + "module.ptx";
  std::ofstream(path) << AddModule();
  CUmodule module = nullptr;
  ASSERT_CU(cuModuleLoad(&module, path.c_str()));
  ExpectAdds(module);
  EXPECT_CU(CUDA_ERROR_FILE_NOT_FOUND, cuModuleLoad(&module, "/nowhere/module.ptx"));
}

TEST_F(Gpu, LoadsFatBinaries) {
  CUmodule module = nullptr;
  ASSERT_CU(cuModuleLoadData(&module, kPlainFatBinary));
  ExpectAdds(module);
  ASSERT_CU(cuModuleLoadFatBinary(&module, kLz4FatBinary));
  ExpectAdds(module);
  // What the host code that nvcc makes has: a wrapper that points at the container.
  const struct {
    std::uint32_t magic = 0x466243b1, version = 1;
    const void* container = kPlainFatBinary;
    const void* file_name = nullptr;
  } wrapper;
  ASSERT_CU(cuModuleLoadData(&module, &wrapper));
  ExpectAdds(module);
}

TEST_F(Gpu, UnpacksZstandardWhereThereIsItsLibrary) {
  const Jit jit = LoadWithLog(kZstdFatBinary);
  if (dlopen("libzstd.so.1", RTLD_NOW) != nullptr) {
    ASSERT_CU(jit.result);
    ExpectAdds(jit.module);
  } else {
    EXPECT_CU(CUDA_ERROR_NO_BINARY_FOR_GPU, jit.result);
    EXPECT_NE(std::string::npos, jit.errors.find("--compress-mode=none")) << jit.errors;
  }
}

// Spoils the packed bytes one by one: whatever comes out, nothing is read or written that should not be.
TEST_F(Gpu, SurvivesBrokenFatBinaries) {
  std::array<unsigned char, sizeof kLz4FatBinary> broken;
  int refused = 0;
  ::testing::internal::CaptureStderr();
  for (std::size_t at = 16; at < broken.size(); ++at) {
    for (const int bit : {0, 4, 7}) {
      std::memcpy(broken.data(), kLz4FatBinary, broken.size());
      broken[at] = static_cast<unsigned char>(broken[at] ^ (1 << bit));
      CUmodule module = nullptr;
      const CUresult result = cuModuleLoadData(&module, broken.data());
      refused += result != CUDA_SUCCESS;
      if (result == CUDA_SUCCESS) {
        EXPECT_CU(CUDA_SUCCESS, cuModuleUnload(module));
      }
    }
  }
  ::testing::internal::GetCapturedStderr();
  EXPECT_GT(refused, 100);
}

// The start of a cubin is all that is looked at.
TEST_F(Gpu, RefusesCubinsQuietly) {
  Elf64_Ehdr cubin{};
  std::memcpy(cubin.e_ident, ELFMAG, SELFMAG);
  cubin.e_machine = 190;  // EM_CUDA
  ::testing::internal::CaptureStderr();
  const Jit jit = LoadWithLog(&cubin);
  CUlibrary library = nullptr;
  const CUresult as_library = cuLibraryLoadData(&library, &cubin, nullptr, nullptr, 0, nullptr, nullptr, 0);
  EXPECT_EQ("", ::testing::internal::GetCapturedStderr());
  EXPECT_CU(CUDA_ERROR_NO_BINARY_FOR_GPU, jit.result);
  EXPECT_CU(CUDA_ERROR_NO_BINARY_FOR_GPU, as_library);
  EXPECT_EQ("this is an emulated GPU: PTX only; this is a cubin", jit.errors);
  EXPECT_EQ("emulator: this is an emulated GPU: PTX only; this is a cubin\n", LastReport());
}

// One of what follows is refused, with a message that the JIT log, stderr and the last report all have.
void Refused(const std::string& text, CUresult result, const std::vector<std::string>& parts) {
  ::testing::internal::CaptureStderr();
  const Jit jit = LoadWithLog(text.c_str());
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_CU(result, jit.result) << text;
  for (const std::string& part : parts) {
    EXPECT_NE(std::string::npos, jit.errors.find(part)) << jit.errors;
    EXPECT_NE(std::string::npos, said.find(part)) << said;
    EXPECT_NE(std::string::npos, LastReport().find(part)) << LastReport();
  }
}

TEST_F(Gpu, RefusesWhatIsNoPtx) {
  Refused("", CUDA_ERROR_INVALID_IMAGE, {"neither PTX"});
  Refused("hello", CUDA_ERROR_INVALID_IMAGE, {"neither PTX"});
  Refused(Header("sm_90a") + ".visible .entry k() { ret }", CUDA_ERROR_INVALID_PTX, {"line 4"});
  Refused(Header("sm_90a") + ".visible .entry k() {", CUDA_ERROR_INVALID_PTX, {"line "});
  Refused(Header("tesla"), CUDA_ERROR_INVALID_PTX, {".target tesla"});
  Refused(".version 10.0\n.target sm_90a\n", CUDA_ERROR_UNSUPPORTED_PTX_VERSION, {"10.0"});
}

TEST_F(Gpu, CutsMessagesToTheBuffer) {
  const Jit jit = LoadWithLog("hello", 8);
  EXPECT_CU(CUDA_ERROR_INVALID_IMAGE, jit.result);
  EXPECT_EQ(7u, jit.errors.size());
}

// The device is an sm_90. "a" is for one architecture, "f" for a family, neither for all later ones (PTX ISA, ".target").
TEST_F(Gpu, RefusesTheCodeOfOtherArchitectures) {
  for (const char* target : {"sm_70", "sm_80", "sm_89", "sm_90", "sm_90a"}) {
    EXPECT_CU(CUDA_SUCCESS, LoadWithLog(Module(Kernel("k", "", "ret;"), target).c_str()).result) << target;
  }
  for (const char* target : {"sm_100", "sm_100a", "sm_120", "sm_80a"}) {
    Refused(Module(Kernel("k", "", "ret;"), target), CUDA_ERROR_NO_BINARY_FOR_GPU, {target, "sm_90"});
  }
}

TEST(Target, IsTheProfiles) {
  const auto loads = [](const char* profile, const std::vector<std::pair<const char*, bool>>& targets) {
    InProcess({{"GPU_EMULATOR_PROFILE", profile}}, [&] {
      Start();
      for (const auto& [target, runs] : targets) {
        EXPECT_CU(runs ? CUDA_SUCCESS : CUDA_ERROR_NO_BINARY_FOR_GPU,
                  LoadWithLog(Module(Kernel("k", "", "ret;"), target).c_str()).result)
            << target;
      }
    });
  };
  loads("a100", {{"sm_80", true}, {"sm_86", false}, {"sm_89", false}, {"sm_90", false}, {"sm_90a", false}});
  loads("rtx4090", {{"sm_80", true}, {"sm_86", true}, {"sm_89", true}, {"sm_90", false}});
  loads("rtx5070ti", {{"sm_90", true},
                      {"sm_90a", false},
                      {"sm_100", true},
                      {"sm_120", true},
                      {"sm_120a", true},
                      {"sm_121", false}});
}

// An instruction that is not known stops its own kernel only, and is named with its line.
TEST_F(Gpu, NamesUnknownInstructions) {
  const std::string text =
      Header() + Kernel("good", "", "ret;") + Kernel("bad", "", "\n\nfrobnicate.sync.b32 %r1, %r2;\nret;");
  const std::size_t at = text.find("frobnicate");
  const auto line =
      std::to_string(1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  const CUmodule module = Load(text);
  CUfunction function = nullptr;
  EXPECT_CU(CUDA_SUCCESS, cuModuleGetFunction(&function, module, "good"));
  EXPECT_CU(CUDA_SUCCESS, Launch(function, {}));
  EXPECT_CU(CUDA_ERROR_INVALID_PTX, cuModuleGetFunction(&function, module, "bad"));
  EXPECT_NE(std::string::npos, LastReport().find("in bad, PTX line " + line)) << LastReport();
  EXPECT_NE(std::string::npos, LastReport().find("frobnicate.sync.b32")) << LastReport();
  EXPECT_CU(CUDA_SUCCESS, cuCtxSynchronize()) << "the context is none the worse";
}

constexpr char kGlobals[] = R"(
.visible .global .align 4 .u32 counter = 41;
.global .align 8 .b8 table[24] = {1, 2, 3};
.const .align 4 .u32 limit = 7;
)";

TEST_F(Gpu, FindsVariables) {
  const CUmodule module = Load(Header() + kGlobals + Kernel("count", ".param .u64 out", R"(
  ld.global.u32 %r1, [counter];
  ld.const.u32 %r2, [limit];
  add.u32 %r1, %r1, %r2;
  st.global.u32 [counter], %r1;
  ret;)"));
  CUdeviceptr counter = 0, table = 0;
  std::size_t bytes = 0;
  ASSERT_CU(cuModuleGetGlobal(&counter, &bytes, module, "counter"));
  EXPECT_EQ(4u, bytes);
  ASSERT_CU(cuModuleGetGlobal(&table, &bytes, module, "table"));
  EXPECT_EQ(24u, bytes);
  EXPECT_EQ((std::vector<unsigned char>{1, 2, 3, 0}), FromDevice<unsigned char>(table, 4));
  EXPECT_EQ(41u, FromDevice<std::uint32_t>(counter, 1)[0]);
  EXPECT_CU(CUDA_SUCCESS, cuMemsetD32(counter, 100, 1));
  EXPECT_CU(CUDA_SUCCESS, Launch(FunctionOf(module, "count"), {.threads = 1}, table));
  EXPECT_EQ(107u, FromDevice<std::uint32_t>(counter, 1)[0]);
  EXPECT_CU(CUDA_ERROR_NOT_FOUND, cuModuleGetGlobal(&counter, &bytes, module, "nothing"));
  EXPECT_CU(CUDA_SUCCESS, cuModuleGetGlobal(nullptr, &bytes, module, "limit"));
  EXPECT_EQ(4u, bytes);
  // Each module has its own.
  const CUmodule other = Load(Header() + kGlobals);
  ASSERT_CU(cuModuleGetGlobal(&counter, &bytes, other, "counter"));
  EXPECT_EQ(41u, FromDevice<std::uint32_t>(counter, 1)[0]);
}

TEST_F(Gpu, ListsFunctions) {
  const CUmodule module =
      Load(Header() + Kernel("a", "", "ret;") + Kernel("b", ".param .u64 x, .param .u32 y", "ret;") +
           ".func helper() { ret; }\n");
  unsigned count = 0;
  EXPECT_CU(CUDA_SUCCESS, cuModuleGetFunctionCount(&count, module));
  ASSERT_EQ(2u, count);
  CUfunction functions[2];
  EXPECT_CU(CUDA_SUCCESS, cuModuleEnumerateFunctions(functions, 2, module));
  const char* name = nullptr;
  EXPECT_CU(CUDA_SUCCESS, cuFuncGetName(&name, functions[1]));
  EXPECT_STREQ("b", name);
  CUmodule of_function = nullptr;
  EXPECT_CU(CUDA_SUCCESS, cuFuncGetModule(&of_function, functions[0]));
  EXPECT_EQ(module, of_function);
  std::size_t offset = 9, bytes = 9;
  EXPECT_CU(CUDA_SUCCESS, cuFuncGetParamInfo(functions[1], 1, &offset, &bytes));
  EXPECT_EQ(8u, offset);
  EXPECT_EQ(4u, bytes);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuFuncGetParamInfo(functions[1], 2, &offset, &bytes));
}

// As with CUDA_MODULE_LOADING=LAZY, what is wrong with a library's kernel is found by who wants it; a module is refused.
TEST_F(Gpu, LibrariesReadKernelsWhenAskedFor) {
  const std::string text = AddModule() + Kernel("bad", "", "ret");
  EXPECT_CU(CUDA_ERROR_INVALID_PTX, LoadWithLog(text.c_str()).result);
  CUlibrary library = nullptr;
  ASSERT_CU(cuLibraryLoadData(&library, text.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  unsigned count = 0;
  EXPECT_CU(CUDA_SUCCESS, cuLibraryGetKernelCount(&count, library));
  EXPECT_EQ(2u, count);
  CUkernel kernel = nullptr;
  CUfunction function = nullptr;
  ASSERT_CU(cuLibraryGetKernel(&kernel, library, "bad"));
  for (int time = 0; time < 2; ++time) {
    EXPECT_CU(CUDA_ERROR_INVALID_PTX, cuKernelGetFunction(&function, kernel));
    EXPECT_NE(std::string::npos, LastReport().find("PTX line")) << LastReport();
  }
  ASSERT_CU(cuLibraryGetKernel(&kernel, library, "add"));
  ASSERT_CU(cuKernelGetFunction(&function, kernel));
  const CUdeviceptr words = ToDevice<std::uint32_t>({1});
  EXPECT_CU(CUDA_SUCCESS, Launch(function, {.threads = 1}, words, words, 1u));
  EXPECT_EQ(2u, FromDevice<std::uint32_t>(words, 1)[0]);
  EXPECT_CU(CUDA_SUCCESS, cuLibraryUnload(library));
}

TEST_F(Gpu, LibrariesServeEveryContext) {
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  ASSERT_CU(cuLibraryLoadData(&library, AddModule().c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  ASSERT_CU(cuLibraryGetKernel(&kernel, library, "add"));
  const CUcontext second = Start();
  for (const CUcontext context : {second, this->context()}) {
    EXPECT_CU(CUDA_SUCCESS, cuCtxSetCurrent(context));
    CUmodule module = nullptr;
    ASSERT_CU(cuLibraryGetModule(&module, library));
    ExpectAdds(module);
    // A kernel can stand where a function is asked for.
    const CUdeviceptr words = ToDevice<std::uint32_t>({1});
    EXPECT_CU(CUDA_SUCCESS, Launch(reinterpret_cast<CUfunction>(kernel), {.threads = 1}, words, words, 1u));
    EXPECT_EQ(2u, FromDevice<std::uint32_t>(words, 1)[0]);
    EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cuModuleUnload(module)) << "the library's, not the user's";
  }
  unsigned count = 0;
  EXPECT_CU(CUDA_SUCCESS, cuLibraryGetKernelCount(&count, library));
  EXPECT_EQ(1u, count);
  EXPECT_CU(CUDA_ERROR_NOT_FOUND, cuLibraryGetKernel(&kernel, library, "subtract"));
  EXPECT_CU(CUDA_SUCCESS, cuLibraryUnload(library));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cuLibraryUnload(library));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, Launch(reinterpret_cast<CUfunction>(kernel), {.threads = 1}));
  EXPECT_CU(CUDA_SUCCESS, cuCtxDestroy(second));
}

TEST(Libraries, NeedNoContext) {
  InProcess({}, [] {
    ASSERT_CU(cuInit(0));
    CUlibrary library = nullptr;
    CUkernel kernel = nullptr;
    ASSERT_CU(cuLibraryLoadData(&library, AddModule().c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    ASSERT_CU(cuLibraryGetKernel(&kernel, library, "add"));
    int value = 0;
    EXPECT_CU(CUDA_SUCCESS, cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel, 0));
    EXPECT_EQ(1024, value);
    EXPECT_CU(CUDA_SUCCESS,
              cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000, kernel, 0));
    EXPECT_CU(CUDA_SUCCESS,
              cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, kernel, 0));
    EXPECT_EQ(100000, value);
    const char* name = nullptr;
    EXPECT_CU(CUDA_SUCCESS, cuKernelGetName(&name, kernel));
    EXPECT_STREQ("add", name);
    // What was set holds for the function of each context.
    Start();
    CUfunction function = nullptr;
    EXPECT_CU(CUDA_SUCCESS, cuKernelGetFunction(&function, kernel));
    EXPECT_CU(CUDA_SUCCESS,
              cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, function));
    EXPECT_EQ(100000, value);
  });
}

TEST_F(Gpu, LinksOnePtx) {
  CUlinkState link = nullptr;
  ASSERT_CU(cuLinkCreate(0, nullptr, nullptr, &link));
  std::string text = AddModule();
  EXPECT_CU(CUDA_SUCCESS,
            cuLinkAddData(link, CU_JIT_INPUT_PTX, text.data(), text.size(), "add", 0, nullptr, nullptr));
  EXPECT_CU(CUDA_ERROR_NOT_SUPPORTED,
            cuLinkAddData(link, CU_JIT_INPUT_PTX, text.data(), text.size(), "add", 0, nullptr, nullptr));
  void* image = nullptr;
  std::size_t bytes = 0;
  ASSERT_CU(cuLinkComplete(link, &image, &bytes));
  CUmodule module = nullptr;
  ASSERT_CU(cuModuleLoadData(&module, image));
  EXPECT_CU(CUDA_SUCCESS, cuLinkDestroy(link));
  ExpectAdds(module);
}

}  // namespace
}  // namespace emu::testing
