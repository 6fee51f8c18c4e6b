// When wgmmas are issued, performed and waited for.

#include <fmt/core.h>

#include <algorithm>

#include "tools/emulator/exec/program.h"
#include "tools/emulator/tensor/modifiers.h"
#include "tools/emulator/tensor/wgmma_call.h"

namespace emu {

namespace {

constexpr std::uint32_t kWholeGroup = 15;

class WgmmaOperation : public AsyncOperation {
 public:
  WgmmaOperation(std::shared_ptr<Warpgroup> group, std::shared_ptr<WgmmaCall> call)
      : group_(std::move(group)), call_(std::move(call)) {}
  // A warpgroup's wgmmas are performed in the order of issue.
  bool Ready() const override { return group_->performed == call_->number; }
  void Perform() override {
    PerformWgmma(*group_, *call_);
    call_->performed = true;
    call_->operation = nullptr;
    ++group_->performed;
  }
  std::string Describe() const override {
    return fmt::format("{} of the warpgroup of warps {} to {}, PTX line {}", call_->op->name,
                       group_->warps[0]->index(), group_->warps[0]->index() + 3, call_->op->line);
  }

 private:
  std::shared_ptr<Warpgroup> group_;
  std::shared_ptr<WgmmaCall> call_;
};

std::uint64_t Uniform(const Warp& warp, const Op& op, std::uint32_t at, const char* what) {
  const auto* values = warp.Lanes<std::uint64_t>(at);
  for (std::uint32_t lane = 1; lane < kWarpSize; ++lane) {
    if (values[lane] == values[0]) continue;
    warp.Fail(FindingKind::kDivergence, op, lane,
              fmt::format(
                  "the descriptor of {} is {:#018x} and {:#018x} in lane 0; it must be the same in all threads "
                  "of the warpgroup",
                  what, values[lane], values[0]));
  }
  return values[0];
}

bool ReadScaleD(const Warp& warp, const Op& op, const WgmmaDetails& details) {
  if (details.scale_d == Op::kNone) return details.add;
  const LaneMask set = warp.Mask(details.scale_d) ^ (details.scale_d_negated ? kAllLanes : 0);
  if (set != 0 && set != kAllLanes) {
    warp.Fail(
        FindingKind::kDivergence, op, FirstLane(set),
        fmt::format("scale-d is true in the lanes {:#010x} only; it must be the same in all threads of the "
                    "warpgroup",
                    set));
  }
  return set != 0;
}

// The warp arrives at the wgmma after the last one that it has arrived at: the others must see the same there.
std::shared_ptr<WgmmaCall> Arrive(Warp& warp, const Op& op, WgmmaState& state) {
  const WgmmaDetails& details = DetailsOf(op);
  WgmmaCall seen;
  seen.number = state.issued;
  seen.op = &op;
  seen.a = details.a_registers.empty() ? Uniform(warp, op, details.a_descriptor, "A") : 0;
  seen.b = Uniform(warp, op, details.b_descriptor, "B");
  seen.add = ReadScaleD(warp, op, details);
  Warpgroup& group = *state.group;
  if (state.issued == group.first + group.calls.size()) {
    group.calls.push_back(std::make_shared<WgmmaCall>(seen));
  }
  const std::shared_ptr<WgmmaCall> call = group.calls[state.issued - group.first];
  const std::uint32_t other = call->arrived != 0 ? FirstLane(call->arrived) : state.place;
  const auto differ = [&](const std::string& what) {
    warp.Fail(
        FindingKind::kDivergence, op, 0,
        fmt::format("the four warps of a warpgroup must execute the same wgmma; {} as wgmma number {} of the "
                    "warpgroup, by warp {}",
                    what, call->number, group.warps[other]->index()));
  };
  if (call->op != &op)
    differ(fmt::format("here it is that of PTX line {}, and that of line {}", op.line, call->op->line));
  if (call->a != seen.a) differ(fmt::format("here A's descriptor is {:#018x}, and {:#018x}", seen.a, call->a));
  if (call->b != seen.b) differ(fmt::format("here B's descriptor is {:#018x}, and {:#018x}", seen.b, call->b));
  if (call->add != seen.add) differ(fmt::format("here scale-d is {}, and {}", seen.add, call->add));
  call->arrived |= 1u << state.place;
  return call;
}

// All four warps have arrived.
void Issue(Warp& warp, const std::shared_ptr<Warpgroup>& group, const std::shared_ptr<WgmmaCall>& call) {
  FindGranules(warp, call.get());
  AddReads(warp, call.get());
  auto operation = std::make_unique<WgmmaOperation>(group, call);
  call->operation = operation.get();
  ++warp.cluster().progress;
  warp.cluster().queue->Issue(std::move(operation));
}

std::string ExplainWait(const Warp& warp, const Op&) {
  const WgmmaState& state = *warp.wgmma;
  const Warpgroup& group = *state.group;
  for (std::uint64_t number = state.retired; number < state.issued; ++number) {
    const WgmmaCall& call = group.Call(number);
    if (call.arrived == kWholeGroup) continue;
    std::string missing;
    for (std::uint32_t place = 0; place < 4; ++place) {
      if ((call.arrived >> place & 1) != 0) continue;
      missing += fmt::format("{}{}", missing.empty() ? "" : ", ", group.warps[place]->index());
    }
    return fmt::format("{} of PTX line {} needs all four warps of the warpgroup; missing: warp {}",
                       call.op->name, call.op->line, missing);
  }
  return "wgmmas of its warpgroup";
}

void DropOldCalls(Warpgroup& group) {
  std::uint64_t oldest = ~std::uint64_t{0};
  for (const Warp* warp : group.warps) {
    if (warp != nullptr) oldest = std::min(oldest, warp->wgmma->retired);
  }
  // The last one is kept: the next may continue its reads.
  while (group.calls.size() > 1 && group.first < oldest) {
    group.calls.pop_front();
    ++group.first;
  }
}

void Retire(Warp& warp, WgmmaState& state, std::uint64_t end) {
  WgmmaReads* last = nullptr;
  for (std::uint64_t number = state.retired; number < end; ++number) {
    WgmmaReads* reads = state.group->Call(number).reads.get();
    if (reads != last) EndReads(warp, reads);
    last = reads;
  }
  LearnResults(warp, end);
  state.retired = end;
  warp.registers_in_flight = state.issued > state.retired;
  DropOldCalls(*state.group);
}

}  // namespace

WgmmaState& StateOf(Warp& warp) {
  WgmmaState& state = *warp.wgmma;
  if (state.group != nullptr) return state;
  const std::uint32_t first = warp.index() / 4 * 4;
  const auto group = std::make_shared<Warpgroup>();
  const std::uint32_t file_bytes = warp.grid().program->file_bytes;
  auto& warps = warp.cta().warps;
  for (std::uint32_t place = 0; place < 4 && first + place < warps.size(); ++place) {
    Warp* member = warps[first + place].get();
    group->warps[place] = member;
    member->wgmma->group = group;
    member->wgmma->place = place;
    member->wgmma->uses.resize(file_bytes / 64 + 1);
    member->wgmma->known.resize(file_bytes);
    member->wgmma->is_known.resize(file_bytes / 64 + 1);
  }
  return state;
}

Flow RunWgmma(Warp& warp, const Op& op) {
  RequireWholeWarp(warp, op);
  WgmmaState& state = StateOf(warp);
  if (state.group->warps[3] == nullptr) {
    warp.Fail(FindingKind::kDivergence, op, 0,
              fmt::format("a warpgroup is four warps, and the CTA has {} warps", warp.cta().warps.size()));
  }
  CheckRegisters(warp, op);
  const std::shared_ptr<WgmmaCall> call = Arrive(warp, op, state);
  BeginReads(warp, *state.group, call.get());
  MarkRegisters(warp, op);
  ++state.issued;
  warp.registers_in_flight = true;
  if (call->arrived == kWholeGroup) Issue(warp, state.group, call);
  return Flow::kNext;
}

Flow RunWgmmaFence(Warp& warp, const Op& op) {
  RequireWholeWarp(warp, op);
  ++StateOf(warp).fences;
  LearnAtFence(warp, op);
  return Flow::kNext;
}

Flow RunWgmmaCommit(Warp& warp, const Op& op) {
  RequireWholeWarp(warp, op);
  WgmmaState& state = StateOf(warp);
  state.commits.push_back(state.issued);
  if (state.issued > state.retired) {
    WgmmaCall& call = state.group->Call(state.issued - 1);
    if (call.arrived == kWholeGroup) TellReads(warp, call.reads.get());
  }
  return Flow::kNext;
}

Flow RunWgmmaWait(Warp& warp, const Op& op) {
  RequireWholeWarp(warp, op);
  WgmmaState& state = StateOf(warp);
  const auto pending = static_cast<std::size_t>(op.imm);
  if (state.commits.size() <= pending) return Flow::kNext;
  const std::size_t over = state.commits.size() - pending;
  const std::uint64_t end = state.commits[over - 1];
  for (std::uint64_t number = state.retired; number < end; ++number) {
    WgmmaCall& call = state.group->Call(number);
    if (!call.performed && call.operation != nullptr) warp.cluster().queue->PerformNow(call.operation);
    if (call.performed) continue;
    warp.BlockedOn("wgmma of its warpgroup", number, ExplainWait);
    return Flow::kBlock;
  }
  state.commits.erase(state.commits.begin(), state.commits.begin() + static_cast<std::ptrdiff_t>(over));
  Retire(warp, state, std::max(end, state.retired));
  return Flow::kNext;
}

}  // namespace emu
