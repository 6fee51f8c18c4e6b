// Accesses of lanes and operations on their way to the shadow.
#include <stdexcept>

#include "tools/emulator/check/state.h"

namespace emu {
namespace {

std::uint32_t WarpsPerCta(const Cluster& cluster) {
  return static_cast<std::uint32_t>((cluster.grid->threads.count() + kWarpSize - 1) / kWarpSize);
}

std::uint32_t WarpSlot(std::size_t warp) {
  return kFirstThreadSlot + static_cast<std::uint32_t>(warp) * kWarpSize;
}

}  // namespace

Checker::State::State(Cluster* of)
    : cluster(of),
      warps_per_cta(WarpsPerCta(*of)),
      operations(WarpSlot(of->ctas.size() * warps_per_cta)),
      shadow(static_cast<std::uint32_t>(of->ctas.size()), this),
      exits(of->ctas.size()),
      touches(of->ctas.size()) {
  for (const auto& cta : of->ctas) shared_bytes.push_back(static_cast<std::uint32_t>(cta->shared.size()));
  for (std::size_t warp = 0; warp < of->ctas.size() * warps_per_cta; ++warp) warps.emplace_back(WarpSlot(warp));
}

bool Checker::State::Place(std::uint32_t address, std::uint32_t bytes, Access* access) const {
  const std::uint32_t rank = address >> kRankShift;
  const std::uint32_t offset = address & ((1u << kRankShift) - 1);
  if (rank >= shared_bytes.size()) return false;
  const std::uint32_t size = shared_bytes[rank];
  if (offset > size || bytes > size - offset) return false;
  access->rank = rank;
  access->offset = offset;
  access->bytes = bytes;
  return true;
}

void Checker::State::Lanes(const Warp& warp, const Op& op, LaneMask mask, const std::uint32_t* address,
                           Access access) {
  const WarpKnowledge& knowledge = Of(warp);
  access.site = sites.Of(op);
  access.time = knowledge.time();
  access.lanes = 1;
  const std::uint32_t bytes = access.bytes;
  for (const WarpKnowledge::Group& group : knowledge.groups()) {
    View view = knowledge.ViewOf(group);
    access.view = &view;
    for (std::uint32_t lane : Each(mask & group.lanes)) {
      if (!Place(address[lane], bytes, &access)) continue;
      knowledge.AddOwn(lane, &view);
      access.first = knowledge.first_slot();
      access.lanes = 1u << lane;
      if (access.rank != warp.cta().rank) NoteTouch(access.rank, access.slot(), access.time, access.site);
      shadow.Add(access);
    }
  }
}

// Neighbouring lanes that read the same bytes are one access, as long as each of them knows the writes by what all know.
void Checker::State::Reads(const Warp& warp, const Op& op, LaneMask mask, const std::uint32_t* address,
                           std::uint32_t bytes) {
  const WarpKnowledge& knowledge = Of(warp);
  Access access;
  access.kind = AccessKind::kRead;
  access.reads = true;
  access.site = sites.Of(op);
  access.time = knowledge.time();
  access.first = knowledge.first_slot();
  for (const WarpKnowledge::Group& group : knowledge.groups()) {
    const View shared = knowledge.ViewOf(group);
    View own = shared;
    for (LaneMask rest = mask & group.lanes; rest != 0;) {
      const std::uint32_t lane = FirstLane(rest);
      LaneMask run = 1u << lane;
      rest &= rest - 1;
      while (rest != 0 && address[FirstLane(rest)] == address[lane]) {
        run |= rest & -rest;
        rest &= rest - 1;
      }
      if (!Place(address[lane], bytes, &access)) continue;
      access.lanes = run;
      if (access.rank != warp.cta().rank) {
        for (std::uint32_t one : Each(run))
          NoteTouch(access.rank, access.first + one, access.time, access.site);
      }
      access.view = &shared;
      if ((run & (run - 1)) != 0 && shadow.AddIfOrdered(access)) continue;
      access.view = &own;
      for (std::uint32_t one : Each(run)) {
        knowledge.AddOwn(one, &own);
        access.lanes = 1u << one;
        shadow.Add(access);
      }
    }
  }
}

void Checker::State::Async(std::uint32_t slot, std::uint32_t time, std::uint32_t address, std::uint32_t bytes,
                           AccessKind kind, bool generic, LaneMask by, bool unwritten_too) {
  if (!operations.IsOpen(slot, time))
    throw std::logic_error("Checker: an access of an operation that has ended");
  Access access;
  access.first = slot;
  access.lanes = 1;
  access.time = time;
  access.site = sites.Of(operations.OpOf(slot));
  access.kind = kind;
  access.async_proxy = !generic;
  View view = operations.ViewOf(slot);
  if (by != 0) view.own_lanes = by;
  access.view = &view;
  access.reads = kind == AccessKind::kRead;
  access.unwritten_too = unwritten_too;
  if (!Place(address, bytes, &access)) return;
  NoteTouch(access.rank, slot, time, access.site);
  shadow.Add(access);
}

void Checker::State::NoteTouch(std::uint32_t rank, std::uint32_t slot, std::uint32_t time, std::uint16_t site) {
  if (rank >= touches.size()) return;
  auto& of_rank = touches[rank];
  if (slot >= of_rank.size()) of_rank.resize(slot + 1);
  of_rank[slot] = {time, site};
}

void Checker::State::CheckExit(std::uint32_t rank) const {
  View view;
  view.Set(exits[rank]);
  for (std::uint32_t slot = 0; slot < touches[rank].size(); ++slot) {
    const Touch& touch = touches[rank][slot];
    if (touch.time != 0 && !view.KnowsPerformed(slot, touch.time)) {
      FailExit(rank, ActorOf(slot, touch.time, touch.site));
    }
  }
}

}  // namespace emu
