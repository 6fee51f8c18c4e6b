// Allocations: the books, and cuMem* without the copies.
#include "tools/emulator/driver/memory.h"

#include "tools/emulator/driver/capture.h"
#include "tools/emulator/driver/entry.h"
#include "tools/emulator/driver/queue.h"

namespace emu::driver {
namespace {

bool CountsForDevice(Allocation::Kind kind) {
  return kind == Allocation::Kind::kDevice || kind == Allocation::Kind::kManaged;
}

CUresult New(Context& context, std::uint64_t bytes, Allocation::Kind kind, unsigned flags,
             std::uint64_t* address) {
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult result = CheckSafe(); result != CUDA_SUCCESS) return result;
  *address = Allocate(context, bytes, kind, flags);
  return *address == 0 ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

// Frees what has `kind`. Waits for all work first, as the driver does.
CUresult Delete(std::uint64_t address, bool host) {
  State& state = GetState();
  if (const CUresult result = CheckSafe(); result != CUDA_SUCCESS) return result;
  const auto found = state.allocations.find(address);
  if (found == state.allocations.end()) return CUDA_ERROR_INVALID_VALUE;
  const Allocation::Kind kind = found->second.kind;
  if (kind == Allocation::Kind::kRegistered || (kind == Allocation::Kind::kHost) != host)
    return CUDA_ERROR_INVALID_VALUE;
  for (const auto& device : state.devices) Settle(*device);
  Release(address);
  return CUDA_SUCCESS;
}

}  // namespace

Allocation* FindAllocation(std::uint64_t address, std::uint64_t* begin) {
  auto& allocations = GetState().allocations;
  auto after = allocations.upper_bound(address);
  if (after == allocations.begin()) return nullptr;
  --after;
  if (address - after->first >= after->second.bytes) return nullptr;
  *begin = after->first;
  return &after->second;
}

bool OnDevice(std::uint64_t address, std::uint64_t bytes) {
  return GetState().memory->Contains(address, bytes);
}

std::uint64_t Allocate(Context& context, std::uint64_t bytes, Allocation::Kind kind, unsigned flags,
                       MemoryPool* pool) {
  State& state = GetState();
  Device& device = *context.device;
  if (CountsForDevice(kind)) {
    if (device.used_bytes > device.profile->memory_bytes ||
        bytes > device.profile->memory_bytes - device.used_bytes) {
      return 0;
    }
  }
  const std::uint64_t address = state.memory->Allocate(bytes);
  if (address == 0) return 0;
  if (CountsForDevice(kind)) device.used_bytes += bytes;
  if (pool != nullptr) {
    pool->used += bytes;
    pool->used_high = std::max(pool->used_high, pool->used);
  }
  state.allocations[address] = {kind, bytes, &context, &device, flags, state.next_id++, pool, false};
  return address;
}

bool Release(std::uint64_t address) {
  State& state = GetState();
  const auto found = state.allocations.find(address);
  if (found == state.allocations.end()) return false;
  const Allocation& allocation = found->second;
  if (CountsForDevice(allocation.kind)) allocation.device->used_bytes -= allocation.bytes;
  if (allocation.pool != nullptr) allocation.pool->used -= allocation.bytes;
  state.memory->Free(address);
  state.allocations.erase(found);
  return true;
}

}  // namespace emu::driver

using namespace emu::driver;

CUresult cuMemAlloc_v2(CUdeviceptr* out, std::size_t bytes) {
  return InContext([&](Context& context) -> CUresult {
    if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::uint64_t address = 0;
    const CUresult result = New(context, bytes, Allocation::Kind::kDevice, 0, &address);
    if (result == CUDA_SUCCESS) *out = address;
    return result;
  });
}

CUresult cuMemAllocPitch_v2(CUdeviceptr* out, std::size_t* pitch, std::size_t width, std::size_t height,
                            unsigned element_bytes) {
  if (pitch == nullptr || width == 0 || height == 0) return CUDA_ERROR_INVALID_VALUE;
  if (element_bytes != 4 && element_bytes != 8 && element_bytes != 16) return CUDA_ERROR_INVALID_VALUE;
  constexpr std::size_t kAlignment = 512;  // CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT
  if (width > SIZE_MAX - kAlignment) return CUDA_ERROR_INVALID_VALUE;
  const std::size_t padded = (width + kAlignment - 1) / kAlignment * kAlignment;
  if (height > SIZE_MAX / padded) return CUDA_ERROR_OUT_OF_MEMORY;
  const CUresult result = cuMemAlloc_v2(out, padded * height);
  if (result == CUDA_SUCCESS) *pitch = padded;
  return result;
}

CUresult cuMemAllocManaged(CUdeviceptr* out, std::size_t bytes, unsigned flags) {
  return InContext([&](Context& context) -> CUresult {
    if (out == nullptr || (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST))
      return CUDA_ERROR_INVALID_VALUE;
    std::uint64_t address = 0;
    const CUresult result = New(context, bytes, Allocation::Kind::kManaged, flags, &address);
    if (result == CUDA_SUCCESS) *out = address;
    return result;
  });
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  return InContext(
      [&](Context&) -> CUresult { return address == 0 ? CUDA_SUCCESS : Delete(address, /*host=*/false); });
}

