// Host memory that the device copies from and to.
#pragma once

#include <cstddef>
#include <memory>

#include "gemm/status.h"

namespace gemm::tests {

// Page-locked where the driver can do that and the size is moderate: copies are then asynchronous, and faster. Pageable
// otherwise. Destroyed while the context it was made in is current.
class HostMemory {
 public:
  HostMemory() = default;
  ~HostMemory() { Release(); }
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  // At least `bytes`, with undefined contents. No copy from or to it may be under way.
  Status Reserve(std::size_t bytes);

  unsigned char* data() { return data_; }
  const unsigned char* data() const { return data_; }

 private:
  void Release();

  std::unique_ptr<unsigned char[]> pageable_;
  void* locked_ = nullptr;
  unsigned char* data_ = nullptr;
  std::size_t capacity_ = 0;
};

}  // namespace gemm::tests
