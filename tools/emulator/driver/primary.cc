// Primary contexts: cuDevicePrimaryCtx*.
#include "tools/emulator/driver/entry.h"
#include "tools/emulator/driver/queue.h"

namespace emu::driver {
namespace {

template <class Body>
CUresult WithDevice(CUdevice handle, Body&& body) {
  return Locked([&]() -> CUresult {
    Device* const device = FindDevice(handle);
    return device == nullptr ? CUDA_ERROR_INVALID_DEVICE : body(*device);
  });
}

bool Active(const Device& device) { return device.primary != nullptr && device.primary->alive; }

void Deactivate(Device& device) {
  Settle(*device.primary);
  Empty(*device.primary);
  device.primary->alive = false;
}

}  // namespace
}  // namespace emu::driver

using namespace emu::driver;

CUresult cuDevicePrimaryCtxRetain(CUcontext* out, CUdevice handle) {
  return WithDevice(handle, [&](Device& device) {
    if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (device.primary == nullptr) {
      device.primary = MakeContext(device, device.primary_flags);
      device.primary->primary = true;
    }
    device.primary->alive = true;
    device.primary->flags = device.primary_flags;
    ++device.primary_references;
    *out = reinterpret_cast<CUcontext>(device.primary.get());
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice handle) {
  return WithDevice(handle, [](Device& device) {
    if (device.primary_references == 0) return CUDA_ERROR_INVALID_CONTEXT;
    if (--device.primary_references == 0 && Active(device)) Deactivate(device);
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxRelease(CUdevice handle) { return cuDevicePrimaryCtxRelease_v2(handle); }

// The references stay: who holds one may use the context again, which is as new.
CUresult cuDevicePrimaryCtxReset_v2(CUdevice handle) {
  return WithDevice(handle, [](Device& device) {
    if (!Active(device)) return CUDA_SUCCESS;
    Deactivate(device);
    device.primary->alive = device.primary_references > 0;
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxReset(CUdevice handle) { return cuDevicePrimaryCtxReset_v2(handle); }

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice handle, unsigned flags) {
  return WithDevice(handle, [&](Device& device) {
    if ((flags & ~static_cast<unsigned>(CU_CTX_FLAGS_MASK)) != 0) return CUDA_ERROR_INVALID_VALUE;
    device.primary_flags = flags;
    if (device.primary != nullptr) device.primary->flags = flags;
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice handle, unsigned flags) {
  return cuDevicePrimaryCtxSetFlags_v2(handle, flags);
}

CUresult cuDevicePrimaryCtxGetState(CUdevice handle, unsigned* flags, int* active) {
  return WithDevice(handle, [&](Device& device) {
    if (flags == nullptr || active == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *flags = device.primary_flags;
    *active = Active(device);
    return CUDA_SUCCESS;
  });
}
