#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "common/base/status.h"
#include "tools/gpu/gpu.h"

namespace gemm::gpu {
namespace {

Status CheckRange(std::size_t count, std::size_t offset, std::size_t size) noexcept {
  if (offset <= size && count <= size - offset) return Status();
  return base::InvalidArgument("the copy covers bytes ", offset, " to ", offset, " + ", count,
                               "; the buffer has ", size);
}

Status WaitFor(const Api& api, CUstream stream) noexcept {
  return driver::Check(api.StreamSynchronize(stream), "cuStreamSynchronize");
}

}  // namespace

DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
  if (this == &other) return *this;
  Reset();
  address_ = std::exchange(other.address_, 0);
  size_ = std::exchange(other.size_, 0);
  return *this;
}

Status DeviceBuffer::Create(std::size_t size, DeviceBuffer* out) noexcept {
  const Api* api = nullptr;
  if (Status status = Load(&api); !status.ok()) return status;
  DeviceBuffer buffer;
  if (size > 0) {
    const CUresult result = api->MemAlloc(&buffer.address_, size);
    if (result == CUDA_ERROR_OUT_OF_MEMORY) {
      return base::Error(StatusCode::kOutOfMemory, "the device has no room for ", size, " bytes");
    }
    if (result != CUDA_SUCCESS) return driver::Check(result, "cuMemAlloc");
    buffer.size_ = size;
  }
  *out = std::move(buffer);
  return Status();
}

void DeviceBuffer::Reset() noexcept {
  const Api* api = nullptr;
  if (address_ != 0 && Load(&api).ok()) (void)api->MemFree(address_);
  address_ = 0;
  size_ = 0;
}

Status DeviceBuffer::CopyFrom(const void* host, std::size_t count, std::size_t offset,
                              CUstream stream) const noexcept {
  if (Status status = CheckRange(count, offset, size_); !status.ok() || count == 0) return status;
  const Api* api = nullptr;
  if (Status status = Load(&api); !status.ok()) return status;
  const CUresult result = api->MemcpyHtoDAsync(address_ + offset, host, count, stream);
  if (result != CUDA_SUCCESS) return driver::Check(result, "cuMemcpyHtoDAsync");
  return WaitFor(*api, stream);
}

Status DeviceBuffer::CopyTo(void* host, std::size_t count, std::size_t offset, CUstream stream) const noexcept {
  if (Status status = CheckRange(count, offset, size_); !status.ok() || count == 0) return status;
  const Api* api = nullptr;
  if (Status status = Load(&api); !status.ok()) return status;
  const CUresult result = api->MemcpyDtoHAsync(host, address_ + offset, count, stream);
  if (result != CUDA_SUCCESS) return driver::Check(result, "cuMemcpyDtoHAsync");
  return WaitFor(*api, stream);
}

Status DeviceBuffer::Fill(unsigned char byte, CUstream stream) const noexcept {
  return gpu::Fill(data(), byte, size_, stream);
}

Status GuardedBuffer::Create(std::size_t size, std::size_t misalignment, GuardedBuffer* out) noexcept {
  if (misalignment >= 256) {
    return base::InvalidArgument("misalignment is ", misalignment, "; it must be below 256");
  }
  const std::size_t begin = kGuardBytes + misalignment;
  if (size > SIZE_MAX - begin - kGuardBytes) {
    return base::Error(StatusCode::kOutOfMemory, "the device has no room for ", size, " bytes");
  }
  GuardedBuffer guarded;
  if (Status status = DeviceBuffer::Create(begin + size + kGuardBytes, &guarded.buffer_); !status.ok())
    return status;
  guarded.begin_ = begin;
  guarded.size_ = size;
  if (Status status = guarded.Poison(); !status.ok()) return status;
  // What other streams do to the buffer comes after its poisoning.
  if (Status status = Synchronize(); !status.ok()) return status;
  *out = std::move(guarded);
  return Status();
}

void* GuardedBuffer::data() const {
  return buffer_.data() == nullptr ? nullptr : static_cast<char*>(buffer_.data()) + begin_;
}

Status GuardedBuffer::CopyFrom(const void* host, std::size_t count, std::size_t offset,
                               CUstream stream) const noexcept {
  if (Status status = CheckRange(count, offset, size_); !status.ok()) return status;
  return buffer_.CopyFrom(host, count, begin_ + offset, stream);
}

Status GuardedBuffer::CopyTo(void* host, std::size_t count, std::size_t offset,
                             CUstream stream) const noexcept {
  if (Status status = CheckRange(count, offset, size_); !status.ok()) return status;
  return buffer_.CopyTo(host, count, begin_ + offset, stream);
}

Status GuardedBuffer::Poison(CUstream stream) const noexcept { return buffer_.Fill(kPoison, stream); }

Status GuardedBuffer::CheckGuards(CUstream stream) const noexcept try {
  if (buffer_.size() == 0) return Status();
  const auto is_changed = [](unsigned char byte) { return byte != kPoison; };
  std::vector<unsigned char> zone(begin_);
  if (Status status = buffer_.CopyTo(zone.data(), begin_, 0, stream); !status.ok()) return status;
  // The one nearest to the matrix says most about who wrote it.
  if (const auto last = std::find_if(zone.rbegin(), zone.rend(), is_changed); last != zone.rend()) {
    return base::Error(StatusCode::kInternal, "the guard before the buffer was written: the byte ",
                       last - zone.rbegin() + 1, " before its start is ", int{*last}, " instead of ",
                       int{kPoison});
  }
  zone.resize(buffer_.size() - begin_ - size_);
  if (Status status = buffer_.CopyTo(zone.data(), zone.size(), begin_ + size_, stream); !status.ok())
    return status;
  if (const auto first = std::find_if(zone.begin(), zone.end(), is_changed); first != zone.end()) {
    return base::Error(StatusCode::kInternal, "the guard behind the buffer was written: the byte ",
                       first - zone.begin(), " past its end is ", int{*first}, " instead of ", int{kPoison});
  }
  return Status();
} catch (const std::bad_alloc&) {
  return base::HostMemoryExhausted();
}

Status Copy(void* destination, const void* source, std::size_t bytes, CUstream stream) noexcept {
  const Api* api = nullptr;
  if (Status status = Load(&api); !status.ok() || bytes == 0) return status;
  return driver::Check(api->MemcpyDtoDAsync(reinterpret_cast<CUdeviceptr>(destination),
                                            reinterpret_cast<CUdeviceptr>(source), bytes, stream),
                       "cuMemcpyDtoDAsync");
}

Status Fill(void* destination, unsigned char byte, std::size_t bytes, CUstream stream) noexcept {
  const Api* api = nullptr;
  if (Status status = Load(&api); !status.ok() || bytes == 0) return status;
  return driver::Check(api->MemsetD8Async(reinterpret_cast<CUdeviceptr>(destination), byte, bytes, stream),
                       "cuMemsetD8Async");
}

}  // namespace gemm::gpu
