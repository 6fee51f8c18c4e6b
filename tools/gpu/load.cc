#include <new>

#include "common/driver/api.h"
#include "tools/gpu/gpu.h"

namespace gemm::gpu {
namespace {

struct Loaded {
  Api api;
  Status status;
};

Status FindAll(Api* api) noexcept {
  void* function = nullptr;
#define GEMM_GPU_FUNCTION(name, version)                                                                 \
  if (Status status = driver::FindFunction("cu" #name, version, &function); !status.ok()) return status; \
  api->name = reinterpret_cast<PFN_cu##name##_v##version>(function);
#include "tools/gpu/functions.inc"
#undef GEMM_GPU_FUNCTION
  return Status();
}

}  // namespace

Status Load(const Api** api) noexcept {
  // Never destroyed, as the objects that use it may be destroyed late.
  alignas(Loaded) static unsigned char storage[sizeof(Loaded)];
  static const Loaded* const loaded = [] {
    auto* fresh = new (storage) Loaded;
    fresh->status = FindAll(&fresh->api);
    return fresh;
  }();
  if (!loaded->status.ok()) return loaded->status;
  *api = &loaded->api;
  return Status();
}

std::string WhyNoGpu() {
  const Api* api = nullptr;
  return Load(&api).message();
}

Status DriverVersion(int* version) noexcept {
  const Api* api = nullptr;
  if (Status status = Load(&api); !status.ok()) return status;
  return driver::Check(api->DriverGetVersion(version), "cuDriverGetVersion");
}

}  // namespace gemm::gpu
