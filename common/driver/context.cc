// Devices and contexts.
#include <new>

#include "common/base/status.h"
#include "common/driver/driver.h"
#include "common/driver/process.h"

namespace gemm::driver {
namespace {

// The ordinal of a device handle; -1 for a device beyond kMaxDevices.
int OrdinalOf(const Process& process, CUdevice handle) noexcept {
  for (int ordinal = 0; ordinal < process.device_count; ++ordinal) {
    if (process.devices[ordinal].handle == handle) return ordinal;
  }
  return -1;
}

// Retained once and kept: releasing the last reference would destroy the context together with the memory of a
// program that relies on ours. Only the first call of a device locks.
Status PrimaryContext(Process& process, int ordinal, CUcontext* context) noexcept {
  Device& device = process.devices[ordinal];
  *context = device.primary.load(std::memory_order_acquire);
  if (*context != nullptr) return Status();
  std::lock_guard<std::mutex> lock(process.primary_mutex);
  *context = device.primary.load(std::memory_order_relaxed);
  if (*context != nullptr) return Status();
  const CUresult result = process.api.DevicePrimaryCtxRetain(context, device.handle);
  if (result != CUDA_SUCCESS) return Check(result, "cuDevicePrimaryCtxRetain");
  device.primary.store(*context, std::memory_order_release);
  return Status();
}

}  // namespace

Status CheckOrdinal(const Process& process, int device) noexcept {
  if (device >= 0 && device < process.device_count) return Status();
  return Failure(StatusCode::kNoDevice, "device is %d; the driver sees %d, numbered from 0", device,
                 process.device_count);
}

ContextScope::ContextScope(int device) noexcept {
  Process& process = GetProcess();
  if (!process.status.ok()) {
    status_ = CopyOf(process.status);
    return;
  }
  status_ = CheckOrdinal(process, device);
  if (!status_.ok()) return;
  CUdevice current = 0;
  CUresult result = process.api.CtxGetDevice(&current);
  if (result == CUDA_SUCCESS) {
    if (current == process.devices[device].handle) return;
    status_ = Failure(StatusCode::kWrongDevice, "the current context belongs to device %d; device %d is needed",
                      OrdinalOf(process, current), device);
    return;
  }
  // The driver's word for a thread without a context.
  if (result != CUDA_ERROR_INVALID_CONTEXT) {
    status_ = Check(result, "cuCtxGetDevice");
    return;
  }
  CUcontext primary = nullptr;
  status_ = PrimaryContext(process, device, &primary);
  if (!status_.ok()) return;
  status_ = Check(process.api.CtxPushCurrent(primary), "cuCtxPushCurrent");
  pushed_ = status_.ok();
}

ContextScope::~ContextScope() {
  if (!pushed_) return;
  CUcontext popped = nullptr;
  // A failure has nowhere to go; the next call of the driver on this thread reports what is wrong.
  (void)GetProcess().api.CtxPopCurrent(&popped);
}

Status CurrentDevice(int* device) noexcept {
  const Process& process = GetProcess();
  if (!process.status.ok()) return CopyOf(process.status);
  CUdevice handle = 0;
  const CUresult result = process.api.CtxGetDevice(&handle);
  if (result == CUDA_ERROR_INVALID_CONTEXT) {
    *device = -1;
    return Status();
  }
  if (result != CUDA_SUCCESS) return Check(result, "cuCtxGetDevice");
  const int ordinal = OrdinalOf(process, handle);
  if (ordinal < 0) {
    return Failure(StatusCode::kNoDevice, "the current context's device is none of the first %d",
                   process.device_count);
  }
  *device = ordinal;
  return Status();
}

Status DeviceCount(int* count) noexcept {
  const Process& process = GetProcess();
  if (!process.status.ok()) return CopyOf(process.status);
  *count = process.device_count;
  return Status();
}

Status DeviceAttribute(int device, CUdevice_attribute attribute, int* value) noexcept {
  const Process& process = GetProcess();
  if (!process.status.ok()) return CopyOf(process.status);
  if (Status status = CheckOrdinal(process, device); !status.ok()) return status;
  return Check(process.api.DeviceGetAttribute(value, attribute, process.devices[device].handle),
               "cuDeviceGetAttribute");
}

Status DeviceName(int device, std::string* name) noexcept {
  const Process& process = GetProcess();
  if (!process.status.ok()) return CopyOf(process.status);
  if (Status status = CheckOrdinal(process, device); !status.ok()) return status;
  char text[256] = "";
  const CUresult result = process.api.DeviceGetName(text, sizeof(text), process.devices[device].handle);
  if (result != CUDA_SUCCESS) return Check(result, "cuDeviceGetName");
  try {
    *name = text;
  } catch (const std::bad_alloc&) {
    return base::HostMemoryExhausted();
  }
  return Status();
}

}  // namespace gemm::driver
