#include "tests/support/device_memory.h"

#include <cudaTypedefs.h>

#include <algorithm>
#include <cstring>
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

bool IsPoison(const unsigned char* bytes, std::size_t count) {
  return count == 0 || (bytes[0] == DeviceMemory::kPoison && std::memcmp(bytes, bytes + 1, count - 1) == 0);
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
  return Status();
}

std::size_t DeviceMemory::before() const { return std::min<std::size_t>(address_ - begin_, kZoneBytes); }

std::size_t DeviceMemory::behind() const {
  return std::min<std::size_t>(begin_ + capacity_ - address_ - size_, kZoneBytes);
}

Status DeviceMemory::Poison(std::size_t at, std::size_t count) {
  return gpu::Fill(reinterpret_cast<void*>(address_ - before() + at), kPoison, count, nullptr);
}

Status DeviceMemory::Upload(const unsigned char* host, std::size_t at, std::size_t count) {
  const gpu::Api* api = nullptr;
  if (Status status = gpu::Load(&api); !status.ok() || count == 0) return status;
  return driver::Check(api->MemcpyHtoDAsync(address_ - before() + at, host, count, nullptr),
                       "cuMemcpyHtoDAsync");
}

Status DeviceMemory::Download(unsigned char* host, std::size_t at, std::size_t count) const {
  const gpu::Api* api = nullptr;
  if (Status status = gpu::Load(&api); !status.ok() || count == 0) return status;
  return driver::Check(api->MemcpyDtoHAsync(host, address_ - before() + at, count, nullptr),
                       "cuMemcpyDtoHAsync");
}

std::string DeviceMemory::ZoneComplaint(const unsigned char* before_bytes,
                                        const unsigned char* behind_bytes) const {
  if (IsPoison(before_bytes, before()) && IsPoison(behind_bytes, behind())) return "";
  const auto is_changed = [](unsigned char byte) { return byte != kPoison; };
  for (std::size_t distance = 1; distance <= before(); ++distance) {
    if (is_changed(before_bytes[before() - distance]))
      return "the byte " + std::to_string(distance) + " before it was written";
  }
  const unsigned char* const changed = std::find_if(behind_bytes, behind_bytes + behind(), is_changed);
  return "the byte " + std::to_string(changed - behind_bytes) + " past its end was written";
}

}  // namespace gemm::tests
