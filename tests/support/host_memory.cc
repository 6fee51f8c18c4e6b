#include "tests/support/host_memory.h"

#include <cuda.h>
#include <cudaTypedefs.h>

#include "common/driver/api.h"
#include "common/driver/driver.h"

namespace gemm::tests {
namespace {

// Locking takes longer than copying: not for what is copied a few times.
constexpr std::size_t kMostLocked = std::size_t{64} << 20;

struct Locking {
  PFN_cuMemAllocHost_v3020 Alloc = nullptr;
  PFN_cuMemFreeHost_v2000 Free = nullptr;
};

// Null when the driver lacks one of the functions.
const Locking* LoadLocking() {
  static Locking locking;
  static const bool found = [] {
    void* alloc = nullptr;
    void* free = nullptr;
    if (!driver::FindFunction("cuMemAllocHost", 3020, &alloc).ok()) return false;
    if (!driver::FindFunction("cuMemFreeHost", 2000, &free).ok()) return false;
    locking.Alloc = reinterpret_cast<PFN_cuMemAllocHost_v3020>(alloc);
    locking.Free = reinterpret_cast<PFN_cuMemFreeHost_v2000>(free);
    return true;
  }();
  return found ? &locking : nullptr;
}

}  // namespace

void HostMemory::Release() {
  if (locked_ != nullptr) (void)LoadLocking()->Free(locked_);
  locked_ = nullptr;
  pageable_.reset();
  data_ = nullptr;
  capacity_ = 0;
}

Status HostMemory::Reserve(std::size_t bytes) {
  if (data_ != nullptr && bytes <= capacity_) return Status();
  Release();
  // Powers of two, so that a suite locks memory a few times in all.
  std::size_t rounded = std::size_t{1} << 16;
  while (rounded < bytes && rounded < kMostLocked) rounded *= 2;
  const Locking* locking = LoadLocking();
  if (bytes <= rounded && locking != nullptr && locking->Alloc(&locked_, rounded) == CUDA_SUCCESS) {
    data_ = static_cast<unsigned char*>(locked_);
    capacity_ = rounded;
    return Status();
  }
  locked_ = nullptr;
  pageable_ = std::make_unique_for_overwrite<unsigned char[]>(bytes);
  data_ = pageable_.get();
  capacity_ = bytes;
  return Status();
}

}  // namespace gemm::tests
