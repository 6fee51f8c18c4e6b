#include "tools/emulator/check/operations.h"

#include <algorithm>
#include <cstddef>

namespace emu {
namespace {

// How many slots are asked whether they can be used again. More cost time, fewer cost slots.
constexpr std::size_t kTries = 8;

}  // namespace

// 0 when there is none.
std::uint32_t Operations::Reusable(std::uint32_t warp_slot, const View& view) {
  const std::uint32_t warp = warp_slot / kWarpSize;
  if (warp >= ended_.size()) return 0;
  auto& slots = ended_[warp];
  for (std::size_t i = 0; i < std::min(kTries, slots.size()); ++i) {
    const std::uint32_t slot = slots[i];
    if (!view.Knows(slot, At(slot).now.time)) continue;
    slots.erase(slots.begin() + static_cast<std::ptrdiff_t>(i));
    return slot;
  }
  return 0;
}

std::uint32_t Operations::Begin(const Warp& warp, const Op& op, LaneMask lanes, WarpKnowledge& issuer) {
  Knowledge start = issuer.Together(lanes);
  View view;
  view.Set(start);
  std::uint32_t slot = Reusable(issuer.first_slot(), view);
  if (slot == 0) {
    slot = next_++;
    slots_.resize(next_ - first_);
  }
  Slot& place = At(slot);
  std::move_backward(place.past.begin(), place.past.end() - 1, place.past.end());
  place.past[0] = place.now;
  const std::uint32_t lane = FirstLane(lanes);
  place.now = {&op, &warp, lane, place.now.time + 1, issuer.first_slot() + lane, issuer.time()};
  place.open = true;
  place.lanes = lanes;
  place.start = std::move(start);
  place.view = ViewFrom(place, slot);
  issuer.Tick();  // what the lanes do from here on is not known to it
  return slot;
}

std::uint32_t Operations::TakeCopySlots(const Warp& warp) {
  const std::uint32_t first = (next_ + kWarpSize - 1) / kWarpSize * kWarpSize;
  next_ = first + kWarpSize;
  slots_.resize(next_ - first_);
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    Slot& slot = At(first + lane);
    slot.copies = true;
    slot.now.warp = &warp;
    slot.now.lane = lane;
  }
  return first;
}

View Operations::ViewFrom(const Slot& place, std::uint32_t number) {
  View view;
  view.Set(place.start);
  view.own_first = place.now.issuer - place.now.lane;
  view.own_lanes = place.lanes;
  view.own_time = place.now.issue_time;
  view.self_slot = number;
  view.self_time = place.now.time;
  return view;
}

Knowledge Operations::End(std::uint32_t slot) {
  Slot& place = At(slot);
  place.open = false;
  const std::uint32_t warp = place.now.issuer - place.now.lane;
  if (warp / kWarpSize >= ended_.size()) ended_.resize(warp / kWarpSize + 1);
  ended_[warp / kWarpSize].push_back(slot);
  Knowledge end = std::move(place.start);
  place.start = {};
  place.view = {};
  std::uint32_t* times = end.known.Own(slot + 1);
  times[slot] = std::max(times[slot], place.now.time);
  for (std::uint32_t lane : Each(place.lanes)) {
    std::uint32_t& time = times[warp + lane];
    time = std::max(time, place.now.issue_time);
  }
  return end;
}

Operation Operations::Find(std::uint32_t slot, std::uint32_t time) const {
  const Slot& place = At(slot);
  if (place.copies || place.now.time == time) return place.now;
  for (const Operation& past : place.past) {
    if (past.op != nullptr && past.time == time) return past;
  }
  Operation unknown;
  unknown.warp = place.now.warp;
  unknown.lane = place.now.lane;
  return unknown;
}

}  // namespace emu
