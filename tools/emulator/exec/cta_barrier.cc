// The 16 named barriers of a CTA (PTX ISA, "Parallel Synchronization and Communication Instructions: bar, barrier").
#include <fmt/core.h>

#include "tools/emulator/check/checker.h"
#include "tools/emulator/exec/barriers.h"
#include "tools/emulator/exec/state.h"

namespace emu {
namespace {

enum class Action : std::uint8_t { kSync, kArrive, kRedPopc, kRedAnd, kRedOr };

// at[0]: the result of a reduction, at[1]: the barrier, at[2]: the number of threads or kNone, at[3]: the predicate.
// imm: Action | predicate negated << 8.
constexpr std::uint64_t kReleased = ~std::uint64_t{0};
constexpr std::uint32_t kBarriers = 16;

Action ActionOf(const Op& op) { return static_cast<Action>(op.imm & 0xff); }
std::uint32_t CountBits(LaneMask lanes) { return static_cast<std::uint32_t>(__builtin_popcount(lanes)); }
std::uint64_t Token(std::uint64_t phase, std::uint32_t id) { return phase * kBarriers + id; }

std::uint32_t WholeThreads(const Warp& warp) {
  const auto threads = static_cast<std::uint32_t>(warp.grid().threads.count());
  return (threads + kWarpSize - 1) / kWarpSize * kWarpSize;
}

// Threads of this phase as the barrier counts them: a warp all of whose lanes have come counts whole.
void Count(Warp& warp, LaneMask lanes, NamedBarrier* barrier) {
  std::vector<LaneMask>& came = barrier->lanes;
  came.resize(warp.cta().warps.size());
  LaneMask& before = came[warp.index()];
  const LaneMask after = before | lanes;
  if (barrier->expected == 0) {
    before = after;
    return;
  }
  if ((after & warp.present()) == warp.present()) {
    barrier->arrived += kWarpSize - CountBits(before);
    before = 0;
  } else {
    barrier->arrived += CountBits(lanes);
    before = after;
  }
}

bool Everybody(const Cta& cta, const NamedBarrier& barrier) {
  for (const auto& warp : cta.warps) {
    const LaneMask came = warp->index() < barrier.lanes.size() ? barrier.lanes[warp->index()] : 0;
    if ((warp->present() & ~came) != 0) return false;
  }
  return true;
}

bool Complete(const Cta& cta, const NamedBarrier& barrier) {
  if (!barrier.used) return false;
  return barrier.expected == 0 ? Everybody(cta, barrier) : barrier.arrived == barrier.expected;
}

std::uint64_t Result(const NamedBarrier& barrier) { return std::uint64_t{barrier.votes} << 32 | barrier.zeros; }

void Release(Cta& cta, std::uint32_t id) {
  NamedBarrier& barrier = cta.barriers->named[id];
  const std::uint64_t token = Token(barrier.phase, id);
  for (const auto& warp : cta.warps) {
    for (Fragment& fragment : warp->exec->fragments.list()) {
      if (fragment.token != token) continue;
      warp->checker().Acquire(*warp, fragment.active, barrier.point);
      fragment.token = kReleased;
      fragment.value = Result(barrier);
    }
  }
  ++barrier.phase;
  barrier.arrived = barrier.expected = barrier.votes = barrier.zeros = 0;
  barrier.lanes.assign(barrier.lanes.size(), 0);
  barrier.point.Clear();
  barrier.used = false;
  ++cta.cluster->progress;
}

// The number of threads that the instruction names, 0 when it means all.
std::uint32_t Expected(Warp& warp, const Op& op) {
  if (op.at[2] == Op::kNone) return 0;
  const std::uint32_t lane = FirstLane(warp.active());
  const std::uint32_t threads = warp.Lanes<std::uint32_t>(op.at[2])[lane];
  for (std::uint32_t other : Each(warp.active())) {
    if (warp.Lanes<std::uint32_t>(op.at[2])[other] != threads) {
      warp.Fail(FindingKind::kBadOperand, op, other, "lanes of one warp name different numbers of threads");
    }
  }
  if (threads % kWarpSize != 0) {
    warp.Fail(FindingKind::kBarrierMisuse, op, lane,
              fmt::format("the number of threads, {}, is no multiple of the warp size", threads));
  }
  if (threads == 0 && ActionOf(op) == Action::kArrive) {
    warp.Fail(FindingKind::kBarrierMisuse, op, lane, "the number of threads of an arrive must not be zero");
  }
  return threads == WholeThreads(warp) ? 0 : threads;
}

std::uint32_t BarrierOf(Warp& warp, const Op& op) {
  const std::uint32_t lane = FirstLane(warp.active());
  const std::uint32_t id = warp.Lanes<std::uint32_t>(op.at[1])[lane];
  if (id >= kBarriers) {
    warp.Fail(FindingKind::kBadOperand, op, lane,
              fmt::format("barrier {}: a CTA has the barriers 0 to 15", id));
  }
  return id;
}

void Arrive(Warp& warp, const Op& op, std::uint32_t id) {
  NamedBarrier& barrier = warp.cta().barriers->named[id];
  const LaneMask lanes = warp.active();
  const std::uint32_t expected = Expected(warp, op);
  if (barrier.used && barrier.expected != expected) {
    warp.Fail(
        FindingKind::kBarrierMisuse, op, FirstLane(lanes),
        fmt::format("barrier {} is expected to have {} threads here, {} by those who came before (0: all)", id,
                    expected, barrier.expected));
  }
  barrier.used = true;
  barrier.expected = expected;
  Count(warp, lanes, &barrier);
  if (expected != 0 && barrier.arrived > expected) {
    warp.Fail(FindingKind::kBarrierMisuse, op, FirstLane(lanes),
              fmt::format("barrier {} has {} threads now and expects {}", id, barrier.arrived, expected));
  }
  warp.checker().Release(warp, lanes, &barrier.point);
  if (ActionOf(op) >= Action::kRedPopc) {
    const LaneMask predicate = warp.Mask(op.at[3]) ^ (op.imm >> 8 != 0 ? kAllLanes : 0);
    barrier.votes += CountBits(lanes & predicate);
    barrier.zeros += CountBits(lanes & ~predicate);
  }
}

Flow Finish(Warp& warp, const Op& op, std::uint64_t result) {
  const auto votes = static_cast<std::uint32_t>(result >> 32), zeros = static_cast<std::uint32_t>(result);
  const LaneMask lanes = warp.active();
  LaneMask value = 0;
  switch (ActionOf(op)) {
    case Action::kRedPopc:
      for (std::uint32_t lane : Each(lanes)) warp.Lanes<std::uint32_t>(op.at[0])[lane] = votes;
      return Flow::kNext;
    case Action::kRedAnd:
      value = zeros == 0 ? kAllLanes : 0;
      break;
    case Action::kRedOr:
      value = votes != 0 ? kAllLanes : 0;
      break;
    default:
      return Flow::kNext;
  }
  warp.Mask(op.at[0]) = (warp.Mask(op.at[0]) & ~lanes) | (value & lanes);
  return Flow::kNext;
}

Flow Bar(Warp& warp, const Op& op) {
  Fragment& fragment = warp.exec->fragments.current();
  const LaneMask lanes = warp.active();
  if (fragment.token == 0) {
    const std::uint32_t id = BarrierOf(warp, op);
    LaneMask same = 0;
    for (std::uint32_t lane : Each(lanes)) {
      if (warp.Lanes<std::uint32_t>(op.at[1])[lane] == id) same |= 1u << lane;
    }
    if (same != lanes) {
      // Lanes for another barrier go there by themselves.
      const int here = IndexOf(warp, op);
      warp.exec->fragments.Branch(same, here, here, here + 1, true);
      return Flow::kMoved;
    }
    Arrive(warp, op, id);
    NamedBarrier& barrier = warp.cta().barriers->named[id];
    const bool waits = ActionOf(op) != Action::kArrive;
    if (waits) {
      fragment.token = Token(barrier.phase, id);
      fragment.active = lanes;
    }
    if (Complete(warp.cta(), barrier)) Release(warp.cta(), id);
    if (!waits) return Flow::kNext;
  }
  if (fragment.token == kReleased) {
    fragment.token = 0;
    return Finish(warp, op, fragment.value);
  }
  warp.BlockedOn("barrier", fragment.token % kBarriers, DescribeBarrier);
  return Flow::kBlock;
}

}  // namespace

void LeaveBarriers(Warp& warp, LaneMask lanes) {
  Cta& cta = warp.cta();
  for (std::uint32_t id = 0; id < kBarriers; ++id) {
    NamedBarrier& barrier = cta.barriers->named[id];
    if (barrier.used && warp.index() < barrier.lanes.size()) {
      LaneMask& came = barrier.lanes[warp.index()];
      // The rest of the warp has come before.
      if (barrier.expected != 0 && came != 0 && (came & warp.present()) == warp.present()) {
        barrier.arrived += kWarpSize - CountBits(came);
        came = 0;
      }
    }
    if (cta.barriers->live_threads != 0 && Complete(cta, barrier)) Release(cta, id);
  }
  LeaveClusterBarrier(warp, lanes);
}

std::string DescribeBarrier(const Warp& warp, const Op&) {
  const Fragment* fragment = nullptr;
  for (const Fragment& one : warp.exec->fragments.list()) {
    if (one.explain == DescribeBarrier) fragment = &one;
  }
  if (fragment == nullptr) return "";
  const NamedBarrier& barrier = warp.cta().barriers->named[fragment->object % kBarriers];
  if (barrier.expected != 0) {
    return fmt::format("{} of {} threads have arrived", barrier.arrived, barrier.expected);
  }
  std::string missing;
  for (const auto& other : warp.cta().warps) {
    const LaneMask came = other->index() < barrier.lanes.size() ? barrier.lanes[other->index()] : 0;
    const LaneMask absent = other->present() & ~came;
    if (absent != 0) missing += fmt::format("{}{}", missing.empty() ? "" : ", ", other->index());
  }
  return "all threads of the CTA must come; missing are lanes of the warps " + missing;
}

Op LowerBarrier(const ptx::Instruction& instruction, Lowering& lowering) {
  if (instruction.Has("cluster")) return LowerClusterBarrier(instruction, lowering);
  if (instruction.Has("warp")) return LowerWarpBarrier(instruction, lowering);
  const std::vector<ptx::Operand>& operands = instruction.operands;
  Op op;
  op.run = Bar;
  op.aligned = instruction.opcode == "bar" || instruction.Has("aligned");
  Action action = Action::kSync;
  bool known = false, red = false;
  ptx::Type type = ptx::Type::kNone;
  for (const std::string& modifier : instruction.modifiers) {
    if (modifier == "sync")
      known = true;
    else if (modifier == "arrive")
      known = true, action = Action::kArrive;
    else if (modifier == "red")
      known = red = true;
    else if (modifier == "popc")
      action = Action::kRedPopc;
    else if (modifier == "and")
      action = Action::kRedAnd;
    else if (modifier == "or")
      action = Action::kRedOr;
    else if (modifier == "u32" || modifier == "pred")
      type = ptx::ParseType(modifier);
    else if (modifier != "cta" && modifier != "aligned")
      lowering.Refuse("unknown modifier ." + modifier);
  }
  const std::size_t first = red ? 1 : 0;
  const std::size_t most = red ? 4 : 2, least = red ? 3 : action == Action::kArrive ? 2 : 1;
  if (!known || operands.size() > most || operands.size() < least) lowering.Refuse("an unknown form");
  if (red && (action < Action::kRedPopc || (type == ptx::Type::kU32) != (action == Action::kRedPopc))) {
    lowering.Refuse("an unknown reduction");
  }
  op.imm = static_cast<std::int64_t>(action);
  op.at[1] = lowering.Source(operands[first], ptx::Type::kU32);
  if (operands.size() > first + (red ? 2 : 1)) op.at[2] = lowering.Source(operands[first + 1], ptx::Type::kU32);
  if (red) {
    bool negated = false;
    op.at[0] = lowering.Destination(operands[0], type);
    op.at[3] = lowering.Predicate(operands.back(), &negated);
    if (negated) op.imm |= 256;
  }
  return op;
}

Op LowerBar(const ptx::Instruction& instruction, Lowering& lowering) {
  return LowerBarrier(instruction, lowering);
}

}  // namespace emu
