// The loop that runs ops.
#include <fmt/core.h>

#include "tools/emulator/exec/scheduler.h"
#include "tools/emulator/exec/warp_lanes.h"

namespace emu {

// Chooses a fragment that can run: in turn, or by the seed. False: the warp sleeps until its cluster makes progress.
bool Scheduler::PickFragment(Warp& warp) {
  Fragments& fragments = warp.exec->fragments;
  const std::uint64_t progress = warp.cluster().progress;
  std::vector<Fragment>& list = fragments.list();
  const std::size_t count = list.size();
  if (count == 0) return false;
  const std::size_t first = count == 1 ? 0
                            : plain_   ? static_cast<std::size_t>(fragments.now + 1)
                                       : random_.Below(static_cast<std::uint32_t>(count));
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t index = (first + i) % count;
    Fragment& fragment = list[index];
    if (fragment.wait != Wait::kNone && !(fragment.wait == Wait::kProgress && fragment.progress != progress))
      continue;
    fragment.wait = Wait::kNone;
    fragments.now = static_cast<int>(index);
    return true;
  }
  warp.exec->asleep_at = progress;
  fragments.now = -1;
  return false;
}

// The current fragment is at an op that the whole warp must run together. True when it is the whole warp now.
bool Scheduler::Gather(Warp& warp) {
  Fragments& fragments = warp.exec->fragments;
  for (std::size_t i = fragments.list().size(); i-- > 0;) {
    const Fragment& other = fragments.list()[i];
    if (static_cast<int>(i) == fragments.now || other.wait != Wait::kGather) continue;
    if (fragments.Mergeable(other, fragments.current())) fragments.Merge(static_cast<int>(i), fragments.now);
  }
  Fragment& fragment = fragments.current();
  if (fragment.mask != warp.present()) {
    fragment.wait = Wait::kGather;
    fragment.active = fragment.mask;
    fragment.what = "the other lanes of the warp";
    fragment.explain = nullptr;
    return false;
  }
  return true;
}

void Scheduler::RunFragment(Warp& warp) {
  Fragments& fragments = warp.exec->fragments;
  const Op* const ops = warp.grid().program->ops.data();
  while (fragments.now >= 0) {
    Fragment* fragment = &fragments.current();
    const LaneMask mask = fragment->mask;
    const int meeting = fragments.MeetingPoint();
    int pc = fragment->pc;
    Flow flow = Flow::kNext;
    while (pc != meeting) {
      const Op& op = ops[pc];
      LaneMask active = mask;
      if (op.guard != Op::kNone) {
        const LaneMask guard = warp.Mask(op.guard);
        active &= op.guard_negated ? ~guard : guard;
      }
      if (active != 0) {
        if (op.aligned && active != warp.present()) [[unlikely]] {
          fragment->pc = pc;
          if (mask == warp.present()) {
            warp.Fail(FindingKind::kDivergence, op, FirstLane(active),
                      fmt::format("the whole warp must execute it, but the guard is true for the lanes "
                                  "{:#010x} of {:#010x} only",
                                  active, mask));
          }
          if (!Gather(warp)) return;
          flow = Flow::kMoved;
          break;
        }
        WarpLanes::SetActive(warp, active);
        if (warp.registers_in_flight) CheckInFlight(warp, op);
        flow = op.run(warp, op);
        if (flow != Flow::kNext) {
          if (flow == Flow::kBlock) {
            fragment->pc = pc;
            fragment->active = active;
            if (fragment->wait == Wait::kNone) fragment->wait = Wait::kProgress;
            fragment->progress = warp.cluster().progress;
            return;
          }
          ++machine_.ticks_;
          break;
        }
      }
      ++pc;
      if (++machine_.ticks_ >= machine_.until_) {
        fragment->pc = pc;
        return;
      }
    }
    if (flow == Flow::kMoved) {
      if (machine_.ticks_ >= machine_.until_) return;
      continue;
    }
    // At the meeting point.
    fragment->pc = pc;
    if (parts_ && random_.Below(16) == 0) {
      fragments.PassBy();
    } else if (!fragments.Meet(machine_.ticks_)) {
      return;
    }
  }
}

void Scheduler::RunWarp(Warp& warp, std::uint64_t budget) {
  // Lanes that wait where they could meet others do not wait for ever: the others may wait for them in a loop.
  constexpr std::uint64_t kPatience = 50000;
  ExecState& exec = *warp.exec;
  machine_.until_ = machine_.ticks_ + budget;
  if (exec.fragments.parked() && machine_.ticks_ > kPatience)
    exec.fragments.Release(machine_.ticks_ - kPatience);
  while (!exec.done && machine_.ticks_ < machine_.until_) {
    if (!PickFragment(warp)) break;
    RunFragment(warp);
  }
}

}  // namespace emu
