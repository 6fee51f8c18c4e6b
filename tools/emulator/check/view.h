// What one thread or asynchronous operation knows, as a check asks for it: a shared clock and the few times that are its own.
#pragma once

#include <cstdint>

#include "tools/emulator/check/knowledge.h"

namespace emu {

// Slots of clocks. Slot 0 is the beginning of time, known to all. The threads of a warp have 32 slots that follow each
// other, at a multiple of 32; asynchronous operations are behind all threads.
constexpr std::uint32_t kFirstThreadSlot = 32;

struct View {
  const Clock* known = nullptr;
  const Clock* fenced = nullptr;
  const Clock* performed = nullptr;
  // What these lanes of a warp did until `own_time` is known.
  std::uint32_t own_first = 0, own_lanes = 0, own_time = 0;
  // And this slot until `self_time`: a lane's own cp.async, or the operation itself.
  std::uint32_t self_slot = 0, self_time = 0;

  void Set(const Knowledge& knowledge) {
    known = knowledge.known.get();
    fenced = knowledge.fenced.get();
    performed = knowledge.performed.get();
  }
  static bool Has(const Clock* clock, std::uint32_t slot, std::uint32_t time) {
    return clock != nullptr && slot < clock->size() && clock->times()[slot] >= time;
  }
  bool Knows(std::uint32_t slot, std::uint32_t time) const {
    return Has(known, slot, time) || KnowsOfItself(slot, time);
  }
  // Of every lane (bit) of a warp whose first slot is `first`; an operation is one lane at its own slot.
  bool KnowsAll(std::uint32_t first, std::uint32_t lanes, std::uint32_t time) const {
    if ((lanes & (lanes - 1)) == 0) return lanes == 0 || Knows(first + Lowest(lanes), time);
    if (known != nullptr && first + 32 <= known->size()) {
      const std::uint32_t* times = known->times() + first;
      std::uint32_t least = ~0u;
      for (std::uint32_t i = 0; i < 32; ++i) least = least < times[i] ? least : times[i];
      if (least >= time) return true;
    }
    return Unknown(first, lanes, time) == kNone;
  }
  // The first of the lanes that is not known; kNone when all are.
  static constexpr std::uint32_t kNone = 32;
  std::uint32_t Unknown(std::uint32_t first, std::uint32_t lanes, std::uint32_t time) const {
    for (; lanes != 0; lanes &= lanes - 1) {
      if (!Knows(first + Lowest(lanes), time)) return Lowest(lanes);
    }
    return kNone;
  }
  bool KnowsFenced(std::uint32_t slot, std::uint32_t time) const {
    return slot == 0 || slot == self_slot || Has(fenced, slot, time);
  }
  bool KnowsAllFenced(std::uint32_t first, std::uint32_t lanes, std::uint32_t time) const {
    for (; lanes != 0; lanes &= lanes - 1) {
      if (!KnowsFenced(first + Lowest(lanes), time)) return false;
    }
    return true;
  }
  bool KnowsPerformed(std::uint32_t slot, std::uint32_t time) const {
    return Knows(slot, time) || Has(performed, slot, time);
  }

 private:
  static std::uint32_t Lowest(std::uint32_t lanes) { return static_cast<std::uint32_t>(__builtin_ctz(lanes)); }
  bool KnowsOfItself(std::uint32_t slot, std::uint32_t time) const {
    const std::uint32_t lane = slot - own_first;
    if (lane < 32 && (own_lanes >> lane & 1) && time <= own_time) return true;
    return (slot == self_slot && time <= self_time) || slot == 0;
  }
};

}  // namespace emu
