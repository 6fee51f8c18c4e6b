// Loading device code and finding kernels in it.
#include <cstdio>
#include <map>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "common/base/status.h"
#include "common/driver/code_choice.h"
#include "common/driver/driver.h"
#include "common/driver/process.h"
#include "common/driver/unpack.h"

namespace gemm::driver {
namespace {

// What is loaded. Never destroyed, nothing in it is ever unloaded: CUlibrary and CUkernel belong to no context,
// so kernels outlive the contexts they were found in. The mutex is held while the driver loads or compiles.
struct Loaded {
  std::mutex mutex;
  std::map<const Code*, CUlibrary> libraries;
  // The code that served (image, source, device) before.
  std::map<std::tuple<const Image*, std::string, int>, const Code*> chosen;
  // The dynamic shared memory limit that was set, per kernel and device.
  std::map<std::pair<CUkernel, int>, int> shared_limit;
};

Loaded& GetLoaded() {
  alignas(Loaded) static unsigned char storage[sizeof(Loaded)];
  static Loaded* const loaded = new (storage) Loaded;
  return *loaded;
}

struct Request {
  Process& process;
  const Image& image;
  const char* source;
  const char* symbol;
  int device;
  int shared_bytes;
};

// A call of the driver and how it went, or why there was none.
struct Outcome {
  CUresult result = CUDA_SUCCESS;
  const char* call = "";
  Status damage = Status();  // of the embedded code
  bool ok() const { return result == CUDA_SUCCESS && damage.ok(); }
};

// Means "not this code on this device", so that the next candidate is tried. With lazy loading the driver may
// say so only when the kernel is asked for.
bool IsRefusal(CUresult result) {
  switch (result) {
    case CUDA_ERROR_INVALID_IMAGE:
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_INVALID_PTX:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
    case CUDA_ERROR_JIT_COMPILATION_DISABLED:
    case CUDA_ERROR_INVALID_SOURCE:
    case CUDA_ERROR_NOT_SUPPORTED:
      return true;
    default:
      return false;
  }
}

// Two rows may share a kernel with different needs, so the limit only ever grows.
Outcome RaiseSharedLimit(Loaded& loaded, const Request& request, CUkernel kernel) {
  int& limit = loaded.shared_limit[{kernel, request.device}];
  if (request.shared_bytes <= limit) return {};
  const CUresult result = request.process.api.KernelSetAttribute(
      CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, request.shared_bytes, kernel,
      request.process.devices[request.device].handle);
  if (result == CUDA_SUCCESS) limit = request.shared_bytes;
  return {result, "cuKernelSetAttribute(MAX_DYNAMIC_SHARED_SIZE_BYTES)"};
}

Outcome PrepareKernel(Loaded& loaded, const Request& request, CUlibrary library, CUkernel* kernel) {
  const Api& api = request.process.api;
  CUresult result = api.LibraryGetKernel(kernel, library, request.symbol);
  if (result != CUDA_SUCCESS) return {result, "cuLibraryGetKernel"};
  // Loads the kernel into the current context, which a stream under capture might not allow later. Before the
  // attribute, so that code for another architecture is refused here.
  CUfunction function = nullptr;
  result = api.KernelGetFunction(&function, *kernel);
  if (result != CUDA_SUCCESS) return {result, "cuKernelGetFunction"};
  return RaiseSharedLimit(loaded, request, *kernel);
}

// For the life of the process.
Outcome LoadCode(Loaded& loaded, const Api& api, const Code& code, CUlibrary* library) {
  const void* data = code.data;
  std::string unpacked;  // the driver makes its own copy
  if (code.is_packed) {
    if (Status status = Unpack(code, &unpacked); !status.ok()) return {CUDA_SUCCESS, "", std::move(status)};
    data = unpacked.c_str();
  }
  const CUresult result = api.LibraryLoadData(library, data, nullptr, nullptr, 0, nullptr, nullptr, 0);
  if (result != CUDA_SUCCESS) return {result, "cuLibraryLoadData"};
  try {
    loaded.libraries.emplace(&code, *library);
  } catch (...) {
    (void)api.LibraryUnload(*library);
    throw;
  }
  return {};
}

// Loads `code` unless it is loaded, and prepares the kernel. A library that was loaded for this call and failed
// is unloaded again.
Outcome TryCode(Loaded& loaded, const Request& request, const Code& code, Kernel* kernel) {
  const Api& api = request.process.api;
  const auto known = loaded.libraries.find(&code);
  const bool fresh = known == loaded.libraries.end();
  CUlibrary library = fresh ? nullptr : known->second;
  if (fresh) {
    if (Outcome outcome = LoadCode(loaded, api, code, &library); !outcome.ok()) return outcome;
  }
  CUkernel handle = nullptr;
  Outcome outcome = PrepareKernel(loaded, request, library, &handle);
  if (fresh && !outcome.ok()) {
    // Its handles may come again for other kernels.
    loaded.shared_limit.erase({handle, request.device});
    (void)api.LibraryUnload(library);
    loaded.libraries.erase(&code);
  }
  if (outcome.ok()) *kernel = {handle, CompiledFor(code)};
  return outcome;
}

Status StatusOf(const Request& request, const Code& code, const Outcome& outcome) {
  if (outcome.result == CUDA_SUCCESS) return outcome.damage;
  if (outcome.result == CUDA_ERROR_NOT_FOUND) {
    return Failure(StatusCode::kInternal, "image %s, %s for %s has no kernel %s", request.image.name,
                   code.source, code.target, request.symbol);
  }
  char call[512];
  std::snprintf(call, sizeof(call), "%s for kernel %s (image %s, %s for %s, %d bytes of shared memory)",
                outcome.call, request.symbol, request.image.name, code.source, code.target,
                request.shared_bytes);
  return Check(outcome.result, call);
}

std::string Targets(const Image& image, const char* source) {
  std::string targets;
  for (std::size_t i = 0; i < image.count; ++i) {
    if (image.codes[i].source != std::string_view(source)) continue;
    if (!targets.empty()) targets += ", ";
    targets += image.codes[i].target;
  }
  return targets;
}

Status FindLocked(Loaded& loaded, const Request& request, int major, int minor, Kernel* kernel) {
  const Image& image = request.image;
  const auto key = std::make_tuple(&image, std::string(request.source), request.device);
  if (const auto known = loaded.chosen.find(key); known != loaded.chosen.end()) {
    return StatusOf(request, *known->second, TryCode(loaded, request, *known->second, kernel));
  }
  const std::vector<std::size_t> candidates = CodesToTry(image, request.source, major, minor);
  if (candidates.empty()) {
    const std::string targets = Targets(image, request.source);
    if (targets.empty()) {
      return Failure(StatusCode::kInternal, "image %s has no code of source %s", image.name, request.source);
    }
    return Failure(StatusCode::kUnsupported,
                   "device %d has compute capability %d.%d; image %s has code of %s for %s only",
                   request.device, major, minor, image.name, request.source, targets.c_str());
  }
  std::string refusals;
  for (const std::size_t index : candidates) {
    const Code& code = image.codes[index];
    const Outcome outcome = TryCode(loaded, request, code, kernel);
    if (outcome.ok()) loaded.chosen.emplace(key, &code);
    if (!IsRefusal(outcome.result)) return StatusOf(request, code, outcome);
    if (!refusals.empty()) refusals += "; ";
    refusals += StatusOf(request, code, outcome).message();
  }
  return Failure(StatusCode::kDriverTooOld,
                 "the NVIDIA driver (CUDA %d.%d) loads no code of %s for device %d: %s",
                 request.process.version / 1000, request.process.version % 1000 / 10, request.source,
                 request.device, refusals.c_str());
}

}  // namespace

Status FindKernel(const Image& image, const char* source, const char* symbol, int device, int shared_bytes,
                  Kernel* kernel) noexcept {
  Process& process = GetProcess();
  if (!process.status.ok()) return CopyOf(process.status);
  int major = 0;
  int minor = 0;
  Status status = DeviceAttribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major);
  if (status.ok()) status = DeviceAttribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor);
  if (!status.ok()) return status;
  try {
    Loaded& loaded = GetLoaded();
    std::lock_guard<std::mutex> lock(loaded.mutex);
    return FindLocked(loaded, Request{process, image, source, symbol, device, shared_bytes}, major, minor,
                      kernel);
  } catch (const std::bad_alloc&) {
    return base::HostMemoryExhausted();
  }
}

}  // namespace gemm::driver
