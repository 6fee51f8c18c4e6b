#include "tools/emulator/memory/order.h"

#include <memory>

namespace emu {
namespace {

constexpr std::uint64_t kSharedKey = std::uint64_t{1} << 62;
constexpr std::uint64_t kWord = 4;
// The releases of an instruction with more addresses are not told apart.
constexpr int kMaxGroups = 4;

std::uint64_t KeyOf(const Places& places, std::uint32_t lane) {
  const bool shared = (places.in_shared >> lane & 1) != 0;
  return shared ? kSharedKey + places.shared[lane] / kWord : places.host[lane] / kWord;
}

std::uint64_t WordsOf(const MemoryOperand& operand) {
  return operand.bytes <= kWord ? 1 : operand.bytes / kWord;
}

// The lanes of an instruction by address, as long as there are few addresses.
struct Groups {
  std::uint64_t key[kMaxGroups];
  LaneMask lanes[kMaxGroups] = {};
  int count = 0;
  bool many = false;

  Groups(const Places& places, LaneMask mask) {
    for (std::uint32_t lane : Each(mask)) {
      const std::uint64_t own = KeyOf(places, lane);
      int group = 0;
      while (group < count && key[group] != own) ++group;
      many = group == kMaxGroups;
      if (many) return;
      if (group == count) key[count++] = own;
      lanes[group] |= LaneMask{1} << lane;
    }
  }
};

SyncPoint* PointAt(MemoryState& state, std::uint64_t key) {
  const auto found = state.points.find(key);
  if (found != state.points.end()) return &found->second;
  return state.points.size() < MemoryState::kMaxPoints ? &state.points[key] : &state.crowd;
}

bool HasSharedMemory(const Warp& warp) { return warp.grid().shared_bytes != 0; }

}  // namespace

MemoryState& MemoryStateOf(Cluster& cluster) {
  if (!cluster.memory) cluster.memory = std::make_shared<MemoryState>();
  return *cluster.memory;
}

void ReleaseAt(Warp& warp, const MemoryOperand& operand, LaneMask mask, const Places& places, Order order) {
  if (mask == 0 || !HasSharedMemory(warp)) return;
  MemoryState& state = MemoryStateOf(warp.cluster());
  Checker& checker = warp.checker();
  const bool relaxed = order == Order::kRelaxed || order == Order::kAcquire;
  const Groups groups(places, mask);
  if (groups.many) return checker.Release(warp, mask, &state.crowd, relaxed);
  for (int group = 0; group < groups.count; ++group) {
    for (std::uint64_t word = 0; word < WordsOf(operand); ++word) {
      checker.Release(warp, groups.lanes[group], PointAt(state, groups.key[group] + word), relaxed);
    }
  }
}

void AcquireAt(Warp& warp, const MemoryOperand& operand, LaneMask mask, const Places& places, Order order) {
  if (!warp.cluster().memory) return;
  const MemoryState& state = *warp.cluster().memory;
  Checker& checker = warp.checker();
  const bool relaxed = order == Order::kRelaxed || order == Order::kRelease;
  if (!state.crowd.empty()) checker.Acquire(warp, mask, state.crowd, relaxed);
  if (state.points.empty()) return;
  const auto acquire = [&](LaneMask lanes, std::uint64_t key) {
    for (std::uint64_t word = 0; word < WordsOf(operand); ++word) {
      const auto found = state.points.find(key + word);
      if (found != state.points.end()) checker.Acquire(warp, lanes, found->second, relaxed);
    }
  };
  const Groups groups(places, mask);
  if (groups.many) {
    for (std::uint32_t lane : Each(mask)) acquire(LaneMask{1} << lane, KeyOf(places, lane));
    return;
  }
  for (int group = 0; group < groups.count; ++group) acquire(groups.lanes[group], groups.key[group]);
}

}  // namespace emu
