#include "tools/emulator/check/warp_knowledge.h"

#include <algorithm>
#include <cstddef>

namespace emu {

const WarpKnowledge::Group& WarpKnowledge::GroupOf(std::uint32_t lane) const {
  for (const Group& group : groups_) {
    if (group.lanes >> lane & 1) return group;
  }
  return groups_.front();
}

View WarpKnowledge::ViewOf(const Group& group) const {
  View view;
  view.Set(group.now);
  view.own_first = first_;
  view.own_time = time_;
  return view;
}

void WarpKnowledge::AddOwn(std::uint32_t lane, View* view) const {
  view->own_lanes = 1u << lane;
  if (copy_slots_ == 0) return;
  view->self_slot = copy_slots_ + lane;
  view->self_time = own_[lane].copied;
}

View WarpKnowledge::ViewOf(std::uint32_t lane) const {
  View view = ViewOf(GroupOf(lane));
  AddOwn(lane, &view);
  return view;
}

void WarpKnowledge::Split(LaneMask mask) {
  const std::size_t count = groups_.size();
  for (std::size_t i = 0; i < count; ++i) {
    const LaneMask inside = groups_[i].lanes & mask;
    if (inside == 0 || inside == groups_[i].lanes) continue;
    Group part = groups_[i];
    part.lanes = inside;
    groups_[i].lanes &= ~mask;
    groups_.push_back(std::move(part));
  }
}

void WarpKnowledge::Merge() {
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    for (std::size_t k = i + 1; k < groups_.size();) {
      if (!groups_[i].SameAs(groups_[k])) {
        ++k;
        continue;
      }
      groups_[i].lanes |= groups_[k].lanes;
      if (k + 1 != groups_.size()) groups_[k] = std::move(groups_.back());
      groups_.pop_back();
    }
  }
}

void WarpKnowledge::AddOwn(std::uint32_t lane, const Own& own, Knowledge* into) const {
  if (own.fenced > 0) into->fenced.Raise(first_ + lane, own.fenced);
  if (own.copied > 0) into->known.Raise(copy_slots_ + lane, own.copied);
  if (own.fenced_copied > 0) into->fenced.Raise(copy_slots_ + lane, own.fenced_copied);
}

Knowledge WarpKnowledge::Together(LaneMask mask) const {
  Knowledge all;
  for (const Group& group : groups_) {
    if (group.lanes & mask) all.Join(group.now);
  }
  if (HasOwn()) {
    for (std::uint32_t lane : Each(mask)) AddOwn(lane, own_[lane], &all);
  }
  return all;
}

void WarpKnowledge::Sync(LaneMask mask) {
  Split(mask);
  Knowledge all;
  std::size_t inside = 0, last = 0;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    if ((groups_[i].lanes & mask) == 0) continue;
    ++inside;
    last = i;
  }
  if (inside == 0) return;
  if (inside == 1) {
    all = std::move(groups_[last].now);  // nobody else holds it then: it is changed in place
  } else {
    for (Group& group : groups_) {
      if (group.lanes & mask) all.Join(group.now), group.now = {};
    }
  }
  if (HasOwn()) {
    for (std::uint32_t lane : Each(mask)) AddOwn(lane, own_[lane], &all);
  }
  std::uint32_t* times = all.known.Own(first_ + kWarpSize) + first_;
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    if (mask >> lane & 1) times[lane] = time_;
  }
  ++time_;
  for (Group& group : groups_) {
    if (group.lanes & mask) group.now = all;
  }
  if (inside > 1) Merge();
}

void WarpKnowledge::Release(LaneMask mask, Knowledge* point, bool relaxed) {
  for (const Group& group : groups_) {
    const LaneMask lanes = group.lanes & mask;
    if (lanes == 0) continue;
    if (relaxed) {
      point->Join(group.released);
      point->performed.Join(group.now.performed);
    } else {
      point->Join(group.now);
    }
  }
  if (relaxed) {
    for (std::uint32_t lane : Each(mask)) {
      const OwnAtFence& then = at_fence_[lane];
      if (then.time > 0) point->known.Raise(first_ + lane, then.time);
      AddOwn(lane, then.own, point);
      point->performed.Raise(first_ + lane, time_);
    }
  } else {
    std::uint32_t* times = point->known.Own(first_ + kWarpSize) + first_;
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      if (mask >> lane & 1) times[lane] = time_;
    }
    if (HasOwn()) {
      for (std::uint32_t lane : Each(mask)) AddOwn(lane, own_[lane], point);
    }
  }
  ++time_;
}

void WarpKnowledge::Acquire(LaneMask mask, const Knowledge& point, bool relaxed) {
  if (point.empty()) return;
  Split(mask);
  for (Group& group : groups_) {
    if ((group.lanes & mask) == 0) continue;
    if (relaxed) {
      group.pending.Join(point);
      group.now.performed.Join(point.performed);
    } else {
      group.now.Join(point);
    }
  }
  if (groups_.size() > 1) Merge();
}

void WarpKnowledge::Fence(LaneMask mask) {
  Split(mask);
  for (Group& group : groups_) {
    if ((group.lanes & mask) == 0) continue;
    group.now.Join(group.pending);
    group.pending = {};
    group.released = group.now;
  }
  for (std::uint32_t lane : Each(mask)) at_fence_[lane] = {time_, own_[lane]};
  ++time_;
  if (groups_.size() > 1) Merge();
}

void WarpKnowledge::FenceProxyAsync(LaneMask mask) {
  proxy_fences_ = true;
  Split(mask);
  for (Group& group : groups_) {
    if (group.lanes & mask) group.now.fenced = group.now.known;
  }
  for (std::uint32_t lane : Each(mask)) {
    own_[lane].fenced = time_;
    own_[lane].fenced_copied = own_[lane].copied;
  }
  ++time_;
  if (groups_.size() > 1) Merge();
}

void WarpKnowledge::AcquireCopies(LaneMask mask, std::uint32_t last) {
  for (std::uint32_t lane : Each(mask)) own_[lane].copied = std::max(own_[lane].copied, last);
}

void WarpKnowledge::ReleaseCopies(LaneMask mask, Knowledge* point) const {
  if (copy_slots_ == 0) return;
  for (std::uint32_t lane : Each(mask)) point->known.Raise(copy_slots_ + lane, copies_);
}

}  // namespace emu