CUresult cuMemHostAlloc(void** out, std::size_t bytes, unsigned flags) {
  return InContext([&](Context& context) -> CUresult {
    constexpr unsigned kFlags =
        CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
    if (out == nullptr || (flags & ~kFlags) != 0) return CUDA_ERROR_INVALID_VALUE;
    std::uint64_t address = 0;
    const CUresult result = New(context, bytes, Allocation::Kind::kHost, flags, &address);
    if (result == CUDA_SUCCESS) *out = reinterpret_cast<void*>(address);
    return result;
  });
}

CUresult cuMemAllocHost_v2(void** out, std::size_t bytes) { return cuMemHostAlloc(out, bytes, 0); }

CUresult cuMemFreeHost(void* pointer) {
  return InContext([&](Context&) -> CUresult {
    return pointer == nullptr ? CUDA_SUCCESS : Delete(reinterpret_cast<std::uint64_t>(pointer), /*host=*/true);
  });
}

CUresult cuMemHostRegister_v2(void* pointer, std::size_t bytes, unsigned flags) {
  return InContext([&](Context& context) -> CUresult {
    constexpr unsigned kFlags =
        CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP | CU_MEMHOSTREGISTER_READ_ONLY;
    if (pointer == nullptr || bytes == 0 || (flags & ~kFlags) != 0) return CUDA_ERROR_INVALID_VALUE;
    State& state = GetState();
    const auto address = reinterpret_cast<std::uint64_t>(pointer);
    std::uint64_t begin = 0;
    const auto next = state.allocations.lower_bound(address);
    if (FindAllocation(address, &begin) != nullptr ||
        (next != state.allocations.end() && next->first < address + bytes)) {
      return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    }
    state.memory->Adopt(address, bytes);
    state.allocations[address] = {
        Allocation::Kind::kRegistered, bytes, &context, context.device, flags, state.next_id++, nullptr, false};
    return CUDA_SUCCESS;
  });
}

CUresult cuMemHostUnregister(void* pointer) {
  return InContext([&](Context&) -> CUresult {
    State& state = GetState();
    const auto found = state.allocations.find(reinterpret_cast<std::uint64_t>(pointer));
    if (pointer == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (found == state.allocations.end() || found->second.kind != Allocation::Kind::kRegistered) {
      return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
    }
    for (const auto& device : state.devices) Settle(*device);
    state.memory->Forget(found->first);
    state.allocations.erase(found);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* out, void* pointer, unsigned flags) {
  return InContext([&](Context&) {
    std::uint64_t begin = 0;
    const auto address = reinterpret_cast<std::uint64_t>(pointer);
    if (out == nullptr || flags != 0 || FindAllocation(address, &begin) == nullptr)
      return CUDA_ERROR_INVALID_VALUE;
    *out = address;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemHostGetFlags(unsigned* flags, void* pointer) {
  return InContext([&](Context&) {
    std::uint64_t begin = 0;
    const Allocation* allocation = FindAllocation(reinterpret_cast<std::uint64_t>(pointer), &begin);
    if (flags == nullptr || allocation == nullptr || allocation->kind != Allocation::Kind::kHost) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    // With unified addressing all of it is mapped.
    *flags = allocation->flags | CU_MEMHOSTALLOC_DEVICEMAP;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  return InContext([&](Context& context) {
    if (free == nullptr || total == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *total = context.device->profile->memory_bytes;
    *free = *total - std::min<std::size_t>(*total, context.device->used_bytes);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr* begin, std::size_t* bytes, CUdeviceptr address) {
  return InContext([&](Context&) {
    std::uint64_t found_begin = 0, found_bytes = 0;
    if (!GetState().memory->Find(address, &found_begin, &found_bytes)) return CUDA_ERROR_NOT_FOUND;
    if (begin != nullptr) *begin = found_begin;
    if (bytes != nullptr) *bytes = found_bytes;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemAdvise_v2(CUdeviceptr address, std::size_t bytes, CUmem_advise, CUmemLocation) {
  return InContext([&](Context&) {
    return bytes > 0 && OnDevice(address, bytes) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuMemAdvise(CUdeviceptr address, std::size_t bytes, CUmem_advise advice, CUdevice) {
  return cuMemAdvise_v2(address, bytes, advice, {});
}

CUresult cuMemPrefetchAsync_v2(CUdeviceptr address, std::size_t bytes, CUmemLocation, unsigned flags,
                               CUstream handle) {
  return InContext([&](Context& context) -> CUresult {
    Stream* stream = nullptr;
    if (bytes == 0 || flags != 0 || !OnDevice(address, bytes)) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult result = FindStream(context, handle, &stream); result != CUDA_SUCCESS) return result;
    return Submit(*stream, EmptyAction());
  });
}

CUresult cuMemPrefetchAsync(CUdeviceptr address, std::size_t bytes, CUdevice, CUstream stream) {
  return cuMemPrefetchAsync_v2(address, bytes, {}, 0, stream);
}
