// Contexts: cuCtx*.
#include <algorithm>

#include "tools/emulator/driver/capture.h"
#include "tools/emulator/driver/entry.h"
#include "tools/emulator/driver/queue.h"

namespace emu::driver {
namespace {

constexpr unsigned kKnownFlags = CU_CTX_FLAGS_MASK;

CUresult Create(CUcontext* out, unsigned flags, CUdevice handle, unsigned api_version) {
  return Locked([&]() -> CUresult {
    if (out == nullptr || (flags & ~kKnownFlags) != 0) return CUDA_ERROR_INVALID_VALUE;
    Device* const device = FindDevice(handle);
    if (device == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    auto made = MakeContext(*device, flags);
    made->api_version = api_version;
    Context* const context = GetState().contexts.Add(std::move(made));
    ContextStack().push_back(context);
    *out = reinterpret_cast<CUcontext>(context);
    return CUDA_SUCCESS;
  });
}

// The context that a handle means, the current one for null.
CUresult Meant(CUcontext handle, Context** context) {
  if (handle == nullptr) return UsableContext(context);
  *context = reinterpret_cast<Context*>(handle);
  if (!Exists(*context)) return CUDA_ERROR_INVALID_CONTEXT;
  return (*context)->alive ? CUDA_SUCCESS : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

std::size_t DefaultLimit(const Context& context, CUlimit limit) {
  switch (limit) {
    case CU_LIMIT_STACK_SIZE:
      return 1024;
    case CU_LIMIT_PRINTF_FIFO_SIZE:
      return std::size_t{1} << 20;
    case CU_LIMIT_MALLOC_HEAP_SIZE:
      return std::size_t{8} << 20;
    case CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH:
      return 2;
    case CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT:
      return 2048;
    case CU_LIMIT_MAX_L2_FETCH_GRANULARITY:
      return context.device->profile->limits.compute_major >= 9 ? 128 : 64;
    default:
      return 0;
  }
}

CUresult Synchronize(Context& context) {
  if (context.error != CUDA_SUCCESS) return context.error;
  if (const CUresult result = CheckNotCapturing(context); result != CUDA_SUCCESS) return result;
  return Settle(context);
}

}  // namespace
}  // namespace emu::driver

using namespace emu::driver;

CUresult cuCtxCreate_v2(CUcontext* context, unsigned flags, CUdevice device) {
  return Create(context, flags, device, 3020);
}

CUresult cuCtxCreate_v3(CUcontext* context, CUexecAffinityParam*, int affinities, unsigned flags,
                        CUdevice device) {
  return affinities == 0 ? Create(context, flags, device, 3020) : CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
}

CUresult cuCtxCreate_v4(CUcontext* context, CUctxCreateParams* parameters, unsigned flags, CUdevice device) {
  if (parameters != nullptr) {
    if (parameters->numExecAffinityParams != 0) return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
    if (parameters->cigParams != nullptr) return CUDA_ERROR_NOT_SUPPORTED;
  }
  return Create(context, flags, device, 3020);
}

CUresult cuCtxDestroy_v2(CUcontext handle) {
  return Locked([&] {
    auto* const context = reinterpret_cast<Context*>(handle);
    if (!Exists(context) || context->primary) return CUDA_ERROR_INVALID_CONTEXT;
    Settle(*context);
    Empty(*context);
    // Off the stack of this thread if it is current; elsewhere on this stack, and on others', it stays as destroyed.
    if (!ContextStack().empty() && ContextStack().back() == context) ContextStack().pop_back();
    GetState().destroyed.push_back(GetState().contexts.Take(context));
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetCurrent(CUcontext* out) {
  return Locked([&] {
    if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *out = ContextStack().empty() ? nullptr : reinterpret_cast<CUcontext>(ContextStack().back());
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxSetCurrent(CUcontext handle) {
  return Locked([&] {
    auto* const context = reinterpret_cast<Context*>(handle);
    if (context != nullptr && !Exists(context)) return CUDA_ERROR_INVALID_CONTEXT;
    if (!ContextStack().empty()) ContextStack().pop_back();
    if (context != nullptr) ContextStack().push_back(context);
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxPushCurrent_v2(CUcontext handle) {
  return Locked([&] {
    auto* const context = reinterpret_cast<Context*>(handle);
    if (!Exists(context)) return CUDA_ERROR_INVALID_CONTEXT;
    ContextStack().push_back(context);
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxPopCurrent_v2(CUcontext* out) {
  return Locked([&] {
    if (ContextStack().empty()) return CUDA_ERROR_INVALID_CONTEXT;
    if (out != nullptr) *out = reinterpret_cast<CUcontext>(ContextStack().back());
    ContextStack().pop_back();
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetDevice_v2(CUdevice* device, CUcontext handle) {
  return Locked([&] {
    if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
    Context* const context = handle == nullptr ? Current() : reinterpret_cast<Context*>(handle);
    if (!Exists(context)) return CUDA_ERROR_INVALID_CONTEXT;
    *device = context->device->ordinal;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetDevice(CUdevice* device) { return cuCtxGetDevice_v2(device, nullptr); }

CUresult cuCtxSynchronize() {
  return InContext([](Context& context) { return Synchronize(context); });
}

CUresult cuCtxSynchronize_v2(CUcontext handle) {
  return Locked([&]() -> CUresult {
    Context* context = nullptr;
    const CUresult result = Meant(handle, &context);
    return result == CUDA_SUCCESS ? Synchronize(*context) : result;
  });
}

CUresult cuCtxGetFlags(unsigned* flags) {
  return InContext([&](Context& context) {
    if (flags == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *flags = context.flags;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxSetFlags(unsigned flags) {
  return InContext([&](Context& context) {
    if ((flags & ~kKnownFlags) != 0) return CUDA_ERROR_INVALID_VALUE;
    context.flags = flags;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetId(CUcontext handle, unsigned long long* id) {
  return Locked([&]() -> CUresult {
    Context* context = nullptr;
    if (id == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult result = Meant(handle, &context); result != CUDA_SUCCESS) return result;
    *id = context->id;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetApiVersion(CUcontext handle, unsigned* version) {
  return Locked([&]() -> CUresult {
    Context* context = nullptr;
    if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult result = Meant(handle, &context); result != CUDA_SUCCESS) return result;
    *version = context->api_version;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetLimit(std::size_t* value, CUlimit limit) {
  return InContext([&](Context& context) {
    if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (limit < 0 || limit >= CU_LIMIT_MAX) return CUDA_ERROR_UNSUPPORTED_LIMIT;
    const auto set = context.limits.find(limit);
    *value = set == context.limits.end() ? DefaultLimit(context, limit) : set->second;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxSetLimit(CUlimit limit, std::size_t value) {
  return InContext([&](Context& context) {
    if (limit < 0 || limit > CU_LIMIT_PERSISTING_L2_CACHE_SIZE) return CUDA_ERROR_UNSUPPORTED_LIMIT;
    context.limits[limit] = value;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetCacheConfig(CUfunc_cache* config) {
  return InContext([&](Context& context) {
    if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *config = context.cache_config;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
  return InContext([&](Context& context) {
    if (config < CU_FUNC_CACHE_PREFER_NONE || config > CU_FUNC_CACHE_PREFER_EQUAL)
      return CUDA_ERROR_INVALID_VALUE;
    context.cache_config = config;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig* config) {
  return InContext([&](Context&) {
    if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *config = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxSetSharedMemConfig(CUsharedconfig) {
  return InContext([](Context&) { return CUDA_SUCCESS; });
}

CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return InContext([&](Context&) {
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = -5;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxResetPersistingL2Cache() {
  return InContext([](Context&) { return CUDA_SUCCESS; });
}

CUresult cuCtxEnablePeerAccess(CUcontext handle, unsigned flags) {
  return InContext([&](Context& context) {
    auto* const peer = reinterpret_cast<Context*>(handle);
    if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
    if (!Exists(peer) || peer == &context) return CUDA_ERROR_INVALID_CONTEXT;
    if (peer->device == context.device) return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
    return context.peers.insert(peer).second ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
  });
}

CUresult cuCtxDisablePeerAccess(CUcontext handle) {
  return InContext([&](Context& context) {
    auto* const peer = reinterpret_cast<Context*>(handle);
    if (!Exists(peer)) return CUDA_ERROR_INVALID_CONTEXT;
    return context.peers.erase(peer) == 1 ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
  });
}
