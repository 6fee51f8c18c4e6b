#include "tools/emulator/memory/addresses.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "tools/emulator/exec/machine.h"
#include "tools/emulator/memory/device_memory.h"
#include "tools/emulator/memory/windows.h"

namespace emu {
namespace {

struct SpaceName {
  const char* modifier;
  ptx::Space space;
  Window window;
};

constexpr SpaceName kSpaces[] = {
    {"global", ptx::Space::kGlobal, Window::kGlobal},
    {"const", ptx::Space::kConst, Window::kConst},
    {"shared", ptx::Space::kShared, Window::kShared},
    {"shared::cta", ptx::Space::kShared, Window::kShared},
    {"shared::cluster", ptx::Space::kShared, Window::kSharedCluster},
    {"local", ptx::Space::kLocal, Window::kLocal},
    {"param", ptx::Space::kParam, Window::kParam},
    {"param::entry", ptx::Space::kParam, Window::kParam},
    {"param::func", ptx::Space::kParam, Window::kLocal},
};

const SpaceName* FindSpace(const std::string& modifier) {
  for (const SpaceName& space : kSpaces) {
    if (modifier == space.modifier) return &space;
  }
  return nullptr;
}

[[noreturn]] void FailMisaligned(const Warp& warp, const Op& op, const MemoryOperand& operand,
                                 std::uint32_t lane, std::uint64_t address) {
  warp.Fail(FindingKind::kMisaligned, op, lane,
            fmt::format("{} {} bytes at {:#x}, which is no multiple of {}: {}", operand.verb, operand.bytes,
                        address, operand.alignment, DescribeAddress(warp, operand.window, address)));
}

void CheckAlignment(const Warp& warp, const Op& op, const MemoryOperand& operand, LaneMask mask,
                    const std::uint64_t* address) {
  const std::uint64_t low = operand.alignment - 1;
  for (std::uint32_t lane : Each(mask)) {
    if ((address[lane] & low) != 0) FailMisaligned(warp, op, operand, lane, address[lane]);
  }
}

// Host addresses in places->host, checked lane by lane: the addresses are in several allocations, or one is in none.
void CheckGlobalLanes(const Warp& warp, const Op& op, const MemoryOperand& operand, LaneMask mask,
                      const std::uint64_t* address) {
  const DeviceMemory& memory = warp.machine().memory();
  for (std::uint32_t lane : Each(mask)) {
    if (!memory.Contains(address[lane], operand.bytes)) FailOutside(warp, op, operand, lane, address[lane]);
  }
}

// What is wrong with a warp's addresses, gathered without a branch.
struct Doubts {
  std::uint64_t low_bits = 0;  // of all addresses together
  std::uint64_t outside = 0;   // the highest bit tells

