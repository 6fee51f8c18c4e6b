// What the driver gives the threads of a cooperative launch to meet in: device memory whose address is in %envreg1 (upper half)
// and %envreg2. NVIDIA documents neither; cooperative_groups (cooperative_groups/details/helpers.h) takes a null address for
// a launch that was not cooperative, and counts the arrivals at grid.sync() in the second word.
#pragma once

#include <array>
#include <cstdint>

#include "tools/emulator/memory/device_memory.h"

namespace emu {

class GridWorkspace {
 public:
  explicit GridWorkspace(DeviceMemory* memory) : memory_(memory) { memory_->Adopt(address(), sizeof words_); }
  ~GridWorkspace() { memory_->Forget(address()); }
  GridWorkspace(const GridWorkspace&) = delete;
  GridWorkspace& operator=(const GridWorkspace&) = delete;

  std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(words_.data()); }

 private:
  DeviceMemory* memory_;
  alignas(16) std::array<std::uint32_t, 16> words_{};
};

}  // namespace emu
