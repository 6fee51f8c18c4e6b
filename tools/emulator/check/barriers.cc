#include "tools/emulator/check/barriers.h"

#include <algorithm>
#include <cstddef>

#include "tools/emulator/exec/warp.h"

namespace emu {

void BarrierLife::Note(std::uint16_t site, std::uint32_t slot, std::uint32_t time) {
  Event& last = events[(next_event + kEvents - 1) % kEvents];
  if (last.count > 0 && last.site == site && last.slot / 32 == slot / 32) {
    ++last.count;
    last.slot = slot;
    last.time = time;
    return;
  }
  events[next_event++ % kEvents] = {site, slot, time, 1};
}

std::vector<BarrierLife::Event> BarrierLife::History() const {
  std::vector<Event> history;
  for (std::uint32_t i = 0; i < kEvents; ++i) {
    const Event& event = events[(next_event + i) % kEvents];
    if (event.count > 0) history.push_back(event);
  }
  return history;
}

void BarrierLife::AddUse(const PastAccess& use, const View& view) {
  std::size_t kept = 0;
  bool merged = false;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    PastAccess& old = uses[i];
    if (old.first == use.first && old.time == use.time) {
      old.lanes |= use.lanes;
      merged = true;
    } else {
      if (old.first == use.first) old.lanes &= ~use.lanes;
      if (old.lanes == 0 || view.KnowsAll(old.first, old.lanes, old.time)) continue;
    }
    if (kept != i) uses[kept] = old;
    ++kept;
  }
  uses.resize(kept);
  if (!merged) uses.push_back(use);
}

const PastAccess* BarrierLife::UnknownUse(const View& view, std::uint32_t operations) const {
  for (const PastAccess& use : uses) {
    const std::uint32_t lanes = use.first < operations ? kWarpSize : 1;
    bool over = view.KnowsAll(use.first, use.lanes, use.time);
    for (std::uint32_t lane = 0; lane < lanes && !over; ++lane) {
      over = view.KnowsPerformed(use.first + lane, use.time);
    }
    if (!over) return &use;
  }
  return nullptr;
}

BarrierLife* Barriers::Find(std::uint32_t address) {
  if (last_ != nullptr && last_address_ == address) return last_;
  const auto found = lives_.find(address);
  if (found == lives_.end()) return nullptr;
  last_address_ = address;
  return last_ = &found->second;
}

BarrierLife* Barriers::Around(std::uint32_t address) {
  for (std::uint32_t back = 0; back < 8; ++back) {
    BarrierLife* life = Find(address - back);
    if (life != nullptr && life->live) return life;
  }
  return nullptr;
}

BarrierLife& Barriers::Start(std::uint32_t address, const PastAccess& init) {
  BarrierLife& life = lives_[address];
  life.live = true;
  life.init = init;
  life.published = 0;
  life.uses.clear();
  unpublished_.push_back(&life);
  return life;
}

void Barriers::Publish(std::uint32_t first, std::uint32_t lanes, std::uint32_t time) {
  std::erase_if(unpublished_, [&](BarrierLife* life) {
    const std::uint32_t lane = life->init.slot() - first;
    if (lane >= 32 || !(lanes >> lane & 1)) return false;
    life->published = time;
    return true;
  });
}

}  // namespace emu
