// Device memory is host memory.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "tests/fake_driver/libcuda/functions.h"
#include "tests/fake_driver/libcuda/state.h"

namespace gemm::fake {
namespace {

std::size_t Capacity(const State& state, int device) {
  const std::string setting = Setting("MEMORY");
  return setting.empty() ? state.devices[device].profile->memory_bytes
                         : std::strtoull(setting.c_str(), nullptr, 10);
}

// Whether [address, address + count) lies in one allocation.
bool IsMemory(const State& state, CUdeviceptr address, std::size_t count) {
  auto above = state.memory.upper_bound(address);
  if (above == state.memory.begin()) return false;
  const auto& [begin, allocation] = *--above;
  return address - begin <= allocation.first && count <= allocation.first - (address - begin);
}

void* HostPointer(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

// A copy or fill in a stream under capture becomes a node and is not done.
bool Capture(CUstream handle, CUgraphNodeType type) {
  auto* stream = reinterpret_cast<Stream*>(handle);
  if (stream == nullptr || stream->capture == nullptr) return false;
  stream->capture->Add(type, false);
  return true;
}

}  // namespace

CUresult MemGetInfo(std::size_t* free, std::size_t* total) {
  GEMM_FAKE_ENTER("cuMemGetInfo");
  GEMM_FAKE_CONTEXT();
  *total = Capacity(state, context->device);
  *free = *total - std::min(*total, state.devices[context->device].used_bytes);
  return CUDA_SUCCESS;
}

CUresult MemAlloc(CUdeviceptr* out, std::size_t size) {
  GEMM_FAKE_ENTER("cuMemAlloc");
  GEMM_FAKE_CONTEXT();
  if (size == 0) return CUDA_ERROR_INVALID_VALUE;
  std::size_t& used = state.devices[context->device].used_bytes;
  const std::size_t capacity = Capacity(state, context->device);
  if (used > capacity || size > capacity - used) return CUDA_ERROR_OUT_OF_MEMORY;
  void* memory = nullptr;
  if (posix_memalign(&memory, 256, size) != 0) return CUDA_ERROR_OUT_OF_MEMORY;
  used += size;
  *out = reinterpret_cast<CUdeviceptr>(memory);
  state.memory[*out] = {size, context->device};
  return CUDA_SUCCESS;
}

CUresult MemFree(CUdeviceptr address) {
  GEMM_FAKE_ENTER("cuMemFree");
  GEMM_FAKE_CONTEXT();
  const auto found = state.memory.find(address);
  if (found == state.memory.end()) return CUDA_ERROR_INVALID_VALUE;
  state.devices[found->second.second].used_bytes -= found->second.first;
  state.memory.erase(found);
  std::free(HostPointer(address));
  return CUDA_SUCCESS;
}

CUresult MemcpyHtoDAsync(CUdeviceptr destination, const void* source, std::size_t count, CUstream stream) {
  GEMM_FAKE_ENTER("cuMemcpyHtoDAsync");
  GEMM_FAKE_CONTEXT();
  if (!IsMemory(state, destination, count)) return CUDA_ERROR_INVALID_VALUE;
  if (!Capture(stream, CU_GRAPH_NODE_TYPE_MEMCPY)) std::memcpy(HostPointer(destination), source, count);
  return CUDA_SUCCESS;
}

CUresult MemcpyDtoHAsync(void* destination, CUdeviceptr source, std::size_t count, CUstream stream) {
  GEMM_FAKE_ENTER("cuMemcpyDtoHAsync");
  GEMM_FAKE_CONTEXT();
  if (!IsMemory(state, source, count)) return CUDA_ERROR_INVALID_VALUE;
  if (!Capture(stream, CU_GRAPH_NODE_TYPE_MEMCPY)) std::memcpy(destination, HostPointer(source), count);
  return CUDA_SUCCESS;
}

CUresult MemcpyDtoDAsync(CUdeviceptr destination, CUdeviceptr source, std::size_t count, CUstream stream) {
  GEMM_FAKE_ENTER("cuMemcpyDtoDAsync");
  GEMM_FAKE_CONTEXT();
  if (!IsMemory(state, destination, count) || !IsMemory(state, source, count)) return CUDA_ERROR_INVALID_VALUE;
  if (!Capture(stream, CU_GRAPH_NODE_TYPE_MEMCPY)) {
    std::memmove(HostPointer(destination), HostPointer(source), count);
  }
  return CUDA_SUCCESS;
}

CUresult MemsetD8Async(CUdeviceptr destination, unsigned char value, std::size_t count, CUstream stream) {
  GEMM_FAKE_ENTER("cuMemsetD8Async");
  GEMM_FAKE_CONTEXT();
  if (!IsMemory(state, destination, count)) return CUDA_ERROR_INVALID_VALUE;
  if (!Capture(stream, CU_GRAPH_NODE_TYPE_MEMSET)) std::memset(HostPointer(destination), value, count);
  return CUDA_SUCCESS;
}

CUresult MemsetD32Async(CUdeviceptr destination, unsigned value, std::size_t count, CUstream stream) {
  GEMM_FAKE_ENTER("cuMemsetD32Async");
  GEMM_FAKE_CONTEXT();
  if (destination % 4 != 0 || !IsMemory(state, destination, 4 * count)) return CUDA_ERROR_INVALID_VALUE;
  if (!Capture(stream, CU_GRAPH_NODE_TYPE_MEMSET)) {
    std::fill_n(static_cast<unsigned*>(HostPointer(destination)), count, value);
  }
  return CUDA_SUCCESS;
}

}  // namespace gemm::fake
