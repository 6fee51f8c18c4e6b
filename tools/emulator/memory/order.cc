#include "tools/emulator/memory/order.h"

#include <memory>

namespace emu {
namespace {

constexpr std::uint64_t kSharedKey = std::uint64_t{1} << 62;
constexpr std::uint64_t kWord = 4;
// An instruction with more addresses than this is looked at as a whole.
constexpr int kMaxGroups = 4;

std::uint64_t KeyOf(const Places& places, std::uint32_t lane) {
  const bool shared = (places.in_shared >> lane & 1) != 0;
  return shared ? kSharedKey + places.shared[lane] / kWord : places.host[lane] / kWord;
}

std::uint64_t WordsOf(const MemoryOperand& operand) {
  return operand.bytes <= kWord ? 1 : operand.bytes / kWord;
}

const SyncPoint* Find(const MemoryState& state, std::uint64_t key) {
  const auto found = state.points.find(key);
  if (found != state.points.end()) return &found->second;
  return state.crowd.empty() ? nullptr : &state.crowd;
}

SyncPoint* Make(MemoryState& state, std::uint64_t key) {
  const auto found = state.points.find(key);
  if (found != state.points.end()) return &found->second;
  if (state.points.size() >= MemoryState::kMaxPoints) return &state.crowd;
  return &state.points[key];
}

// The lanes of `rest` whose addresses are the first one's.
LaneMask SameAddress(const Places& places, LaneMask rest) {
  const std::uint64_t key = KeyOf(places, FirstLane(rest));
  LaneMask same = 0;
  for (std::uint32_t lane : Each(rest)) {
    if (KeyOf(places, lane) == key) same |= LaneMask{1} << lane;
  }
  return same;
}

// Whether there are so few addresses that each is worth a clock of its own.
bool FewAddresses(const Places& places, LaneMask mask) {
  int groups = 0;
  for (LaneMask rest = mask; rest != 0 && groups <= kMaxGroups; ++groups) rest &= ~SameAddress(places, rest);
  return groups <= kMaxGroups;
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
  const bool few = FewAddresses(places, mask);
  for (LaneMask rest = mask; rest != 0;) {
    SyncPoint known;
    const LaneMask together = few ? SameAddress(places, rest) : rest;
    checker.Release(warp, together, &known, relaxed);
    for (LaneMask left = together; left != 0;) {
      const std::uint64_t key = KeyOf(places, FirstLane(left));
      for (std::uint64_t word = 0; word < WordsOf(operand); ++word)
        checker.Join(Make(state, key + word), known);
      left &= few ? 0 : left - 1;
    }
    rest &= ~together;
  }
}

void AcquireAt(Warp& warp, const MemoryOperand& operand, LaneMask mask, const Places& places, Order order) {
  if (!warp.cluster().memory) return;
  const MemoryState& state = *warp.cluster().memory;
  const bool relaxed = order == Order::kRelaxed || order == Order::kRelease;
  for (LaneMask rest = mask; rest != 0;) {
    const LaneMask together = SameAddress(places, rest);
    const std::uint64_t key = KeyOf(places, FirstLane(rest));
    for (std::uint64_t word = 0; word < WordsOf(operand); ++word) {
      if (const SyncPoint* point = Find(state, key + word))
        warp.checker().Acquire(warp, together, *point, relaxed);
    }
    rest &= ~together;
  }
}

}  // namespace emu
