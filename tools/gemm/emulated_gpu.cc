#include "tools/gemm/emulated_gpu.h"

#include <cuda.h>
#include <cudaTypedefs.h>
#include <dlfcn.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "tools/gemm/runfile.h"

namespace gemm::tool {
namespace {

constexpr const char* kRunfile = "tools/emulator/driver/libcuda.so.1";
// Of the driver functions asked for: what libgemm works with.
constexpr int kOldestVersion = 12000;
// What only the emulator's library has.
constexpr const char* kMark = "emulator_last_report";

std::vector<std::string> Candidates() {
  if (const char* named = std::getenv("GEMM_EMULATED_GPU"); named != nullptr) return {named};
  return RunfileCandidates(kRunfile);
}

bool SeesADevice(void* library) {
  const auto find = reinterpret_cast<PFN_cuGetProcAddress_v12000>(dlsym(library, "cuGetProcAddress_v2"));
  if (find == nullptr) return false;
  void *init = nullptr, *count = nullptr;
  find("cuInit", &init, kOldestVersion, CU_GET_PROC_ADDRESS_DEFAULT, nullptr);
  find("cuDeviceGetCount", &count, kOldestVersion, CU_GET_PROC_ADDRESS_DEFAULT, nullptr);
  if (init == nullptr || count == nullptr) return false;
  int devices = 0;
  return reinterpret_cast<PFN_cuInit_v2000>(init)(0) == CUDA_SUCCESS &&
         reinterpret_cast<PFN_cuDeviceGetCount_v2000>(count)(&devices) == CUDA_SUCCESS && devices > 0;
}

}  // namespace

bool HasGpu() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return false;
  const bool has = SeesADevice(library);
  if (!has) dlclose(library);
  return has;
}

Status OpenEmulatedGpu() {
  for (const std::string& path : Candidates()) {
    if (::access(path.c_str(), R_OK) != 0) continue;
    // Never closed. Its name inside is libcuda.so.1: who opens that from here on gets it.
    if (dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr) {
      return Status(StatusCode::kNoDriver, fmt::format("the emulated GPU cannot be opened: {}", dlerror()));
    }
    void* opened = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (opened != nullptr && dlsym(opened, kMark) != nullptr) return Status();
    return Status(StatusCode::kNoDriver, "another libcuda.so.1 cannot be closed and hides the emulated GPU");
  }
  return Status(
      StatusCode::kNoDriver,
      fmt::format("the emulated GPU is not beside this program (as {}); $GEMM_EMULATED_GPU can name it",
                  kRunfile));
}

}  // namespace gemm::tool
