#include "tools/emulator/memory/windows.h"

#include <fmt/core.h>

#include "tools/emulator/exec/machine.h"
#include "tools/emulator/memory/device_memory.h"

namespace emu {
namespace {

constexpr std::uint64_t kOffsetMask = (std::uint64_t{1} << kRankShift) - 1;
// Smaller ones are more likely null pointers with an offset than addresses of another kind.
constexpr std::uint64_t kNullPage = 4096;

std::string DescribeShared(const Warp& warp, std::uint64_t address) {
  Cluster& cluster = warp.cluster();
  const Cta* owner = cluster.OwnerOf(static_cast<std::uint32_t>(address));
  if (owner == nullptr) {
    return fmt::format("its CTA has rank {}, but the cluster has {}", address >> kRankShift,
                       cluster.ctas.size());
  }
  return fmt::format("offset {} in the {} bytes of shared memory of {}", address & kOffsetMask,
                     owner->shared.size(),
                     owner == &warp.cta() ? "this CTA" : fmt::format("the CTA of rank {}", owner->rank));
}

// Empty when the address is in none of the windows of generic addresses.
std::string DescribeWindow(const Warp& warp, std::uint64_t address) {
  if (InWindow(address, kSharedWindow)) {
    return "a generic address of shared memory (" + DescribeShared(warp, address - kSharedWindow) + ")";
  }
  if (InWindow(address, kLocalWindow)) {
    return fmt::format("a generic address of local memory (offset {})", address - kLocalWindow);
  }
  if (InWindow(address, kParamWindow)) {
    return fmt::format("a generic address of a kernel parameter (offset {})", address - kParamWindow);
  }
  return "";
}

std::string DescribeGlobal(const Warp& warp, std::uint64_t address, bool generic) {
  const std::string window = DescribeWindow(warp, address);
  if (!window.empty()) return window + ", used as an address of global memory";
  const bool shared = address >= kNullPage && address <= 0xffffffff &&
                      warp.cluster().OwnerOf(static_cast<std::uint32_t>(address)) != nullptr &&
                      (address & kOffsetMask) < warp.cta().shared.size();
  if (shared) {
    return fmt::format("a shared address ({}), used as {}", DescribeShared(warp, address),
                       generic ? "a generic address without cvta" : "an address of global memory");
  }
  return warp.machine().memory().Describe(address);
}

// An address with more than 32 bits, used in a space of 32.
std::string DescribeWide(const Warp& warp, std::uint64_t address, const char* space) {
  std::string kind = DescribeWindow(warp, address);
  std::uint64_t begin, bytes;
  if (kind.empty() && warp.machine().memory().Find(address, &begin, &bytes)) {
    kind = "an address of global memory (" + warp.machine().memory().Describe(address) + ")";
  }
  if (kind.empty()) kind = "an address of more than 32 bits";
  return kind + ", used as an address of " + space + " memory";
}

}  // namespace

std::string DescribeAddress(const Warp& warp, Window window, std::uint64_t address) {
  const bool wide = address > 0xffffffff;
  switch (window) {
    case Window::kShared:
      if (wide) return DescribeWide(warp, address, "shared");
      if (address >> kRankShift != warp.cta().rank &&
          warp.cluster().OwnerOf(static_cast<std::uint32_t>(address))) {
        return DescribeShared(warp, address) + ", used without .shared::cluster";
      }
      return DescribeShared(warp, address);
    case Window::kSharedCluster:
      return wide ? DescribeWide(warp, address, "shared") : DescribeShared(warp, address);
    case Window::kLocal:
      if (wide) return DescribeWide(warp, address, "local");
      return fmt::format("offset {} in the {} bytes of local memory of the thread", address, warp.local_bytes);
    case Window::kParam:
      if (wide) return DescribeWide(warp, address, "parameter");
      return fmt::format("offset {} in the {} bytes of the kernel's parameters", address,
                         warp.grid().params.size());
    default:
      return DescribeGlobal(warp, address, window == Window::kGeneric);
  }
}

}  // namespace emu
