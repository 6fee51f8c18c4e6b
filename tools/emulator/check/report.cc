// The story behind a finding: what, who, where, what is missing, and what else is known of the place.
#include <fmt/core.h>

#include <string_view>

#include "tools/emulator/base/finding.h"
#include "tools/emulator/check/advice.h"
#include "tools/emulator/check/state.h"
#include "tools/emulator/exec/program.h"

namespace emu {
namespace {

bool Writes(AccessKind kind) { return kind == AccessKind::kWrite || kind == AccessKind::kStrongWrite; }

const char* Does(AccessKind kind) {
  switch (kind) {
    case AccessKind::kWrite:
      return "writes";
    case AccessKind::kStrongWrite:
      return "updates";
    default:
      return "reads";
  }
}

const char* Done(AccessKind kind) {
  switch (kind) {
    case AccessKind::kWrite:
      return "written";
    case AccessKind::kStrongWrite:
      return "updated";
    default:
      return "read";
  }
}

[[noreturn]] void Throw(const Cluster& cluster, FindingKind kind, const Actor& actor,
                        const std::string& message) {
  const auto& program = cluster.grid->program;
  throw Stop({kind, program ? program->name : "", actor.op != nullptr ? actor.op->line : 0,
              fmt::format("{}{} by {}: {}", actor.op != nullptr ? actor.op->name : "an instruction",
                          actor.asynchronous ? ", issued" : "", actor.warp->Name(actor.lane), message)});
}

}  // namespace

std::string Actor::Text() const {
  return fmt::format("{}{} at PTX line {} by {}", op != nullptr ? op->name : "an instruction",
                     asynchronous ? " issued" : "", op != nullptr ? op->line : 0, warp->Name(lane));
}

Actor Checker::State::ActorOf(std::uint32_t slot, std::uint32_t time, std::uint16_t site) const {
  Actor actor;
  actor.slot = slot;
  actor.time = time;
  actor.op = sites.At(site);
  if (operations.IsOperation(slot)) {
    const Operation operation = operations.Find(slot, time);
    actor.asynchronous = true;
    actor.copy = operations.IsCopy(slot);
    actor.warp = operation.warp;
    actor.lane = operation.lane;
    actor.issuer = operation.issuer;
    actor.issue_time = operation.issue_time;
    if (actor.op == nullptr) actor.op = operation.op;
    return actor;
  }
  const std::uint32_t thread = slot - kFirstThreadSlot, warp = thread / kWarpSize;
  actor.warp = cluster->ctas[warp / warps_per_cta]->warps[warp % warps_per_cta].get();
  actor.lane = thread % kWarpSize;
  return actor;
}

std::string Checker::State::PlaceText(std::uint32_t rank, std::uint32_t offset, std::uint32_t bytes) const {
  std::string text = fmt::format("{} byte{} of shared memory at {:#x}", bytes, bytes == 1 ? "" : "s", offset);
  if (cluster->ctas.size() > 1) text += fmt::format(" of the CTA with rank {}", rank);
  return text;
}

std::string Checker::State::HistoryText(std::uint32_t rank, std::uint32_t offset) const {
  std::string text;
  for (const PastAccess& past : shadow.History(rank, offset)) {
    const Actor actor = ActorOf(past.slot(), past.time, past.site);
    text += fmt::format("\n  {} by {}", Done(past.kind), actor.Text());
    const int others = __builtin_popcount(past.lanes) - 1;
    if (others > 0) text += fmt::format(" and {} other lane{} of its warp", others, others == 1 ? "" : "s");
  }
  if (text.empty()) return fmt::format("\nNothing has accessed shared memory at {:#x} before.", offset);
  return fmt::format("\nSince the last write of shared memory at {:#x}:{}", offset, text);
}

std::string Checker::State::HistoryText(const BarrierLife& life) const {
  std::string text = "\nWhat was done with the barrier last:";
  for (const BarrierLife::Event& event : life.History()) {
    text += "\n  " + ActorOf(event.slot, event.time, event.site).Text();
    if (event.count > 1) text += fmt::format(", {} times by lanes of this warp", event.count);
  }
  return text;
}

void Checker::State::OnConflict(const Conflict& conflict) {
  const Access& now = conflict.now;
  const View& view = *now.view;
  const Actor actor = ActorOf(now.slot(), now.time, now.site);
  const std::string does = fmt::format("{} {}", Does(now.kind), PlaceText(now.rank, now.offset, now.bytes));
  const std::string history = HistoryText(now.rank, conflict.offset);
  const std::uint32_t address = now.rank << kRankShift | conflict.offset;

  if (conflict.what == Conflict::What::kUnwritten) {
    Throw(*cluster, FindingKind::kUnwrittenShared, actor,
          fmt::format("{}, but nothing has written {} in the life of this CTA.{}", does,
                      PlaceText(now.rank, conflict.offset, conflict.bytes), history));
  }
  if (conflict.what == Conflict::What::kBarrier) {
    const BarrierLife* life = barriers.Around(address);
    const bool init = actor.op != nullptr && std::string_view(actor.op->name).starts_with("mbarrier.init");
    FailBarrier(
        actor, address, life,
        init ? "initialises a barrier that is alive: mbarrier.inval must come first"
             : fmt::format("{}, which holds a live barrier: only mbarrier instructions may touch it", does));
  }

  PastAccess before = conflict.before;
  if (const std::uint32_t lane = view.Unknown(before.first, before.lanes, before.time); lane != View::kNone) {
    before.lanes = 1u << lane;
  }
  const Actor other = ActorOf(before.slot(), before.time, before.site);
  const std::string met =
      fmt::format("{}; {} byte{} at {:#x} {} {} by {}", does, conflict.bytes, conflict.bytes == 1 ? "" : "s",
                  conflict.offset, conflict.bytes == 1 ? "was" : "were", Done(before.kind), other.Text());
  if (conflict.what == Conflict::What::kUnfenced) {
    Throw(
        *cluster, FindingKind::kMissingProxyFence, actor,
        fmt::format("{}, through the generic proxy, and no proxy fence makes that visible to the async proxy.\n"
                    "To fix: fence.proxy.async by the writing threads, after they wrote and before the barrier "
                    "that the issuing thread waits for.{}",
                    met, history));
  }
  Encounter encounter{actor, Writes(now.kind), other, Writes(before.kind)};
  encounter.before_issue_known = other.issuer != 0 && view.Knows(other.issuer, other.issue_time);
  encounter.now_issue_known = actor.issuer != 0 && other.issuer != 0 &&
                              operations.IsOpen(other.slot, other.time) &&
                              operations.ViewOf(other.slot).Knows(actor.issuer, actor.issue_time);
  Throw(*cluster, KindOf(encounter), actor,
        fmt::format("{}, and nothing orders the two.\n{}{}", met, Advice(encounter), history));
}

void Checker::State::FailBarrier(const Actor& actor, std::uint32_t address, const BarrierLife* life,
                                 const std::string& why) const {
  const std::uint32_t rank = address >> kRankShift, offset = address & ((1u << kRankShift) - 1);
  Throw(*cluster, FindingKind::kBarrierMisuse, actor,
        fmt::format("{} (barrier: {}).{}", why, PlaceText(rank, offset, 8),
                    life != nullptr ? HistoryText(*life) : HistoryText(rank, offset)));
}

void Checker::State::FailExit(std::uint32_t rank, const Actor& actor) const {
  const bool own = actor.warp->cta().rank == rank;
  Throw(*cluster, FindingKind::kClusterExit, actor,
        fmt::format(
            "when the last thread of the CTA with rank {} exited, none of its threads knew that this {} on the "
            "CTA's shared memory was over: the memory may have been another CTA's by then.\nTo fix: {}",
            rank, actor.asynchronous ? "operation" : "access", ExitAdvice(actor, own)));
}

void Checker::State::FailOpen(const Actor& actor) const {
  Throw(*cluster, FindingKind::kClusterExit, actor,
        fmt::format("every thread has exited, and the operation was never completed.\nTo fix: {}",
                    ExitAdvice(actor, true)));
}

}  // namespace emu