  // Of an access at `begin` + an offset of which `room` is the largest that is allowed.
  void Add(std::uint64_t address, std::uint64_t begin, std::uint64_t room) {
    const std::uint64_t offset = address - begin;
    low_bits |= address;
    outside |= offset | (room - offset);
  }
  bool IsOutside() const { return outside >> 63 != 0; }
  bool IsMisaligned(std::uint32_t alignment) const { return (low_bits & (alignment - 1)) != 0; }
};

// The addresses are host addresses already.
void ResolveGlobal(const Warp& warp, const Op& op, const MemoryOperand& operand, LaneMask mask,
                   std::uint64_t* address) {
  const std::uint32_t first = FirstLane(mask);
  std::uint64_t begin, bytes;
  if (!warp.machine().memory().Find(address[first], &begin, &bytes) || bytes < operand.bytes) {
    FailOutside(warp, op, operand, first, address[first]);
  }
  const std::uint64_t room = bytes - operand.bytes;
  Doubts doubts;
  if (mask == kAllLanes) {
    for (int lane = 0; lane < kWarpSize; ++lane) doubts.Add(address[lane], begin, room);
  } else {
    for (std::uint32_t lane : Each(mask)) doubts.Add(address[lane], begin, room);
  }
  if (doubts.IsMisaligned(operand.alignment)) CheckAlignment(warp, op, operand, mask, address);
  if (doubts.IsOutside()) CheckGlobalLanes(warp, op, operand, mask, address);
}

// Lanes that address another CTA, or nothing.
void ResolveSharedLanes(const Warp& warp, const Op& op, const MemoryOperand& operand, LaneMask mask,
                        const std::uint64_t* address, Places* places) {
  Cluster& cluster = warp.cluster();
  for (std::uint32_t lane : Each(mask)) {
    const std::uint64_t at = address[lane];
    const bool foreign = at >> kRankShift != warp.cta().rank;
    const Cta* owner = at >> 32 != 0 ? nullptr : cluster.OwnerOf(static_cast<std::uint32_t>(at));
    const std::uint64_t offset = at & ((1u << kRankShift) - 1);
    if (owner == nullptr || offset + operand.bytes > owner->shared.size() ||
        (foreign && operand.window == Window::kShared)) {
      FailOutside(warp, op, operand, lane, at);
    }
    std::byte* bytes = cluster.Shared(warp, op, lane, static_cast<std::uint32_t>(at), operand.bytes);
    places->host[lane] = reinterpret_cast<std::uint64_t>(bytes);
  }
}

void ResolveShared(const Warp& warp, const Op& op, const MemoryOperand& operand, LaneMask mask,
                   const std::uint64_t* address, Places* places) {
  Cta& cta = warp.cta();
  const std::uint64_t start = std::uint64_t{cta.rank} << kRankShift;
  const std::uint64_t size = cta.shared.size();
  const auto host = reinterpret_cast<std::uint64_t>(cta.shared.data());
  if (size < operand.bytes) return ResolveSharedLanes(warp, op, operand, mask, address, places);
  const std::uint64_t room = size - operand.bytes;
  Doubts doubts;
  const auto one = [&](std::uint32_t lane) {
    doubts.Add(address[lane], start, room);
    places->host[lane] = host + (address[lane] - start);
    places->shared[lane] = static_cast<std::uint32_t>(address[lane]);
  };
  if (mask == kAllLanes) {
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) one(lane);
  } else {
    for (std::uint32_t lane : Each(mask)) one(lane);
  }
  places->in_shared |= mask;
  if (doubts.IsMisaligned(operand.alignment)) CheckAlignment(warp, op, operand, mask, address);
  if (doubts.IsOutside()) ResolveSharedLanes(warp, op, operand, mask, address, places);
}

void ResolveLocal(const Warp& warp, const Op& op, const MemoryOperand& operand, LaneMask mask,
                  const std::uint64_t* address, Places* places) {
  CheckAlignment(warp, op, operand, mask, address);
  const auto host = reinterpret_cast<std::uint64_t>(warp.local.data());
  for (std::uint32_t lane : Each(mask)) {
    const std::uint64_t at = address[lane];
    if (at > warp.local_bytes || operand.bytes > warp.local_bytes - at)
      FailOutside(warp, op, operand, lane, at);
    places->host[lane] = host + std::uint64_t{lane} * warp.local_bytes + at;
  }
}

void ResolveParam(const Warp& warp, const Op& op, const MemoryOperand& operand, LaneMask mask,
                  const std::uint64_t* address, Places* places) {
  CheckAlignment(warp, op, operand, mask, address);
  const std::vector<std::byte>& params = warp.grid().params;
  const auto host = reinterpret_cast<std::uint64_t>(params.data());
  for (std::uint32_t lane : Each(mask)) {
    const std::uint64_t at = address[lane];
    if (at > params.size() || operand.bytes > params.size() - at) FailOutside(warp, op, operand, lane, at);
    places->host[lane] = host + at;
  }
}

// Turns the addresses of the lanes in the window into offsets from its start.
MemoryOperand Inside(const MemoryOperand& operand, Window window, std::uint64_t start, LaneMask mask,
                     std::uint64_t* address) {
  for (std::uint32_t lane : Each(mask)) address[lane] -= start;
  MemoryOperand inside = operand;
  inside.window = window;
  return inside;
}

void ResolveGeneric(const Warp& warp, const Op& op, const MemoryOperand& operand, LaneMask mask,
                    Places* places) {
  std::uint64_t* address = places->host;
  LaneMask shared = 0, local = 0, param = 0;
  for (std::uint32_t lane : Each(mask)) {
    const LaneMask bit = LaneMask{1} << lane;
    if (address[lane] < kSharedWindow) continue;
    if (InWindow(address[lane], kSharedWindow)) shared |= bit;
    if (InWindow(address[lane], kLocalWindow)) local |= bit;
    if (InWindow(address[lane], kParamWindow)) param |= bit;
  }
  const LaneMask global = mask & ~(shared | local | param);
  if (global != 0) ResolveGlobal(warp, op, operand, global, address);
  if (shared != 0) {
    const MemoryOperand inside = Inside(operand, Window::kSharedCluster, kSharedWindow, shared, address);
    std::uint64_t at[kWarpSize];
    std::memcpy(at, address, sizeof at);
    ResolveShared(warp, op, inside, shared, at, places);
  }
  if (local != 0) {
    const MemoryOperand inside = Inside(operand, Window::kLocal, kLocalWindow, local, address);
    ResolveLocal(warp, op, inside, local, address, places);
  }
  if (param != 0) {
    const MemoryOperand inside = Inside(operand, Window::kParam, kParamWindow, param, address);
    ResolveParam(warp, op, inside, param, address, places);
  }
}

}  // namespace

