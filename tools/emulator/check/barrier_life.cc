// What may be done with an mbarrier, and when.
#include <fmt/core.h>

#include <stdexcept>

#include "tools/emulator/check/state.h"

namespace emu {
namespace {

constexpr std::uint32_t kBytes = 8;

std::uint32_t RankOf(std::uint32_t address) { return address >> kRankShift; }
std::uint32_t OffsetOf(std::uint32_t address) { return address & ((1u << kRankShift) - 1); }

constexpr const char* kNever = "no mbarrier.init has been there: it is not a barrier";
constexpr const char* kOver = "the barrier there has been invalidated";

}  // namespace

void Checker::State::StartBarrier(const Warp& warp, const Op& op, std::uint32_t lane, std::uint32_t address) {
  PastAccess init;
  init.first = Of(warp).first_slot();
  init.lanes = 1u << lane;
  init.time = Of(warp).time();
  init.site = sites.Of(op);
  init.kind = AccessKind::kWrite;
  barriers.Start(address, init).Note(init.site, init.slot(), init.time);
  Access access;
  if (Place(address, kBytes, &access)) shadow.MarkBarrier(access.rank, access.offset, kBytes, true);
}

void Checker::State::EndBarrier(const Warp& warp, const Op& op, std::uint32_t lane, std::uint32_t address) {
  BarrierLife* life = barriers.Find(address);  // in use just now
  const WarpKnowledge& knowledge = Of(warp);
  const std::uint32_t slot = knowledge.first_slot() + lane;
  const View view = knowledge.ViewOf(lane);
  if (const PastAccess* use = life->UnknownUse(view, operations.first_slot())) {
    const std::uint32_t user = use->first + view.Unknown(use->first, use->lanes, use->time);
    FailBarrier(ActorOf(slot, knowledge.time(), sites.Of(op)), address, life,
                fmt::format("the barrier is invalidated, but nothing orders that after {}",
                            ActorOf(user, use->time, use->site).Text()));
  }
  life->live = false;
  shadow.MarkBarrier(RankOf(address), OffsetOf(address), kBytes, false);
  std::uint32_t addresses[kWarpSize];
  addresses[lane] = address;
  Access access;
  access.kind = AccessKind::kWrite;
  access.bytes = kBytes;
  Lanes(warp, op, 1u << lane, addresses, access);
}

void Checker::State::UseBarrier(const Warp& warp, const Op& op, std::uint32_t lane, std::uint32_t address) {
  const WarpKnowledge& knowledge = Of(warp);
  const std::uint32_t slot = knowledge.first_slot() + lane, time = knowledge.time();
  const std::uint16_t site = sites.Of(op);
  BarrierLife* life = barriers.Find(address);
  if (life == nullptr || !life->live) {
    FailBarrier(ActorOf(slot, time, site), address, life, life == nullptr ? kNever : kOver);
  }
  const View view = knowledge.ViewOf(lane);
  const PastAccess& init = life->init;
  if (!view.Knows(init.slot(), init.time) &&
      !(life->published != 0 && view.KnowsPerformed(init.slot(), life->published))) {
    FailBarrier(ActorOf(slot, time, site), address, life,
                fmt::format("nothing orders this use after the initialisation of the barrier by {}: {}",
                            ActorOf(init.slot(), init.time, init.site).Text(),
                            RankOf(address) == warp.cta().rank
                                ? "bar.sync, or whatever makes this thread wait for that one, is missing"
                                : "fence.mbarrier_init and a barrier of the cluster are missing"));
  }
  PastAccess use;
  use.first = knowledge.first_slot();
  use.lanes = 1u << lane;
  use.time = time;
  use.site = site;
  life->AddUse(use, view);
  life->Note(site, slot, time);
  if (RankOf(address) != warp.cta().rank) NoteTouch(RankOf(address), slot, time, site);
}

void Checker::State::UseBarrier(std::uint32_t slot, std::uint32_t time, std::uint32_t address, LaneMask by) {
  if (!operations.IsOpen(slot, time))
    throw std::logic_error("Checker: a barrier of an operation that has ended");
  const Operation operation = operations.Find(slot, time);
  const std::uint16_t site = sites.Of(*operation.op);
  BarrierLife* life = barriers.Find(address);
  if (life == nullptr || !life->live) {
    FailBarrier(ActorOf(slot, time, site), address, life, life == nullptr ? kNever : kOver);
  }
  View view = operations.ViewOf(slot);
  if (by != 0) view.own_lanes = by;
  const PastAccess& init = life->init;
  const bool published = life->published != 0 && view.KnowsPerformed(init.slot(), life->published);
  if (!published && !view.Knows(init.slot(), init.time)) {
    FailBarrier(
        ActorOf(slot, time, site), address, life,
        fmt::format("nothing orders the operation, which signals the barrier, after its initialisation by {}",
                    ActorOf(init.slot(), init.time, init.site).Text()));
  }
  if (!published && !view.KnowsFenced(init.slot(), init.time)) {
    FailBarrier(ActorOf(slot, time, site), address, life,
                fmt::format("the operation signals the barrier, whose initialisation by {} was not published: "
                            "fence.mbarrier_init or fence.proxy.async is missing after it",
                            ActorOf(init.slot(), init.time, init.site).Text()));
  }
  PastAccess use;
  use.first = slot;
  use.lanes = 1;
  use.time = time;
  use.site = site;
  life->AddUse(use, view);
  life->Note(site, slot, time);
  NoteTouch(RankOf(address), slot, time, site);
}

}  // namespace emu
