// Devices and contexts.
#include <algorithm>
#include <cstdio>

#include "tests/fake_driver/libcuda/functions.h"
#include "tests/fake_driver/libcuda/state.h"

namespace gemm::fake {
namespace {

bool IsDevice(const State& state, CUdevice device) {
  return device >= 0 && device < static_cast<int>(state.devices.size());
}

void Destroy(State& state, Context* context) {
  for (auto entry = state.functions.begin(); entry != state.functions.end();) {
    if (entry->first.second == context) {
      delete entry->second;
      entry = state.functions.erase(entry);
    } else {
      ++entry;
    }
  }
  state.contexts.erase(context);
  std::vector<Context*>& stack = ContextStack();
  stack.erase(std::remove(stack.begin(), stack.end(), context), stack.end());
  delete context;
}

}  // namespace

CUresult Init(unsigned flags) {
  State& state = GetState();
  const Call call("cuInit", false);
  if (call.result() != CUDA_SUCCESS) return call.result();
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  if (state.initialized) return CUDA_SUCCESS;
  const std::string list = Setting("DEVICES");
  if (list == "none") return CUDA_ERROR_NO_DEVICE;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    DeviceState device;
    device.profile = FindProfile(list.substr(begin, end - begin));
    state.devices.push_back(device);
    begin = end + 1;
  }
  state.initialized = true;
  return CUDA_SUCCESS;
}

CUresult DeviceGetCount(int* count) {
  GEMM_FAKE_ENTER("cuDeviceGetCount");
  *count = static_cast<int>(state.devices.size());
  return CUDA_SUCCESS;
}

CUresult DeviceGet(CUdevice* device, int ordinal) {
  GEMM_FAKE_ENTER("cuDeviceGet");
  if (!IsDevice(state, ordinal)) return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult DeviceGetName(char* name, int size, CUdevice device) {
  GEMM_FAKE_ENTER("cuDeviceGetName");
  if (!IsDevice(state, device)) return CUDA_ERROR_INVALID_DEVICE;
  std::snprintf(name, static_cast<std::size_t>(size), "%s", state.devices[device].profile->name);
  return CUDA_SUCCESS;
}

CUresult DeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  GEMM_FAKE_ENTER("cuDeviceGetAttribute");
  if (!IsDevice(state, device)) return CUDA_ERROR_INVALID_DEVICE;
  const Profile& profile = *state.devices[device].profile;
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      *value = profile.major;
      break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      *value = profile.minor;
      break;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      *value = profile.sm_count;
      break;
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
      *value = profile.clock_khz;
      break;
    case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
      *value = profile.memory_clock_khz;
      break;
    case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
      *value = profile.bus_bits;
      break;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
      *value = profile.l2_bytes;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
      *value = 48 * 1024;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
      *value = profile.shared_optin_bytes;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
      *value = profile.shared_per_sm_bytes;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
      *value = profile.threads_per_sm;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = 1024;
      break;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
      *value = 32;
      break;
    case CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH:
      *value = profile.major >= 9;
      break;
    case CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED:
      *value = profile.major >= 9;
      break;
    case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID:
      *value = device + 1;
      break;
    case CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID:
      *value = 0;
      break;
    case CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID:
      *value = 0;
      break;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult DevicePrimaryCtxRetain(CUcontext* out, CUdevice device) {
  GEMM_FAKE_ENTER("cuDevicePrimaryCtxRetain");
  if (!IsDevice(state, device)) return CUDA_ERROR_INVALID_DEVICE;
  Context*& primary = state.devices[device].primary;
  if (primary == nullptr) {
    primary = new Context{device, true, 0, {}};
    state.contexts.insert(primary);
  }
  ++primary->references;
  *out = reinterpret_cast<CUcontext>(primary);
  return CUDA_SUCCESS;
}

CUresult DevicePrimaryCtxRelease(CUdevice device) {
  GEMM_FAKE_ENTER("cuDevicePrimaryCtxRelease");
  if (!IsDevice(state, device)) return CUDA_ERROR_INVALID_DEVICE;
  Context*& primary = state.devices[device].primary;
  if (primary == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  if (--primary->references == 0) {
    Destroy(state, primary);
    primary = nullptr;
  }
  return CUDA_SUCCESS;
}

CUresult CtxCreate(CUcontext* out, unsigned, CUdevice device) {
  GEMM_FAKE_ENTER("cuCtxCreate");
  if (!IsDevice(state, device)) return CUDA_ERROR_INVALID_DEVICE;
  auto* fresh = new Context{device, false, 1, {}};
  state.contexts.insert(fresh);
  ContextStack().push_back(fresh);
  *out = reinterpret_cast<CUcontext>(fresh);
  return CUDA_SUCCESS;
}

CUresult CtxDestroy(CUcontext handle) {
  GEMM_FAKE_ENTER("cuCtxDestroy");
  auto* context = reinterpret_cast<Context*>(handle);
  if (state.contexts.count(context) == 0 || context->primary) return CUDA_ERROR_INVALID_CONTEXT;
  Destroy(state, context);
  return CUDA_SUCCESS;
}

CUresult CtxGetCurrent(CUcontext* out) {
  GEMM_FAKE_ENTER("cuCtxGetCurrent");
  *out = reinterpret_cast<CUcontext>(Current());
  return CUDA_SUCCESS;
}

CUresult CtxGetDevice(CUdevice* device) {
  GEMM_FAKE_ENTER("cuCtxGetDevice");
  GEMM_FAKE_CONTEXT();
  *device = context->device;
  return CUDA_SUCCESS;
}

CUresult CtxPushCurrent(CUcontext handle) {
  GEMM_FAKE_ENTER("cuCtxPushCurrent");
  auto* context = reinterpret_cast<Context*>(handle);
  if (state.contexts.count(context) == 0) return CUDA_ERROR_INVALID_CONTEXT;
  ContextStack().push_back(context);
  return CUDA_SUCCESS;
}

CUresult CtxPopCurrent(CUcontext* out) {
  GEMM_FAKE_ENTER("cuCtxPopCurrent");
  GEMM_FAKE_CONTEXT();
  if (out != nullptr) *out = reinterpret_cast<CUcontext>(context);
  ContextStack().pop_back();
  return CUDA_SUCCESS;
}

CUresult CtxSynchronize() {
  GEMM_FAKE_ENTER("cuCtxSynchronize");
  GEMM_FAKE_CONTEXT();
  return CUDA_SUCCESS;
}

}  // namespace gemm::fake
