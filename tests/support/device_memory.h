// Device memory for one operand of a test, between guards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "gemm/status.h"
#include "tools/gpu/gpu.h"

namespace gemm::tests {

enum class GuardMode {
  // The operand ends at an unmapped page (within the 15 bytes its alignment may cost) and a poisoned zone lies
  // before it: reading or writing past its end is an illegal address. Virtual memory management; where the
  // driver lacks it, kZones serves.
  kPages,
  kZones,  // poisoned zones on either side
  kExact,  // an allocation of the operand's size, for compute-sanitizer to watch
};

// Holds one operand at a time and is used again for the next, because mapping memory costs more than a small
// product. Not for several threads at once. Destroyed while the context it was made in is current.
class DeviceMemory {
 public:
  static constexpr unsigned char kPoison = 0xff;  // a NaN in every type
  static constexpr std::size_t kZoneBytes = 4096;

  explicit DeviceMemory(GuardMode mode) : mode_(mode) {}
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  // Makes room for `bytes` at an address that is `offset` (below `alignment`) past a multiple of `alignment`, a
  // power of two up to 256. What was placed before is gone, and what the room and its zones hold is undefined.
  Status Place(std::size_t bytes, std::size_t alignment, std::size_t offset);

  void* data() const { return reinterpret_cast<void*>(address_); }
  std::size_t size() const { return size_; }
  // Bytes of the zones, which end where the usable memory does, and of the operand with both.
  std::size_t before() const;
  std::size_t behind() const;
  std::size_t guarded_size() const { return before() + size_ + behind(); }

  // Asynchronous in the default stream, of `count` bytes from the byte `at` of the operand with its zones on.
  Status Poison(std::size_t at, std::size_t count);
  Status Upload(const unsigned char* host, std::size_t at, std::size_t count);
  Status Download(unsigned char* host, std::size_t at, std::size_t count) const;

  // Of zones as they were downloaded: "" when they still hold their poison, else one line about the nearest changed byte.
  std::string ZoneComplaint(const unsigned char* before_bytes, const unsigned char* behind_bytes) const;

 private:
  Status Grow(std::size_t bytes);
  Status Map(std::size_t bytes);
  void Release();

  GuardMode mode_;
  gpu::DeviceBuffer buffer_;     // kZones, kExact
  CUdeviceptr reservation_ = 0;  // kPages: address space with unmapped pages on either side of ...
  std::size_t reservation_bytes_ = 0;
  CUdeviceptr begin_ = 0;  // ... the usable memory
  std::size_t capacity_ = 0;
  CUdeviceptr address_ = 0;  // of the operand
  std::size_t size_ = 0;
};

// Whether the current device and driver can serve GuardMode::kPages.
bool HasGuardPages();

}  // namespace gemm::tests
