#include "tools/emulator/exec/collective.h"

#include <fmt/core.h>

#include "tools/emulator/exec/state.h"

namespace emu {
namespace {

LaneMask MembersOf(const Warp& warp, const Op& op, std::uint32_t lane) {
  return warp.Lanes<std::uint32_t>(op.at[5])[lane];
}

// The active lanes that name the same members as the first of them.
LaneMask SameMembers(const Warp& warp, const Op& op, LaneMask lanes) {
  const LaneMask members = MembersOf(warp, op, FirstLane(lanes));
  LaneMask same = 0;
  for (std::uint32_t lane : Each(lanes)) {
    if (MembersOf(warp, op, lane) == members) same |= 1u << lane;
  }
  return same;
}

std::string Describe(const Warp& warp, const Op&) {
  std::string text;
  for (const Fragment& fragment : warp.exec->fragments.list()) {
    if (fragment.wait == Wait::kLanes) text = fmt::format("its member mask is {:#010x}", fragment.object);
  }
  return text;
}

// Those who wait for the same members at an instruction of the same kind.
void AddWaiting(Warp& warp, const Op& op, LaneMask needed, Party* party) {
  Fragments& fragments = warp.exec->fragments;
  const Op* ops = warp.grid().program->ops.data();
  for (std::size_t i = 0; i < fragments.list().size(); ++i) {
    const Fragment& other = fragments.list()[i];
    if (static_cast<int>(i) == fragments.now || other.wait != Wait::kLanes) continue;
    const Op& at = ops[other.pc];
    if (at.run != op.run || at.imm != op.imm || other.object != party->members) continue;
    if ((other.active & ~needed) != 0) continue;
    party->parts[static_cast<std::size_t>(party->count++)] = {&at, other.active, static_cast<int>(i)};
    party->lanes |= other.active;
  }
}

// The fragments that waited go on, as one with the present one where they are at the same place.
void GoOn(Warp& warp, const Party& party, int next) {
  Fragments& fragments = warp.exec->fragments;
  fragments.current().pc = next;
  for (int i = 1; i < party.count; ++i) {
    Fragment& other =
        fragments.list()[static_cast<std::size_t>(party.parts[static_cast<std::size_t>(i)].fragment)];
    other.wait = Wait::kNone;
    ++other.pc;
  }
  for (std::size_t i = fragments.list().size(); i-- > 0;) {
    const Fragment& other = fragments.list()[i];
    if (static_cast<int>(i) == fragments.now || other.wait != Wait::kNone || (other.mask & ~party.lanes) != 0)
      continue;
    if (fragments.Mergeable(other, fragments.current())) fragments.Merge(static_cast<int>(i), fragments.now);
  }
}

}  // namespace

Flow AsTheyAre(Warp& warp, const Op& op, Together together) {
  Party party;
  party.lanes = party.members = warp.active();
  party.parts[0] = {&op, warp.active(), -1};
  party.count = 1;
  together(warp, party);
  return Flow::kNext;
}

Flow Assemble(Warp& warp, const Op& op, Together together) {
  Fragments& fragments = warp.exec->fragments;
  LaneMask rest = warp.active();
  const LaneMask same = SameMembers(warp, op, rest);
  if (same != rest || rest != fragments.current().mask) {
    // Each group by itself, and those whose guard is false not at all; all meet behind the instruction if they can.
    bool complete = true;
    for (LaneMask left = rest; left != 0;) {
      const LaneMask group = SameMembers(warp, op, left);
      complete = complete && (MembersOf(warp, op, FirstLane(group)) & warp.present() & ~group) == 0;
      left &= ~group;
    }
    if (!complete) {
      const int here = IndexOf(warp, op);
      fragments.Branch(same, here, same == rest ? here + 1 : here, here + 1, true);
      return Flow::kMoved;
    }
  }
  bool alone = true;
  Party party;
  for (; rest != 0; rest &= ~party.parts[0].lanes) {
    const LaneMask group = SameMembers(warp, op, rest);
    party.members = MembersOf(warp, op, FirstLane(group));
    if ((group & ~party.members) != 0) {
      warp.Fail(FindingKind::kDivergence, op, FirstLane(group & ~party.members),
                fmt::format("the lane is no member of its member mask {:#010x}", party.members));
    }
    party.lanes = group;
    party.parts[0] = {&op, group, fragments.now};
    party.count = 1;
    const LaneMask needed = party.members & warp.present();
    if ((needed & ~group) != 0) AddWaiting(warp, op, needed, &party);
    if ((needed & ~party.lanes) != 0) {
      warp.BlockedOn("the lanes of its member mask", party.members, Describe);
      fragments.current().wait = Wait::kLanes;
      return Flow::kBlock;
    }
    together(warp, party);
    alone = party.count == 1;
  }
  if (alone) return Flow::kNext;
  GoOn(warp, party, IndexOf(warp, op) + 1);
  return Flow::kMoved;
}

LaneMask CollectMask(Warp& warp, const Party& party, int operand, bool (*negated)(const Op&)) {
  LaneMask value = 0;
  for (int i = 0; i < party.count; ++i) {
    const Party::Part& part = party.parts[static_cast<std::size_t>(i)];
    const LaneMask mask = warp.Mask(part.op->at[operand]) ^ (negated(*part.op) ? kAllLanes : 0);
    value |= mask & part.lanes;
  }
  return value;
}

void DistributeMask(Warp& warp, const Party& party, int operand, LaneMask value) {
  for (int i = 0; i < party.count; ++i) {
    const Party::Part& part = party.parts[static_cast<std::size_t>(i)];
    if (part.op->at[operand] == Op::kNone) continue;
    LaneMask& mask = warp.Mask(part.op->at[operand]);
    mask = (mask & ~part.lanes) | (value & part.lanes);
  }
}

}  // namespace emu