bool IsSpace(const std::string& modifier) { return FindSpace(modifier) != nullptr; }

Window WindowOf(const char* modifier, const AddressOperand& address, const Lowering& lowering) {
  const ptx::Space space = address.space;
  if (modifier == nullptr) {
    for (const SpaceName& name : kSpaces) {
      if (space == name.space) return name.window;
    }
    return Window::kGeneric;
  }
  const SpaceName* name = FindSpace(modifier);
  if (name == nullptr) lowering.Refuse(fmt::format("no state space: .{}", modifier));
  // The parameters of a call live in local memory.
  const bool param = name->space == ptx::Space::kParam;
  const bool of_call =
      param && (space == ptx::Space::kLocal || (space == ptx::Space::kNone && !lowering.function().entry));
  if (space != ptx::Space::kNone && space != name->space && !of_call) {
    lowering.Refuse(fmt::format("the operand is not in .{}", modifier));
  }
  if (of_call) return Window::kLocal;
  return space == ptx::Space::kParam ? Window::kParam : name->window;
}

void Addresses(const Warp& warp, const AddressOperand& operand, std::uint64_t (&out)[kWarpSize]) {
  const auto offset = static_cast<std::uint64_t>(operand.offset);
  if (operand.wide) {
    const auto* base = warp.Lanes<std::uint64_t>(operand.base);
    for (int lane = 0; lane < kWarpSize; ++lane) out[lane] = base[lane] + offset;
  } else {
    const auto* base = warp.Lanes<std::uint32_t>(operand.base);
    for (int lane = 0; lane < kWarpSize; ++lane) out[lane] = static_cast<std::uint32_t>(base[lane] + offset);
  }
}

void Resolve(const Warp& warp, const Op& op, const MemoryOperand& operand, LaneMask mask, Places* places) {
  places->in_shared = 0;
  if (mask == 0) return;
  switch (operand.window) {
    case Window::kGlobal:
    case Window::kConst:
      Addresses(warp, operand.address, places->host);
      return ResolveGlobal(warp, op, operand, mask, places->host);
    case Window::kGeneric:
      Addresses(warp, operand.address, places->host);
      return ResolveGeneric(warp, op, operand, mask, places);
    default:
      break;
  }
  std::uint64_t address[kWarpSize];
  Addresses(warp, operand.address, address);
  if (operand.window == Window::kLocal) return ResolveLocal(warp, op, operand, mask, address, places);
  if (operand.window == Window::kParam) return ResolveParam(warp, op, operand, mask, address, places);
  ResolveShared(warp, op, operand, mask, address, places);
}

void FailOutside(const Warp& warp, const Op& op, const MemoryOperand& operand, std::uint32_t lane,
                 std::uint64_t address) {
  warp.Fail(FindingKind::kOutOfBounds, op, lane,
            fmt::format("{} {} bytes at {:#x}: {}", operand.verb, operand.bytes, address,
                        DescribeAddress(warp, operand.window, address)));
}

}  // namespace emu
