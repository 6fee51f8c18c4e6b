// Stream-ordered allocation. Memory is given at once and taken back when the stream gets there; pools keep nothing in reserve.
#include <cstring>

#include "tools/emulator/driver/capture.h"
#include "tools/emulator/driver/entry.h"
#include "tools/emulator/driver/memory.h"
#include "tools/emulator/driver/queue.h"

namespace emu::driver {
namespace {

MemoryPool* FindPool(CUmemoryPool handle) {
  const State& state = GetState();
  for (const auto& device : state.devices) {
    if (reinterpret_cast<MemoryPool*>(handle) == device->default_pool.get()) return device->default_pool.get();
  }
  return state.pools.Find(handle);
}

CUresult AllocateFrom(Context& context, MemoryPool& pool, std::size_t bytes, CUstream handle,
                      CUdeviceptr* out) {
  Stream* stream = nullptr;
  if (out == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult result = FindStream(context, handle, &stream); result != CUDA_SUCCESS) return result;
  if (stream->capture != nullptr) return CUDA_ERROR_NOT_SUPPORTED;
  std::uint64_t address = Allocate(context, bytes, Allocation::Kind::kDevice, 0, &pool);
  if (address == 0) {
    // What is queued to be freed may be enough.
    Settle(*context.device);
    address = Allocate(context, bytes, Allocation::Kind::kDevice, 0, &pool);
  }
  if (address == 0) return CUDA_ERROR_OUT_OF_MEMORY;
  *out = address;
  return CUDA_SUCCESS;
}

template <class Body>
CUresult WithPool(CUmemoryPool handle, Body&& body) {
  return Locked([&]() -> CUresult {
    MemoryPool* const pool = FindPool(handle);
    return pool == nullptr ? CUDA_ERROR_INVALID_VALUE : body(*pool);
  });
}

template <class T>
CUresult Answer(void* out, T value) {
  std::memcpy(out, &value, sizeof(value));
  return CUDA_SUCCESS;
}

}  // namespace
}  // namespace emu::driver

using namespace emu::driver;

CUresult cuMemAllocAsync(CUdeviceptr* out, std::size_t bytes, CUstream stream) {
  return InContext(
      [&](Context& context) { return AllocateFrom(context, *context.device->pool, bytes, stream, out); });
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr* out, std::size_t bytes, CUmemoryPool handle, CUstream stream) {
  return InContext([&](Context& context) -> CUresult {
    MemoryPool* const pool = FindPool(handle);
    return pool == nullptr ? CUDA_ERROR_INVALID_VALUE : AllocateFrom(context, *pool, bytes, stream, out);
  });
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream handle) {
  return InContext([&](Context& context) -> CUresult {
    Stream* stream = nullptr;
    if (const CUresult result = FindStream(context, handle, &stream); result != CUDA_SUCCESS) return result;
    const auto found = GetState().allocations.find(address);
    if (found == GetState().allocations.end() || found->second.kind != Allocation::Kind::kDevice) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    if (stream->capture != nullptr) return CUDA_ERROR_NOT_SUPPORTED;
    return Submit(*stream, FreeAction{address});
  });
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice handle) {
  return Locked([&] {
    Device* const device = FindDevice(handle);
    if (pool == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (device == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    *pool = reinterpret_cast<CUmemoryPool>(device->default_pool.get());
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice handle) {
  return Locked([&] {
    Device* const device = FindDevice(handle);
    if (pool == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (device == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    *pool = reinterpret_cast<CUmemoryPool>(device->pool);
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceSetMemPool(CUdevice handle, CUmemoryPool pool) {
  return WithPool(pool, [&](MemoryPool& found) {
    Device* const device = FindDevice(handle);
    if (device == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    if (found.device != device) return CUDA_ERROR_INVALID_VALUE;
    device->pool = &found;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* properties) {
  return Locked([&] {
    if (pool == nullptr || properties == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (properties->allocType != CU_MEM_ALLOCATION_TYPE_PINNED ||
        properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    if (properties->handleTypes != CU_MEM_HANDLE_TYPE_NONE) return CUDA_ERROR_NOT_SUPPORTED;
    Device* const device = FindDevice(properties->location.id);
    if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
    auto made = std::make_unique<MemoryPool>();
    made->device = device;
    *pool = reinterpret_cast<CUmemoryPool>(GetState().pools.Add(std::move(made)));
    return CUDA_SUCCESS;
  });
}

CUresult cuMemPoolDestroy(CUmemoryPool handle) {
  return Locked([&] {
    State& state = GetState();
    MemoryPool* const pool = state.pools.Find(handle);
    if (pool == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (pool->device->pool == pool) pool->device->pool = pool->device->default_pool.get();
    for (auto& [address, allocation] : state.allocations) {
      if (allocation.pool == pool) allocation.pool = nullptr;
    }
    state.pools.Erase(pool);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, std::size_t) {
  return WithPool(pool, [](MemoryPool&) { return CUDA_SUCCESS; });
}

CUresult cuMemPoolSetAttribute(CUmemoryPool handle, CUmemPool_attribute attribute, void* value) {
  return WithPool(handle, [&](MemoryPool& pool) {
    if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
    switch (attribute) {
      case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
      case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
      case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
        std::memcpy(&pool.flags[attribute], value, sizeof(int));
        return CUDA_SUCCESS;
      case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        std::memcpy(&pool.release_threshold, value, sizeof(pool.release_threshold));
        return CUDA_SUCCESS;
      case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
      case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        pool.used_high = pool.used;
        return CUDA_SUCCESS;
      default:
        return CUDA_ERROR_INVALID_VALUE;
    }
  });
}

CUresult cuMemPoolGetAttribute(CUmemoryPool handle, CUmemPool_attribute attribute, void* value) {
  return WithPool(handle, [&](MemoryPool& pool) {
    if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
    switch (attribute) {
      case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
      case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
      case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
        return Answer<int>(value, pool.flags.count(attribute) == 1 ? pool.flags[attribute] : 1);
      case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        return Answer<cuuint64_t>(value, pool.release_threshold);
      case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
      case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
        return Answer<cuuint64_t>(value, pool.used);
      case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
      case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        return Answer<cuuint64_t>(value, pool.used_high);
      default:
        return CUDA_ERROR_INVALID_VALUE;
    }
  });
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* access, std::size_t count) {
  return WithPool(pool, [&](MemoryPool&) {
    return access == nullptr && count > 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
  });
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags* flags, CUmemoryPool pool, CUmemLocation* location) {
  return WithPool(pool, [&](MemoryPool&) {
    if (flags == nullptr || location == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    return CUDA_SUCCESS;
  });
}
