#include "tools/emulator/memory/device_memory.h"

#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace emu {
namespace {

constexpr std::uint64_t kPage = 4096;
// On both sides of an allocation; wide enough that a row too many still meets nobody's memory.
constexpr std::uint64_t kZone = 64 * 1024;
// Freed allocations whose addresses are kept out of use.
constexpr std::size_t kRemembered = 4096;
// Up to this size, memory is filled; beyond, it is a private view of a file that holds poison, so that an allocation costs
// only the pages that are written.
constexpr std::uint64_t kFilled = std::uint64_t{32} << 20;
constexpr std::uint64_t kPoisonFile = std::uint64_t{16} << 20;
// An address this far from every allocation is not described by its distance.
constexpr std::uint64_t kNear = std::uint64_t{1} << 30;

// -1 when the host has no such files.
int PoisonFile() {
  static const int file = [] {
    const int made = memfd_create("emulator-poison", MFD_CLOEXEC);
    if (made < 0 || ftruncate(made, kPoisonFile) != 0) return -1;
    void* view = mmap(nullptr, kPoisonFile, PROT_READ | PROT_WRITE, MAP_SHARED, made, 0);
    if (view == MAP_FAILED) return -1;
    std::memset(view, DeviceMemory::kPoison, kPoisonFile);
    munmap(view, kPoisonFile);
    return made;
  }();
  return file;
}

bool MapPoison(std::byte* begin, std::uint64_t bytes) {
  if (PoisonFile() < 0) return false;
  for (std::uint64_t at = 0; at < bytes; at += kPoisonFile) {
    const std::uint64_t part = std::min(kPoisonFile, bytes - at);
    if (mmap(begin + at, part, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, PoisonFile(),
             0) == MAP_FAILED) {
      return false;
    }
  }
  return true;
}

// Makes the pages usable and fills them.
bool Open(std::byte* begin, std::uint64_t bytes) {
  if (bytes > kFilled && MapPoison(begin, bytes)) return true;
  if (mprotect(begin, bytes, PROT_READ | PROT_WRITE) != 0) return false;
  std::memset(begin, DeviceMemory::kPoison, bytes);
  return true;
}

void Close(void* begin, std::uint64_t bytes) {
  mmap(begin, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
}

}  // namespace

DeviceMemory::~DeviceMemory() {
  for (const auto& [address, block] : blocks_) {
    if (block.mapping != nullptr) munmap(block.mapping, block.mapping_bytes);
  }
}

std::uint64_t DeviceMemory::Allocate(std::uint64_t bytes) {
  if (bytes == 0 || bytes > capacity_ - used_) return 0;
  const std::uint64_t pages = (bytes + kPage - 1) / kPage * kPage;
  const std::uint64_t mapped = pages + 2 * kZone;
  void* mapping = mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) return 0;
  std::byte* begin = static_cast<std::byte*>(mapping) + kZone;
  if (!Open(begin, pages)) {
    munmap(mapping, mapped);
    return 0;
  }
  const auto address = reinterpret_cast<std::uint64_t>(begin);
  blocks_.emplace(address, Block{bytes, mapping, mapped, true});
  used_ += bytes;
  return address;
}

bool DeviceMemory::Free(std::uint64_t address) {
  const auto found = blocks_.find(address);
  if (found == blocks_.end() || !found->second.live || found->second.mapping == nullptr) return false;
  Close(found->second.mapping, found->second.mapping_bytes);
  found->second.live = false;
  used_ -= found->second.bytes;
  recent_ = {};
  freed_.push_back(address);
  if (freed_.size() > kRemembered) {
    const auto oldest = blocks_.find(freed_.front());
    munmap(oldest->second.mapping, oldest->second.mapping_bytes);
    blocks_.erase(oldest);
    freed_.pop_front();
  }
  return true;
}

void DeviceMemory::Adopt(std::uint64_t address, std::uint64_t bytes) {
  blocks_.emplace(address, Block{bytes, nullptr, 0, true});
}

void DeviceMemory::Forget(std::uint64_t address) {
  const auto found = blocks_.find(address);
  if (found == blocks_.end() || found->second.mapping != nullptr) return;
  blocks_.erase(found);
  recent_ = {};
}

const std::pair<const std::uint64_t, DeviceMemory::Block>* DeviceMemory::BlockOf(std::uint64_t address) const {
  auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) return nullptr;
  --after;
  return address - after->first < after->second.bytes ? &*after : nullptr;
}

bool DeviceMemory::ContainsSlowly(std::uint64_t address, std::uint64_t bytes) const {
  std::uint64_t begin, size;
  return FindSlowly(address, &begin, &size) && bytes <= begin + size - address;
}

bool DeviceMemory::FindSlowly(std::uint64_t address, std::uint64_t* begin, std::uint64_t* bytes) const {
  const auto* block = BlockOf(address);
  if (block == nullptr || !block->second.live) return false;
  *begin = block->first;
  *bytes = block->second.bytes;
  recent_[next_recent_++ % recent_.size()] = {*begin, *begin + *bytes};
  return true;
}

std::string DeviceMemory::Describe(std::uint64_t address) const {
  if (address < kPage)
    return address == 0 ? "a null pointer" : fmt::format("{} bytes from a null pointer", address);
  const auto name = [](const std::pair<const std::uint64_t, Block>& block) {
    return fmt::format("the allocation of {} bytes at {:#x}{}", block.second.bytes, block.first,
                       block.second.live ? "" : " (which was freed)");
  };
  if (const auto* block = BlockOf(address)) {
    return fmt::format("{} bytes into {}", address - block->first, name(*block));
  }
  const auto after = blocks_.upper_bound(address);
  std::uint64_t below = kNear, above = kNear;
  if (after != blocks_.begin()) {
    const auto& [begin, block] = *std::prev(after);
    below = address - begin - block.bytes;
  }
  if (after != blocks_.end()) above = after->first - address;
  if (std::min(below, above) >= kNear) return "far from every allocation";
  if (below <= above) return fmt::format("{} bytes past the end of {}", below, name(*std::prev(after)));
  return fmt::format("{} bytes before {}", above, name(*after));
}

}  // namespace emu
