#include "tools/emulator/async/mbarrier.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "tools/emulator/async/state.h"

namespace emu {
namespace {

// A state: phase in the upper bits, the pending count in the lower 20.
constexpr int kStatePhaseShift = 20;
constexpr std::uint64_t kStatePhases = std::uint64_t{1} << (64 - kStatePhaseShift);

// What the object's bytes hold: it makes uses of a barrier as data visible in memory dumps.
constexpr std::uint64_t kMark = 0x7265697272616262;

std::string NameAt(std::uint32_t address, std::size_t ctas) {
  if (ctas == 1) return fmt::format("mbarrier at shared address {:#x}", address);
  return fmt::format("mbarrier at {:#x} of the CTA with rank {}", OffsetInCta(address), RankOf(address));
}

}  // namespace

Mbarrier::Mbarrier(const Who& who, std::uint32_t address, std::uint32_t count)
    : address_(address), expected_(count), pending_(count), takes_(count) {
  Note(who, Kind::kInit, count);
}

void Mbarrier::Arrive(const Who& who, std::uint32_t count, bool drop, bool no_complete) {
  if (count == 0 || count > kMaxCount) {
    Misuse(who, fmt::format("an arrival count of {}: 1 to {} are allowed", count, kMaxCount));
  }
  if (count > pending_) {
    Misuse(who, fmt::format("{} arrivals where the phase takes {} more", count, pending_));
  }
  if (drop && count > expected_) {
    Misuse(who, fmt::format("drops {} arrivals where {} are expected", count, expected_));
  }
  Note(who, drop ? Kind::kDrop : Kind::kArrive, count);
  pending_ -= count;
  if (drop) expected_ -= count;
  if (no_complete && pending_ == 0 && transactions_ == 0) {
    Misuse(who, "completes the phase, which .noComplete does not allow");
  }
  CompleteWhenDone(who);
}

void Mbarrier::AddPending(const Who& who) {
  if (pending_ == kMaxCount) Misuse(who, fmt::format("the pending count would exceed {}", kMaxCount));
  Note(who, Kind::kAddPending, 1);
  ++pending_;
  ++takes_;
}

void Mbarrier::ExpectTx(const Who& who, std::uint32_t bytes) {
  Note(who, Kind::kExpect, bytes);
  transactions_ += bytes;
  bytes_expected_ += bytes;
  if (transactions_ > static_cast<std::int64_t>(kMaxCount)) {
    Misuse(who, fmt::format("a transaction count of {}: at most {} are allowed", transactions_, kMaxCount));
  }
  CompleteWhenDone(who);
}

void Mbarrier::CompleteTx(const Who& who, std::uint32_t bytes) {
  Note(who, Kind::kComplete, bytes);
  transactions_ -= bytes;
  bytes_arrived_ += bytes;
  if (transactions_ < -static_cast<std::int64_t>(kMaxCount)) {
    Misuse(who, fmt::format("a transaction count of {}: at least -{} are allowed", transactions_, kMaxCount));
  }
  CompleteWhenDone(who);
}

void Mbarrier::CompleteWhenDone(const Who& who) {
  ++who.warp->cluster().progress;
  if (pending_ != 0 || transactions_ != 0) return;
  ++phase_;
  pending_ = expected_;
  takes_ = expected_;
  bytes_expected_ = bytes_arrived_ = 0;
  completed_ = current_;
  current_.Clear();
}

std::uint64_t Mbarrier::State() const { return phase_ << kStatePhaseShift | pending_; }

std::uint32_t Mbarrier::PendingCount(std::uint64_t state) {
  return static_cast<std::uint32_t>(state) & kMaxCount;
}

bool Mbarrier::Completed(const Who& who, std::uint64_t state) const {
  const std::uint64_t behind = (phase_ - (state >> kStatePhaseShift)) % kStatePhases;
  if (behind > 1) {
    Misuse(who,
           fmt::format("waits with the state of phase {}: only this phase and the one before can be waited for",
                       state >> kStatePhaseShift));
  }
  return behind == 1;
}

void Mbarrier::Note(const Who& who, Kind kind, std::uint32_t amount) {
  if (event_count_ > 0) {
    Event& before = events_[(event_count_ - 1) % kHistory];
    if (before.who.op == who.op && before.phase == phase_ && before.kind == kind && before.amount == amount &&
        &before.who.warp->cta() == &who.warp->cta()) {
      before.last = who;
      ++before.times;
      return;
    }
  }
  events_[event_count_++ % kHistory] = {who, who, phase_, kind, amount, 1};
}

void Mbarrier::Misuse(const Who& who, const std::string& message) const {
  who.Fail(FindingKind::kBarrierMisuse, message + "\n" + Describe());
}

std::string Mbarrier::Describe() const {
  std::string text = NameAt(address_, events_[0].who.warp->cluster().ctas.size());
  text +=
      fmt::format(": phase {} (parity {}): {} of {} arrivals", phase_, phase_ & 1, takes_ - pending_, takes_);
  if (bytes_expected_ != 0 || bytes_arrived_ != 0 || transactions_ != 0) {
    text += fmt::format(", {} bytes expected, {} arrived", bytes_expected_, bytes_arrived_);
  }
  static constexpr const char* kWords[] = {"initialised for",           "arrival of",     "arrival and drop of",
                                           "one more arrival expected", "expects bytes:", "bytes arrived:"};
  for (std::uint64_t i = event_count_ - std::min<std::uint64_t>(event_count_, kHistory); i < event_count_;
       ++i) {
    const Event& event = events_[i % kHistory];
    text += fmt::format("\n  phase {}: {}", event.phase, kWords[static_cast<int>(event.kind)]);
    if (event.kind != Kind::kAddPending) text += fmt::format(" {}", event.amount);
    if (event.times > 1) text += fmt::format(", {} times", event.times);
    text += fmt::format(", {} at PTX line {} by {}", event.who.op->name, event.who.op->line,
                        event.who.warp->Name(event.who.lane));
    if (event.times > 1) text += fmt::format("; the last by {}", event.last.warp->Name(event.last.lane));
  }
  return text;
}

Mbarrier& FindMbarrier(const Who& who, std::uint32_t address) {
  Cluster& cluster = who.warp->cluster();
  cluster.Shared(*who.warp, *who.op, who.lane, address, Mbarrier::kBytes);
  auto& barriers = cluster.OwnerOf(address)->async->barriers;
  const auto found = barriers.find(OffsetInCta(address));
  if (found != barriers.end()) return found->second;
  who.Fail(FindingKind::kBarrierMisuse, fmt::format("no {}: it was never initialised, or invalidated",
                                                    NameAt(address, cluster.ctas.size())));
}

void InitMbarrier(const Who& who, std::uint32_t address, std::uint32_t count) {
  Cluster& cluster = who.warp->cluster();
  std::byte* bytes = cluster.Shared(*who.warp, *who.op, who.lane, address, Mbarrier::kBytes);
  if (count == 0 || count > Mbarrier::kMaxCount) {
    who.Fail(FindingKind::kBarrierMisuse,
             fmt::format("a count of {}: 1 to {} are allowed", count, Mbarrier::kMaxCount));
  }
  auto& barriers = cluster.OwnerOf(address)->async->barriers;
  const std::uint32_t offset = OffsetInCta(address);
  const auto after = barriers.lower_bound(offset);
  if (after != barriers.end() && after->first < offset + Mbarrier::kBytes) {
    who.Fail(FindingKind::kBarrierMisuse,
             "initialises a barrier that is one already (mbarrier.inval must come between)\n" +
                 after->second.Describe());
  }
  barriers.emplace_hint(after, offset, Mbarrier(who, address, count));
  std::memcpy(bytes, &kMark, sizeof kMark);
}

void InvalidateMbarrier(const Who& who, std::uint32_t address) {
  FindMbarrier(who, address);
  who.warp->cluster().OwnerOf(address)->async->barriers.erase(OffsetInCta(address));
}

}  // namespace emu
