// Device memory: what cuMemAlloc gives out. Addresses are host addresses.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>

namespace emu {

class DeviceMemory {
 public:
  explicit DeviceMemory(std::uint64_t capacity) : capacity_(capacity) {}
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  // `bytes` > 0 of memory, 512-byte aligned, filled with kPoison, between zones that nobody may touch. 0 when the capacity
  // or the host's memory does not allow it.
  std::uint64_t Allocate(std::uint64_t bytes);
  // False when `address` is not what Allocate returned, or was freed.
  bool Free(std::uint64_t address);

  // Memory that belongs to somebody else and that kernels may use too, until Forget. It counts for nothing in used().
  void Adopt(std::uint64_t address, std::uint64_t bytes);
  void Forget(std::uint64_t address);

  // Whether [address, address + bytes) lies inside one live allocation. Fast for repeated use of a few allocations.
  bool Contains(std::uint64_t address, std::uint64_t bytes) const {
    for (const Range& range : recent_) {
      if (address >= range.begin && address < range.end) return bytes <= range.end - address;
    }
    return ContainsSlowly(address, bytes);
  }
  // Start and size of the live allocation that holds the address. As fast.
  bool Find(std::uint64_t address, std::uint64_t* begin, std::uint64_t* bytes) const {
    for (const Range& range : recent_) {
      if (address < range.begin || address >= range.end) continue;
      *begin = range.begin;
      *bytes = range.end - range.begin;
      return true;
    }
    return FindSlowly(address, begin, bytes);
  }
  // "12 bytes past the end of the allocation of 4096 bytes at 0x7f..", "inside an allocation that was freed", ...
  std::string Describe(std::uint64_t address) const;

  std::uint64_t capacity() const { return capacity_; }
  std::uint64_t used() const { return used_; }

  // 0xFF: NaN in every floating-point type.
  static constexpr unsigned char kPoison = 0xFF;

 private:
  struct Block {
    std::uint64_t bytes = 0;
    void* mapping = nullptr;
    std::uint64_t mapping_bytes = 0;
    bool live = true;
  };
  struct Range {
    std::uint64_t begin = 0, end = 0;
  };
  bool ContainsSlowly(std::uint64_t address, std::uint64_t bytes) const;
  bool FindSlowly(std::uint64_t address, std::uint64_t* begin, std::uint64_t* bytes) const;
  const std::pair<const std::uint64_t, Block>* BlockOf(std::uint64_t address) const;

  std::uint64_t capacity_;
  std::uint64_t used_ = 0;
  std::map<std::uint64_t, Block>
      blocks_;  // by address; freed ones are remembered for messages, their pages given back
  std::deque<std::uint64_t> freed_;        // the oldest is forgotten first
  mutable std::array<Range, 4> recent_{};  // live allocations that were asked for
  mutable unsigned next_recent_ = 0;
};

}  // namespace emu
