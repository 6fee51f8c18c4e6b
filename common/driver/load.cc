// Opening libcuda.so.1 and finding the functions.
#include <dlfcn.h>

#include <cstdarg>
#include <cstdio>
#include <new>

#include "common/base/status.h"
#include "common/driver/api.h"
#include "common/driver/driver.h"
#include "common/driver/process.h"

namespace gemm::driver {
namespace {

constexpr int kOldestVersion = 12000;

Status OpenLibrary(void** library) noexcept {
  // RTLD_LOCAL: the program's own symbols stay as they are. Never closed.
  *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (*library != nullptr) return Status();
  const char* reason = dlerror();
  return Failure(StatusCode::kNoDriver, "the NVIDIA driver cannot be opened: %s",
                 reason != nullptr ? reason : "dlopen gives no reason");
}

// The library that CUDA toolkits ship for linking on machines without a driver answers this to everything.
Status CheckNotStub(CUresult result) noexcept {
  if (result != CUDA_ERROR_STUB_LIBRARY) return Status();
  return Failure(StatusCode::kNoDriver,
                 "the libcuda.so.1 that was opened is the toolkit's stub; the NVIDIA driver's is needed");
}

// The version first: it makes a better sentence than a missing function.
Status CheckVersion(void* library, int* version) noexcept {
  auto get_version = reinterpret_cast<PFN_cuDriverGetVersion_v2020>(dlsym(library, "cuDriverGetVersion"));
  if (get_version == nullptr) {
    return Failure(StatusCode::kDriverTooOld,
                   "libcuda.so.1 lacks cuDriverGetVersion; CUDA 12.0 or newer is needed");
  }
  const CUresult result = get_version(version);
  if (Status status = CheckNotStub(result); !status.ok()) return status;
  if (Status status = CheckWith(Api(), result, "cuDriverGetVersion"); !status.ok()) return status;
  if (*version >= kOldestVersion) return Status();
  return Failure(StatusCode::kDriverTooOld, "the NVIDIA driver supports CUDA %d.%d; 12.0 or newer is needed",
                 *version / 1000, *version % 1000 / 10);
}

Status FindIn(const Process& process, const char* name, int version, void** function) noexcept {
  *function = nullptr;
  CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  const CUresult result =
      process.get_proc_address(name, function, version, CU_GET_PROC_ADDRESS_LEGACY_STREAM, &found);
  if (Status status = CheckNotStub(result); !status.ok()) return status;
  if (result == CUDA_SUCCESS && *function != nullptr) return Status();
  return Failure(StatusCode::kDriverTooOld, "the NVIDIA driver (CUDA %d.%d) lacks %s of CUDA %d.%d",
                 process.version / 1000, process.version % 1000 / 10, name, version / 1000,
                 version % 1000 / 10);
}

Status FindFunctions(void* library, Process* process) noexcept {
  process->get_proc_address =
      reinterpret_cast<PFN_cuGetProcAddress_v12000>(dlsym(library, "cuGetProcAddress_v2"));
  if (process->get_proc_address == nullptr) {
    return Failure(StatusCode::kDriverTooOld, "libcuda.so.1 lacks cuGetProcAddress_v2 of CUDA 12.0");
  }
  void* function = nullptr;
#define GEMM_DRIVER_FUNCTION(name, version)                                                          \
  if (Status status = FindIn(*process, "cu" #name, version, &function); !status.ok()) return status; \
  process->api.name = reinterpret_cast<PFN_cu##name##_v##version>(function);
#include "common/driver/functions.inc"
#undef GEMM_DRIVER_FUNCTION
  return Status();
}

Status FindDevices(Process* process) noexcept {
  const Api& api = process->api;
  const CUresult result = api.Init(0);
  if (Status status = CheckNotStub(result); !status.ok()) return status;
  int count = 0;
  if (result != CUDA_ERROR_NO_DEVICE) {
    if (Status status = CheckWith(api, result, "cuInit"); !status.ok()) return status;
    if (Status status = CheckWith(api, api.DeviceGetCount(&count), "cuDeviceGetCount"); !status.ok())
      return status;
  }
  if (count == 0) return Failure(StatusCode::kNoDevice, "the NVIDIA driver sees no device");
  process->device_count = count < kMaxDevices ? count : kMaxDevices;
  for (int ordinal = 0; ordinal < process->device_count; ++ordinal) {
    CUdevice* handle = &process->devices[ordinal].handle;
    if (Status status = CheckWith(api, api.DeviceGet(handle, ordinal), "cuDeviceGet"); !status.ok())
      return status;
  }
  return Status();
}

Status Start(Process* process) noexcept {
  void* library = nullptr;
  if (Status status = OpenLibrary(&library); !status.ok()) return status;
  if (Status status = CheckVersion(library, &process->version); !status.ok()) return status;
  if (Status status = FindFunctions(library, process); !status.ok()) return status;
  return FindDevices(process);
}

}  // namespace

Process& GetProcess() noexcept {
  alignas(Process) static unsigned char storage[sizeof(Process)];
  static Process* const process = [] {
    auto* fresh = new (storage) Process;
    fresh->status = Start(fresh);
    return fresh;
  }();
  return *process;
}

Status Failure(StatusCode code, const char* format, ...) noexcept {
  char sentence[1024];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(sentence, sizeof(sentence), format, arguments);
  va_end(arguments);
  try {
    return Status(code, sentence);
  } catch (const std::bad_alloc&) {
    return Status(code, std::string());
  }
}

Status CopyOf(const Status& status) noexcept {
  try {
    return status;
  } catch (const std::bad_alloc&) {
    return Status(status.code(), std::string());
  }
}

Status CheckWith(const Api& api, CUresult result, const char* call) noexcept {
  if (result == CUDA_SUCCESS) return Status();
  const StatusCode code =
      result == CUDA_ERROR_OUT_OF_MEMORY ? StatusCode::kOutOfMemory : StatusCode::kDriverError;
  const char* name = nullptr;
  const char* text = nullptr;
  if (api.GetErrorName != nullptr) api.GetErrorName(result, &name);
  if (api.GetErrorString != nullptr) api.GetErrorString(result, &text);
  if (name == nullptr) return Failure(code, "%s failed: CUDA error %d", call, static_cast<int>(result));
  return Failure(code, "%s failed: %s (%s)", call, name, text != nullptr ? text : "no description");
}

Status Check(CUresult result, const char* call) noexcept {
  if (result == CUDA_SUCCESS) return Status();
  return CheckWith(GetProcess().api, result, call);
}

Status Load(const Api** api) noexcept {
  const Process& process = GetProcess();
  if (!process.status.ok()) return CopyOf(process.status);
  *api = &process.api;
  return Status();
}

Status FindFunction(const char* name, int version, void** function) noexcept {
  const Process& process = GetProcess();
  if (!process.status.ok()) return CopyOf(process.status);
  return FindIn(process, name, version, function);
}

}  // namespace gemm::driver
