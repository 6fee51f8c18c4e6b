#include "tools/emulator/check/advice.h"

#include <fmt/core.h>

#include <string_view>

namespace emu {
namespace {

bool Named(const Actor& actor, std::string_view prefix) {
  return actor.op != nullptr && std::string_view(actor.op->name).starts_with(prefix);
}

// What tells that an operation's accesses are over.
std::string WaitFor(const Actor& actor, bool writes) {
  if (actor.copy)
    return "cp.async.wait_group (or the mbarrier of cp.async.mbarrier.arrive), then a barrier of the threads";
  if (Named(actor, "wgmma")) return "wgmma.commit_group and wgmma.wait_group";
  if (writes) return "the phase of its mbarrier";
  return "cp.async.bulk.wait_group.read by the issuing thread, then a barrier of the threads";
}

std::string Line(const Actor& actor) {
  return actor.op != nullptr ? fmt::format("line {}", actor.op->line) : "the other line";
}

std::string BetweenThreads(const Actor& a, const Actor& b) {
  if (a.warp == b.warp) return "bar.warp.sync (__syncwarp) between the two";
  if (&a.warp->cta() == &b.warp->cta())
    return "a barrier that both threads take part in (bar.sync) between the two";
  return "a barrier of the cluster (barrier.cluster.arrive, .wait) between the two";
}

}  // namespace

FindingKind KindOf(const Encounter& encounter) {
  const Actor &now = encounter.now, &before = encounter.before;
  if (!now.asynchronous && !before.asynchronous) return FindingKind::kRace;
  if (now.asynchronous && before.asynchronous && encounter.now_writes != encounter.before_writes) {
    // A read that was issued first is overwritten; a write that was issued first was not waited for.
    const bool read_first = encounter.now_writes ? encounter.before_issue_known : encounter.now_issue_known;
    return read_first ? FindingKind::kOverwrittenInFlight : FindingKind::kUnwaitedCopy;
  }
  const bool reads =
      (now.asynchronous && !encounter.now_writes) || (before.asynchronous && !encounter.before_writes);
  return reads ? FindingKind::kOverwrittenInFlight : FindingKind::kUnwaitedCopy;
}

std::string Advice(const Encounter& encounter) {
  const Actor &now = encounter.now, &before = encounter.before;
  if (!now.asynchronous && !before.asynchronous) return fmt::format("To fix: {}.", BetweenThreads(now, before));
  const Actor& operation = before.asynchronous ? before : now;
  const bool writes = before.asynchronous ? encounter.before_writes : encounter.now_writes;
  const Actor& other = before.asynchronous ? now : before;
  const std::string wait = fmt::format("{}: wait for {}", Line(other), WaitFor(operation, writes));
  if (before.asynchronous && (before.copy || encounter.before_issue_known)) {
    return fmt::format("To fix: before {}.", wait);
  }
  const bool other_writes = before.asynchronous ? encounter.now_writes : encounter.before_writes;
  return fmt::format(
      "To fix: if {} is meant to come after the operation of {}, before {}; if before it, the operation "
      "must not be issued until {} is over ({}an arrival that its issuer waits for).",
      Line(other), Line(operation), wait, Line(other),
      other.asynchronous ? WaitFor(other, other_writes) + ", then " : "");
}

std::string ExitAdvice(const Actor& actor, bool own_cta) {
  if (!actor.asynchronous) return "a barrier of the cluster before the CTAs exit.";
  if (own_cta) {
    return "a thread of the CTA waits for the operation before it exits (loads: the mbarrier's phase; copies "
           "out of shared "
           "memory: cp.async.bulk.wait_group.read; wgmma: wgmma.wait_group).";
  }
  return "the CTA waits for the operation, or for a barrier of the cluster behind it, before it exits.";
}

}  // namespace emu
