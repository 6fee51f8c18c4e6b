#include "tools/emulator/check/checker.h"

#include <stdexcept>

#include "tools/emulator/check/state.h"

namespace emu {
namespace {

constexpr std::uint32_t kBarrierBytes = 8;

std::uint32_t SlotOf(AsyncId id) { return static_cast<std::uint32_t>(id >> 32); }
std::uint32_t TimeOf(AsyncId id) { return static_cast<std::uint32_t>(id); }
AsyncId IdOf(std::uint32_t slot, std::uint32_t time) { return AsyncId{slot} << 32 | time; }

}  // namespace

Checker::Checker(Cluster* cluster) : cluster_(cluster) {}
Checker::~Checker() = default;

Checker::State& Checker::state() {
  if (!state_) state_ = std::make_unique<State>(cluster_);
  return *state_;
}

void Checker::Read(const Warp& warp, const Op& op, LaneMask mask, const std::uint32_t* address,
                   std::uint32_t bytes) {
  state().Reads(warp, op, mask, address, bytes);
}

void Checker::Write(const Warp& warp, const Op& op, LaneMask mask, const std::uint32_t* address,
                    std::uint32_t bytes) {
  Access access;
  access.kind = AccessKind::kWrite;
  access.bytes = bytes;
  state().Lanes(warp, op, mask, address, access);
}

void Checker::Strong(const Warp& warp, const Op& op, LaneMask mask, const std::uint32_t* address,
                     std::uint32_t bytes, bool write) {
  Access access;
  access.kind = write ? AccessKind::kStrongWrite : AccessKind::kStrongRead;
  access.bytes = bytes;
  access.reads = !write;
  state().Lanes(warp, op, mask, address, access);
}

void Checker::SyncLanes(const Warp& warp, LaneMask mask) { state().Of(warp).Sync(mask); }

void Checker::Release(const Warp& warp, LaneMask mask, SyncPoint* point, bool relaxed) {
  if (mask != 0) state().Of(warp).Release(mask, &point->knowledge_, relaxed);
}

void Checker::Acquire(const Warp& warp, LaneMask mask, const SyncPoint& point, bool relaxed) {
  state().Of(warp).Acquire(mask, point.knowledge_, relaxed);
}

void Checker::Fence(const Warp& warp, LaneMask mask) { state().Of(warp).Fence(mask); }

void Checker::Join(SyncPoint* into, const SyncPoint& from) { into->knowledge_.Join(from.knowledge_); }

void Checker::FenceProxyAsync(const Warp& warp, LaneMask mask) { state().Of(warp).FenceProxyAsync(mask); }

AsyncId Checker::Begin(const Warp& warp, const Op& op, LaneMask lanes) {
  if (lanes == 0) throw std::logic_error("Checker::Begin: no lane");
  State& state = this->state();
  const std::uint32_t slot = state.operations.Begin(warp, op, lanes, state.Of(warp));
  return IdOf(slot, state.operations.TimeOf(slot));
}

LaneMask Checker::Alike(const Warp& warp, std::uint32_t lane) { return state().Of(warp).GroupOf(lane).lanes; }

void Checker::AsyncRead(AsyncId id, std::uint32_t address, std::uint32_t bytes, bool unwritten_too) {
  state().Async(SlotOf(id), TimeOf(id), address, bytes, AccessKind::kRead, false, 0, unwritten_too);
}

void Checker::AsyncWrite(AsyncId id, std::uint32_t address, std::uint32_t bytes, bool generic, LaneMask by) {
  state().Async(SlotOf(id), TimeOf(id), address, bytes, AccessKind::kWrite, generic, by);
}

void Checker::AsyncStrong(AsyncId id, std::uint32_t address, std::uint32_t bytes, bool generic, LaneMask by) {
  state().Async(SlotOf(id), TimeOf(id), address, bytes, AccessKind::kStrongWrite, generic, by);
}

void Checker::End(AsyncId id, SyncPoint* point) {
  Operations& operations = state().operations;
  if (operations.IsOpen(SlotOf(id), TimeOf(id))) {
    point->knowledge_.Join(operations.End(SlotOf(id)));
  } else {
    point->knowledge_.known.Raise(SlotOf(id), TimeOf(id));
  }
}

AsyncId Checker::Copy(const Warp& warp, const Op& op, LaneMask mask, const std::uint32_t* address,
                      std::uint32_t bytes) {
  State& state = this->state();
  WarpKnowledge& knowledge = state.Of(warp);
  if (knowledge.copy_slots() == 0) knowledge.set_copy_slots(state.operations.TakeCopySlots(warp));
  const std::uint32_t time = knowledge.NextCopy();
  Access access;
  access.kind = AccessKind::kWrite;
  access.lanes = 1;
  access.time = time;
  access.site = state.sites.Of(op);
  for (std::uint32_t lane : Each(mask)) {
    const View view = knowledge.ViewOf(lane);
    access.view = &view;
    access.first = knowledge.copy_slots() + lane;
    if (state.Place(address[lane], bytes, &access)) state.shadow.Add(access);
  }
  return IdOf(knowledge.copy_slots(), time);
}

void Checker::AcquireCopies(const Warp& warp, LaneMask mask, AsyncId last) {
  state().Of(warp).AcquireCopies(mask, TimeOf(last));
}

void Checker::ReleaseCopies(const Warp& warp, LaneMask mask, SyncPoint* point) {
  if (mask == 0) return;
  WarpKnowledge& knowledge = state().Of(warp);
  knowledge.ReleaseCopies(mask, &point->knowledge_);
  knowledge.Release(mask, &point->knowledge_, false);
}

void Checker::InitBarrier(const Warp& warp, const Op& op, std::uint32_t lane, std::uint32_t address) {
  State& state = this->state();
  Access access;
  access.kind = AccessKind::kWrite;
  access.bytes = kBarrierBytes;
  std::uint32_t addresses[kWarpSize];
  addresses[lane] = address;
  state.Lanes(warp, op, 1u << lane, addresses, access);
  state.StartBarrier(warp, op, lane, address);
}

void Checker::InvalidateBarrier(const Warp& warp, const Op& op, std::uint32_t lane, std::uint32_t address) {
  UseBarrier(warp, op, lane, address);
  state().EndBarrier(warp, op, lane, address);
}

void Checker::FenceMbarrierInit(const Warp& warp, LaneMask mask) {
  State& state = this->state();
  WarpKnowledge& knowledge = state.Of(warp);
  state.barriers.Publish(knowledge.first_slot(), mask, knowledge.time());
  knowledge.Tick();
}

void Checker::UseBarrier(const Warp& warp, const Op& op, std::uint32_t lane, std::uint32_t address) {
  state().UseBarrier(warp, op, lane, address);
}

void Checker::UseBarrier(AsyncId id, std::uint32_t address, LaneMask by) {
  state().UseBarrier(SlotOf(id), TimeOf(id), address, by);
}

void Checker::Remote(const Warp& warp, const Op& op, std::uint32_t lane, std::uint32_t rank) {
  State& state = this->state();
  const WarpKnowledge& knowledge = state.Of(warp);
  if (rank != warp.cta().rank) {
    state.NoteTouch(rank, knowledge.first_slot() + lane, knowledge.time(), state.sites.Of(op));
  }
}

void Checker::Remote(AsyncId id, std::uint32_t rank) { state().NoteTouch(rank, SlotOf(id), TimeOf(id), 0); }

void Checker::Exit(const Warp& warp, LaneMask mask) {
  State& state = this->state();
  if (mask != 0) state.Of(warp).Release(mask, &state.exits[warp.cta().rank], false);
}

void Checker::Finish() {
  if (!state_) return;
  for (std::uint32_t rank = 0; rank < cluster_->ctas.size(); ++rank) state_->CheckExit(rank);
  state_->operations.ForEachOpen([&](std::uint32_t slot, const Operation& open) {
    state_->FailOpen(state_->ActorOf(slot, open.time, 0));
  });
}

}  // namespace emu
