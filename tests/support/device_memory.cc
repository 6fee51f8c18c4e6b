#include "tests/support/device_memory.h"

#include <cudaTypedefs.h>

#include <algorithm>
#include <string>

#include "common/driver/api.h"
#include "common/driver/driver.h"

namespace gemm::tests {
namespace {

// Virtual memory management, which nothing but these guards needs.
struct Vmm {
  PFN_cuMemGetAllocationGranularity_v10020 GetAllocationGranularity = nullptr;
  PFN_cuMemAddressReserve_v10020 AddressReserve = nullptr;
  PFN_cuMemAddressFree_v10020 AddressFree = nullptr;
  PFN_cuMemCreate_v10020 Create = nullptr;
  PFN_cuMemRelease_v10020 Release = nullptr;
  PFN_cuMemMap_v10020 Map = nullptr;
  PFN_cuMemUnmap_v10020 Unmap = nullptr;
  PFN_cuMemSetAccess_v10020 SetAccess = nullptr;
};

template <typename Function>
bool Find(const char* name, Function* function) {
  void* found = nullptr;
  if (!driver::FindFunction(name, 10020, &found).ok()) return false;
  *function = reinterpret_cast<Function>(found);
  return true;
}

// Null when the driver lacks one of the functions.
const Vmm* LoadVmm() {
  static Vmm vmm;
  static const bool found = Find("cuMemGetAllocationGranularity", &vmm.GetAllocationGranularity) &&
                            Find("cuMemAddressReserve", &vmm.AddressReserve) &&
                            Find("cuMemAddressFree", &vmm.AddressFree) && Find("cuMemCreate", &vmm.Create) &&
                            Find("cuMemRelease", &vmm.Release) && Find("cuMemMap", &vmm.Map) &&
                            Find("cuMemUnmap", &vmm.Unmap) && Find("cuMemSetAccess", &vmm.SetAccess);
  return found ? &vmm : nullptr;
}

CUmemAllocationProp PropertiesOf(int device) {
  CUmemAllocationProp properties = {};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = device;
  return properties;
}

Status Error(const std::string& sentence) { return Status(StatusCode::kInternal, sentence); }

}  // namespace

bool HasGuardPages() {
  int device = -1;
  int supported = 0;
  return LoadVmm() != nullptr && driver::CurrentDevice(&device).ok() && device >= 0 &&
         driver::DeviceAttribute(device, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, &supported)
             .ok() &&
         supported != 0;
}

DeviceMemory::~DeviceMemory() { Release(); }

void DeviceMemory::Release() {
  buffer_.Reset();
  if (reservation_ != 0) {
    const Vmm& vmm = *LoadVmm();
    if (capacity_ > 0) (void)vmm.Unmap(begin_, capacity_);
    (void)vmm.AddressFree(reservation_, reservation_bytes_);
  }
  reservation_ = begin_ = address_ = 0;
  capacity_ = size_ = 0;
}

Status DeviceMemory::Map(std::size_t bytes) {
  const Vmm& vmm = *LoadVmm();
  int device = -1;
  if (Status status = driver::CurrentDevice(&device); !status.ok()) return status;
  const CUmemAllocationProp properties = PropertiesOf(device);
  std::size_t page = 0;
  CUresult result = vmm.GetAllocationGranularity(&page, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
  if (result != CUDA_SUCCESS) return driver::Check(result, "cuMemGetAllocationGranularity");
  const std::size_t usable = (bytes + page - 1) / page * page;
  reservation_bytes_ = usable + 2 * page;
  result = vmm.AddressReserve(&reservation_, reservation_bytes_, 0, 0, 0);
  if (result != CUDA_SUCCESS) return driver::Check(result, "cuMemAddressReserve");
  CUmemGenericAllocationHandle handle = 0;
  result = vmm.Create(&handle, usable, &properties, 0);
  if (result != CUDA_SUCCESS) return driver::Check(result, "cuMemCreate");
  begin_ = reservation_ + page;
  result = vmm.Map(begin_, usable, 0, handle, 0);
  (void)vmm.Release(handle);  // the mapping keeps the memory
  if (result != CUDA_SUCCESS) return driver::Check(result, "cuMemMap");
  capacity_ = usable;
  CUmemAccessDesc access = {};
  access.location = properties.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  return driver::Check(vmm.SetAccess(begin_, usable, &access, 1), "cuMemSetAccess");
}

Status DeviceMemory::Grow(std::size_t bytes) {
  if (mode_ != GuardMode::kExact && bytes <= capacity_) return Status();
  if (Status status = gpu::Synchronize(); !status.ok()) return status;
  Release();
  if (mode_ == GuardMode::kPages && !HasGuardPages()) mode_ = GuardMode::kZones;
  if (mode_ == GuardMode::kPages) {
    // Powers of two, so that a suite maps each of its operands a few times in all.
    std::size_t rounded = std::size_t{1} << 21;
    while (rounded < bytes && rounded < (std::size_t{1} << 30)) rounded *= 2;
    return Map(std::max(rounded, bytes));
  }
  if (Status status = gpu::DeviceBuffer::Create(bytes, &buffer_); !status.ok()) return status;
  begin_ = buffer_.address();
  capacity_ = bytes;
  return Status();
}

Status DeviceMemory::Place(std::size_t bytes, std::size_t alignment, std::size_t offset) {
  if (alignment == 0 || alignment > 256 || (alignment & (alignment - 1)) != 0 || offset >= alignment) {
    return Error("Place: the alignment is a power of two up to 256, the offset is below it");
  }
  const std::size_t zone = mode_ == GuardMode::kExact ? 0 : kZoneBytes;
  const std::size_t room = std::max<std::size_t>(bytes, 1);
  const std::size_t needed = mode_ == GuardMode::kExact ? offset + room : room + alignment + 2 * zone;
  if (Status status = Grow(needed); !status.ok()) return status;
  if (mode_ == GuardMode::kPages) {
    // The highest address that leaves `bytes` before the unmapped page.
    const CUdeviceptr last = begin_ + capacity_ - bytes;
    address_ = (last - offset) / alignment * alignment + offset;
  } else {
    address_ = begin_ + (zone + alignment - 1) / alignment * alignment + offset;
  }
  size_ = bytes;
  const CUdeviceptr from = std::max(begin_, address_ - std::min<CUdeviceptr>(address_ - begin_, kZoneBytes));
  const CUdeviceptr to = std::min<CUdeviceptr>(begin_ + capacity_, address_ + bytes + kZoneBytes);
  if (Status status = gpu::Fill(reinterpret_cast<void*>(from), kPoison, to - from, nullptr); !status.ok())
    return status;
  return gpu::Synchronize();
}

Status DeviceMemory::Upload(const void* host) {
  if (size_ == 0) return Status();
  const gpu::Api* api = nullptr;
  if (Status status = gpu::Load(&api); !status.ok()) return status;
  const CUresult result = api->MemcpyHtoDAsync(address_, host, size_, nullptr);
  if (result != CUDA_SUCCESS) return driver::Check(result, "cuMemcpyHtoDAsync");
  return gpu::Synchronize();
}

Status DeviceMemory::Download(void* host) const {
  if (size_ == 0) return Status();
  const gpu::Api* api = nullptr;
  if (Status status = gpu::Load(&api); !status.ok()) return status;
  const CUresult result = api->MemcpyDtoHAsync(host, address_, size_, nullptr);
  if (result != CUDA_SUCCESS) return driver::Check(result, "cuMemcpyDtoHAsync");
  return gpu::Synchronize();
}

Status DeviceMemory::CheckZones() const {
  const gpu::Api* api = nullptr;
  if (Status status = gpu::Load(&api); !status.ok()) return status;
  std::vector<unsigned char> zone(kZoneBytes);
  const std::size_t before = std::min<std::size_t>(address_ - begin_, kZoneBytes);
  const std::size_t behind = std::min<std::size_t>(begin_ + capacity_ - address_ - size_, kZoneBytes);
  if (before > 0) {
    const CUresult result = api->MemcpyDtoHAsync(zone.data(), address_ - before, before, nullptr);
    if (result != CUDA_SUCCESS) return driver::Check(result, "cuMemcpyDtoHAsync");
    if (Status status = gpu::Synchronize(); !status.ok()) return status;
    for (std::size_t i = before; i > 0; --i) {
      if (zone[i - 1] != kPoison)
        return Error("the byte " + std::to_string(before - i + 1) + " before it was written");
    }
  }
  if (behind > 0) {
    const CUresult result = api->MemcpyDtoHAsync(zone.data(), address_ + size_, behind, nullptr);
    if (result != CUDA_SUCCESS) return driver::Check(result, "cuMemcpyDtoHAsync");
    if (Status status = gpu::Synchronize(); !status.ok()) return status;
    for (std::size_t i = 0; i < behind; ++i) {
      if (zone[i] != kPoison) return Error("the byte " + std::to_string(i) + " past its end was written");
    }
  }
  return Status();
}

}  // namespace gemm::tests
