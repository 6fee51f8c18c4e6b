// Finding the library and its functions, as programs do that do not link it.
#include <dlfcn.h>

#include <cstring>
#include <map>
#include <string>

#include "tests/emulator/driver/gpu.h"

namespace emu::testing {
namespace {

void* Proc(const char* name, int version, cuuint64_t flags = 0) {
  void* function = nullptr;
  CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  EXPECT_CU(CUDA_SUCCESS, cuGetProcAddress(name, &function, version, flags, &status)) << name;
  EXPECT_EQ(status == CU_GET_PROC_ADDRESS_SUCCESS, function != nullptr) << name;
  return function;
}

TEST(Library, IsTheAnswerToItsSoname) {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  ASSERT_NE(nullptr, library) << dlerror();
  EXPECT_EQ(reinterpret_cast<void*>(&cuInit), dlsym(library, "cuInit"));
  EXPECT_NE(nullptr, dlsym(library, "emulator_version"));
  EXPECT_NE(nullptr, dlsym(library, "cuMemAlloc_v2"));
  EXPECT_EQ(nullptr, dlsym(library, "cuNoSuchFunction"));
  dlclose(library);
}

TEST(Library, ExportsItsInterfaceOnly) {
  // A C++ name of the emulator's in the program's name space could take the place of one of the program's.
  void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  EXPECT_EQ(nullptr, dlsym(library, "_ZN3emu6driver8GetStateEv"));
  EXPECT_EQ(nullptr,
            dlsym(library, "_ZN3emu3ptx5ParseERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"));
  dlclose(library);
}

// Every row of the list that the library is built from, by name and version, in both forms of the null stream.
struct Row {
  const char* name;
  int version;
  bool stream;
};
constexpr Row kRows[] = {
#define EMU_FUNCTION(name, version, symbol) {#name, version, false},
#define EMU_STREAM_FUNCTION(name, version, symbol, suffix, count) {#name, version, true},
#include "tools/emulator/driver/functions.inc"
#undef EMU_FUNCTION
#undef EMU_STREAM_FUNCTION
};

TEST(ProcAddress, FindsEveryFunction) {
  for (const Row& row : kRows) {
    void* const function = Proc(row.name, row.version);
    EXPECT_NE(nullptr, function) << row.name << " " << row.version;
    void* const per_thread = Proc(row.name, row.version, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
    EXPECT_EQ(row.stream, function != per_thread) << row.name << " " << row.version;
  }
}

TEST(ProcAddress, GivesTheNewestFormThatTheVersionKnows) {
  std::map<std::string, std::map<int, void*>> forms;
  for (const Row& row : kRows) forms[row.name][row.version] = Proc(row.name, row.version);
  int several = 0;
  for (const auto& [name, versions] : forms) {
    for (const auto& [version, function] : versions) {
      const auto next = versions.upper_bound(version);
      const int last = next == versions.end() ? 13000 : next->first - 1;
      EXPECT_EQ(function, Proc(name.c_str(), last)) << name << " " << version;
    }
    several += versions.size() > 1;
  }
  EXPECT_GT(several, 10);
}

TEST(ProcAddress, SaysWhyThereIsNone) {
  void* function = &function;
  CUdriverProcAddressQueryResult status{};
  EXPECT_CU(CUDA_SUCCESS, cuGetProcAddress("cuNoSuchFunction", &function, 12000, 0, &status));
  EXPECT_EQ(CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND, status);
  EXPECT_EQ(nullptr, function);
  EXPECT_CU(CUDA_ERROR_NOT_FOUND, cuGetProcAddress("cuNoSuchFunction", &function, 12000, 0, nullptr));
  EXPECT_CU(CUDA_SUCCESS, cuGetProcAddress("cuLaunchKernelEx", &function, 11000, 0, &status));
  EXPECT_EQ(CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT, status);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuGetProcAddress(nullptr, &function, 12000, 0, &status));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuGetProcAddress("cuInit", nullptr, 12000, 0, &status));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuGetProcAddress("cuInit", &function, 14000, 0, &status));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuGetProcAddress("cuInit", &function, 12000, 64, &status));
}

TEST(ProcAddress, WhatItGivesWorks) {
  using Init = CUresult (*)(unsigned);
  using Count = CUresult (*)(int*);
  ASSERT_CU(reinterpret_cast<Init>(Proc("cuInit", 12000))(0));
  int count = 0;
  EXPECT_CU(CUDA_SUCCESS, reinterpret_cast<Count>(Proc("cuDeviceGetCount", 12000))(&count));
  EXPECT_EQ(1, count);
}

TEST(Errors, HaveNamesAndSentences) {
  const char* text = nullptr;
  EXPECT_CU(CUDA_SUCCESS, cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &text));
  EXPECT_STREQ("CUDA_ERROR_ILLEGAL_ADDRESS", text);
  EXPECT_CU(CUDA_SUCCESS, cuGetErrorString(CUDA_ERROR_ILLEGAL_ADDRESS, &text));
  EXPECT_STREQ("an illegal memory access was encountered", text);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuGetErrorName(static_cast<CUresult>(77777), &text));
  EXPECT_EQ(nullptr, text);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cuGetErrorString(CUDA_SUCCESS, nullptr));
}

}  // namespace
}  // namespace emu::testing
