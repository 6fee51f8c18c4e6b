// mbarrier.test_wait and mbarrier.try_wait.
#include <fmt/core.h>

#include "tools/emulator/async/instructions.h"
#include "tools/emulator/async/mbarrier.h"
#include "tools/emulator/async/operands.h"
#include "tools/emulator/async/state.h"
#include "tools/emulator/exec/machine.h"

namespace emu {
namespace {

// How often a try_wait that could block runs into its time limit instead.
constexpr double kTimeout = 0.25;

struct WaitDetails : Details {
  SharedOperand barrier;
  bool parity = false;
  bool relaxed = false;
};

bool Completed(const Warp& warp, const Op& op, const WaitDetails& details, std::uint32_t lane,
               Mbarrier& barrier, std::uint32_t* awaited_parity) {
  const Who who{&warp, &op, lane};
  if (!details.parity) {
    *awaited_parity = barrier.phase() & 1;
    return barrier.Completed(who, warp.Lanes<std::uint64_t>(op.at[1])[lane]);
  }
  const std::uint32_t parity = warp.Lanes<std::uint32_t>(op.at[1])[lane];
  if (parity > 1)
    who.Fail(FindingKind::kBadOperand, fmt::format("a phase parity of {}: 0 and 1 are allowed", parity));
  *awaited_parity = parity;
  return barrier.Completed(parity);
}

// The lanes that learn something: once per barrier, most often all at once.
void Learn(Warp& warp, const Op& op, LaneMask lanes, const std::uint32_t (&addresses)[kWarpSize],
           Mbarrier* const (&barriers)[kWarpSize], bool relaxed) {
  for (const std::uint32_t lane : Each(lanes)) warp.checker().UseBarrier(warp, op, lane, addresses[lane]);
  while (lanes != 0) {
    const Mbarrier* barrier = barriers[FirstLane(lanes)];
    LaneMask same = 0;
    for (const std::uint32_t lane : Each(lanes)) same |= LaneMask{barriers[lane] == barrier} << lane;
    if (!barrier->completed().empty()) warp.checker().Acquire(warp, same, barrier->completed(), relaxed);
    lanes &= ~same;
  }
}

std::string ExplainWait(const Warp& warp, const Op&) {
  std::string text;
  std::uint32_t last = ~0u;
  for (const std::uint32_t lane : Each(warp.copies->waiting)) {
    const CopyState::Wait& wait = warp.copies->waits[lane];
    if (wait.address == last) continue;
    last = wait.address;
    Cta* owner = warp.cluster().OwnerOf(wait.address);
    if (owner == nullptr) continue;
    const auto found = owner->async->barriers.find(OffsetInCta(wait.address));
    if (found == owner->async->barriers.end()) continue;
    text += fmt::format("{}for the end of the phase with parity {} of {}", text.empty() ? "" : "\n",
                        wait.parity, found->second.Describe());
  }
  return text;
}

template <bool kTry>
Flow RunWait(Warp& warp, const Op& op) {
  const auto& details = *static_cast<const WaitDetails*>(op.details);
  CopyState& state = *warp.copies;
  std::uint32_t addresses[kWarpSize];
  Mbarrier* barriers[kWarpSize];
  SharedAddresses(warp, op, details.barrier, warp.active(), Mbarrier::kBytes, addresses);
  LaneMask done = 0;
  std::uint32_t before = FirstLane(warp.active());
  for (const std::uint32_t lane : Each(warp.active())) {
    if (RankOf(addresses[lane]) != warp.cta().rank) {
      warp.Fail(FindingKind::kBadOperand, op, lane,
                fmt::format("waits for a barrier of the CTA with rank {}: only its own threads may",
                            RankOf(addresses[lane])));
    }
    // Most often all lanes wait for one barrier, and many times.
    const bool same = lane != before && addresses[lane] == addresses[before];
    barriers[lane] = same ? barriers[before] : &FindMbarrier({&warp, &op, lane}, addresses[lane]);
    before = lane;
    state.waits[lane].address = addresses[lane];
    if (Completed(warp, op, details, lane, *barriers[lane], &state.waits[lane].parity))
      done |= LaneMask{1} << lane;
  }
  // A lane whose phase is over must not wait for those whose phase is not: what they wait for may be its doing.
  if (done == 0) {
    const std::uint32_t first = FirstLane(warp.active());
    Machine& machine = warp.machine();
    if (kTry && (machine.completion() == Completion::kEarly || !machine.random().Chance(kTimeout))) {
      state.waiting |= warp.active();
      warp.BlockedOn("mbarrier", addresses[first], ExplainWait);
      return Flow::kBlock;
    }
    machine.NotePoll(warp);
  }
  state.waiting &= ~warp.active();
  Learn(warp, op, done, addresses, barriers, details.relaxed);
  warp.Mask(op.at[0]) = (warp.Mask(op.at[0]) & ~warp.active()) | done;
  return Flow::kNext;
}

}  // namespace

Op LowerMbarrierWait(const ptx::Instruction& instruction, Lowering& lowering) {
  AllowModifiers(instruction, lowering,
                 {"test_wait", "try_wait", "parity", "acquire", "relaxed", "cta", "cluster", "shared",
                  "shared::cta", "b64"});
  const bool is_try = instruction.Has("try_wait");
  RequireOperands(instruction, lowering, 3, is_try ? 4 : 3);
  WaitDetails details;
  details.barrier = LowerShared(instruction.operands[1],
                                instruction.Has("shared") || instruction.Has("shared::cta"), lowering);
  details.parity = instruction.Has("parity");
  details.relaxed = instruction.Has("relaxed");
  Op op;
  op.run = is_try ? RunWait<true> : RunWait<false>;
  bool negated = false;
  op.at[0] = lowering.Predicate(instruction.operands[0], &negated);
  if (negated) lowering.Refuse("the result cannot be a negated predicate");
  op.at[1] = lowering.Source(instruction.operands[2], details.parity ? ptx::Type::kU32 : ptx::Type::kB64);
  if (instruction.operands.size() == 4) lowering.Source(instruction.operands[3], ptx::Type::kU32);
  op.details = lowering.Make(details);
  return op;
}

}  // namespace emu
