// What the driver knows of an address: cuPointer*.
#include <cstring>

#include "tools/emulator/driver/entry.h"
#include "tools/emulator/driver/memory.h"

namespace emu::driver {
namespace {

template <class T>
CUresult Answer(void* out, T value) {
  std::memcpy(out, &value, sizeof(value));
  return CUDA_SUCCESS;
}

CUresult Attribute(void* out, CUpointer_attribute attribute, std::uint64_t address) {
  State& state = GetState();
  std::uint64_t begin = 0, bytes = 0;
  if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!state.memory->Find(address, &begin, &bytes)) return CUDA_ERROR_INVALID_VALUE;
  // A module's variable is in no allocation of the user's; it is device memory like any other.
  const Allocation variable{
      Allocation::Kind::kDevice, bytes, Current(), state.devices[0].get(), 0, 0, nullptr, false};
  const Allocation* found = FindAllocation(address, &begin);
  const Allocation& allocation = found == nullptr ? variable : *found;
  using Kind = Allocation::Kind;
  const bool host = allocation.kind == Kind::kHost || allocation.kind == Kind::kRegistered;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return Answer(out, reinterpret_cast<CUcontext>(allocation.context));
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return Answer<unsigned>(out, host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      return Answer<CUdeviceptr>(out, address);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      if (allocation.kind == Kind::kDevice) return CUDA_ERROR_INVALID_VALUE;
      return Answer(out, reinterpret_cast<void*>(address));
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
      return Answer<int>(out, allocation.sync_memops);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      return Answer<unsigned long long>(out, allocation.id);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      return Answer<int>(out, allocation.kind == Kind::kManaged);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return Answer<int>(out, allocation.device->ordinal);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
      return Answer<CUdeviceptr>(out, begin);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
      return Answer<std::size_t>(out, allocation.bytes);
    case CU_POINTER_ATTRIBUTE_MAPPED:
      return Answer<int>(out, 1);
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
      return Answer<int>(out, 0);
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
      return Answer<unsigned long long>(out, 0);
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      return Answer<int>(out, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      return Answer(out, reinterpret_cast<CUmemoryPool>(allocation.pool));
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
      return Answer<unsigned long long>(out, allocation.id);
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

// What cuPointerGetAttributes says of an address that is no memory of ours: not an error.
void AnswerForUnknown(void* out, CUpointer_attribute attribute) {
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      Answer<int>(out, CU_DEVICE_INVALID);
      break;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      Answer<unsigned>(out, 0);
      break;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_MAPPED:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      Answer<int>(out, 0);
      break;
    default:
      Answer<unsigned long long>(out, 0);
      break;
  }
}

}  // namespace
}  // namespace emu::driver

using namespace emu::driver;

CUresult cuPointerGetAttribute(void* out, CUpointer_attribute attribute, CUdeviceptr address) {
  return InContext([&](Context&) { return Attribute(out, attribute, address); });
}

CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* attributes, void** outs,
                                CUdeviceptr address) {
  return InContext([&](Context&) {
    if (attributes == nullptr || outs == nullptr) return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count; ++i) {
      if (outs[i] == nullptr) return CUDA_ERROR_INVALID_VALUE;
      if (Attribute(outs[i], attributes[i], address) != CUDA_SUCCESS) AnswerForUnknown(outs[i], attributes[i]);
    }
    return CUDA_SUCCESS;
  });
}

CUresult cuPointerSetAttribute(const void* value, CUpointer_attribute attribute, CUdeviceptr address) {
  return InContext([&](Context&) {
    std::uint64_t begin = 0;
    Allocation* const allocation = FindAllocation(address, &begin);
    if (value == nullptr || allocation == nullptr || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    int on = 0;
    std::memcpy(&on, value, sizeof(on));
    allocation->sync_memops = on != 0;
    return CUDA_SUCCESS;
  });
}
