#include "tools/emulator/exec/fragments.h"

namespace emu {

void Fragments::Start(int pc, LaneMask mask) {
  list_.clear(), joins_.clear(), free_.clear();
  parked_ = 0;
  list_.reserve(kWarpSize + 1);
  Fragment fragment;
  fragment.pc = pc, fragment.mask = mask;
  list_.push_back(fragment);
  now = -1;
}

int Fragments::NewJoin(int pc, int frame, int parent, LaneMask members) {
  int index;
  if (free_.empty()) {
    index = static_cast<int>(joins_.size());
    joins_.emplace_back();
  } else {
    index = free_.back();
    free_.pop_back();
  }
  Join& join = joins_[index];
  join.pc = pc, join.frame = frame, join.parent = parent;
  join.members = members, join.arrived = 0;
  join.call = nullptr;
  return index;
}

void Fragments::FreeJoin(int join) {
  joins_[join].members = 0;
  joins_[join].saved.reset();
  free_.push_back(join);
}

void Fragments::Remove(int fragment) {
  list_.erase(list_.begin() + fragment);
  if (now == fragment) {
    now = -1;
  } else if (now > fragment) {
    --now;
  }
}

bool Fragments::Meet(std::uint64_t time) {
  Fragment& fragment = list_[now];
  Join& join = joins_[fragment.join];
  const LaneMask arrived = join.arrived | fragment.mask;
  if (arrived != join.members) {
    if (join.arrived == 0) join.since = time;
    join.arrived = arrived;
    parked_ |= fragment.mask;
    Remove(now);
    return false;
  }
  parked_ &= ~arrived;
  fragment.mask = arrived;
  const int done = fragment.join;
  fragment.join = join.parent;
  FreeJoin(done);
  return true;
}

void Fragments::PassBy() {
  const int join = list_[now].join;
  const int parent = joins_[join].parent;
  const LaneMask lanes = list_[now].mask;
  list_[now].join = parent;
  Leave(join, parent, lanes);
}

void Fragments::Branch(LaneMask taken, int target, int next, int reconvergence, bool taken_first) {
  Fragment& fragment = list_[now];
  if (reconvergence >= 0 && MeetingPoint() != reconvergence) {
    fragment.join = NewJoin(reconvergence, fragment.frame, fragment.join, fragment.mask);
  }
  Fragment other = fragment;
  fragment.mask = taken_first ? taken : fragment.mask & ~taken;
  fragment.pc = taken_first ? target : next;
  other.mask &= ~fragment.mask;
  other.pc = taken_first ? next : target;
  list_.push_back(other);
}

Join& Fragments::Call(const Op* op, LaneMask lanes, int target, int return_to, int others_to) {
  if (lanes != list_[now].mask) Branch(lanes, target, others_to, return_to, true);
  Fragment& fragment = list_[now];
  const int call = NewJoin(return_to, fragment.frame, fragment.join, lanes);
  joins_[call].call = op;
  fragment.pc = target;
  fragment.frame = fragment.join = call;
  return joins_[call];
}

void Fragments::Return(LaneMask lanes, int next) {
  if (lanes != list_[now].mask) Branch(lanes, next, next, -1, true);
  const Fragment fragment = list_[now];
  Leave(fragment.join, fragment.frame, lanes);
  const Join& call = joins_[fragment.frame];
  Fragment& returning = list_[now];
  returning.pc = call.pc;
  returning.frame = call.frame;
  returning.join = fragment.frame;
}

void Fragments::Exit(LaneMask lanes, int next) {
  const int join = list_[now].join;
  if (lanes == list_[now].mask) {
    Remove(now);
  } else {
    list_[now].mask &= ~lanes;
    list_[now].pc = next;
  }
  Leave(join, -1, lanes);
}

// The lanes are no members any more of `join` and those around it, up to but without `until`.
void Fragments::Leave(int join, int until, LaneMask lanes) {
  while (join != until) {
    Join& left = joins_[join];
    const int parent = left.parent;
    left.members &= ~lanes;
    if (left.members != 0 && left.members == left.arrived) {
      Fragment complete;
      complete.pc = left.pc, complete.mask = left.arrived;
      complete.frame = left.frame, complete.join = parent;
      parked_ &= ~left.arrived;
      list_.push_back(complete);
      left.members = 0;
    }
    if (left.members == 0) FreeJoin(join);
    join = parent;
  }
}

bool Fragments::Release(std::uint64_t since) {
  if (parked_ == 0) return false;
  for (Join& join : joins_) {
    if (join.members == 0 || join.arrived == 0 || join.since > since) continue;
    Fragment released;
    released.pc = join.pc, released.mask = join.arrived;
    released.frame = join.frame, released.join = join.parent;
    parked_ &= ~join.arrived;
    join.members &= ~join.arrived;
    join.arrived = 0;
    list_.push_back(released);
    return true;
  }
  return false;
}

bool Fragments::SameFrame(int a, int b) const {
  while (a != b) {
    if (a < 0 || b < 0 || joins_[a].pc != joins_[b].pc || joins_[a].saved || joins_[b].saved) return false;
    a = joins_[a].frame, b = joins_[b].frame;
  }
  return true;
}

bool Fragments::Mergeable(const Fragment& a, const Fragment& b) const {
  return a.pc == b.pc && SameFrame(a.frame, b.frame);
}

void Fragments::Merge(int from, int into) {
  const Fragment moved = list_[from];
  // The innermost join that both are members of.
  int common = moved.join;
  for (; common >= 0; common = joins_[common].parent) {
    int at = list_[into].join;
    while (at >= 0 && at != common) at = joins_[at].parent;
    if (at == common) break;
  }
  for (int join = list_[into].join; join != common; join = joins_[join].parent)
    joins_[join].members |= moved.mask;
  list_[into].mask |= moved.mask;
  Remove(from);
  Leave(moved.join, common, moved.mask);
}

}  // namespace emu
