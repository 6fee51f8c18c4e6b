#include "tools/emulator/exec/scheduler.h"

#include <fmt/core.h>

#include <algorithm>

#include "tools/emulator/check/checker.h"
#include "tools/emulator/exec/async_queue.h"
#include "tools/emulator/exec/warp_lanes.h"

namespace emu {
namespace {

// Ops that a cluster may run before the next one's turn.
constexpr std::uint64_t kSlice = 20000;
// Ops of a warp's turn without a seed.
constexpr std::uint64_t kTurn = 2000;
// Polls without any progress after which a warp counts as waiting.
constexpr std::uint64_t kPolls = 4;
// Rounds in which everybody polled and nothing could be done about it, after which this is a deadlock, and what the clock
// goes on in each: programs that give up after a time must come to it.
constexpr std::uint64_t kIdleRounds = 20000;
constexpr std::uint64_t kIdleTicks = 1000000;
// Ops without an end of a CTA after which another one starts if it can.
constexpr std::uint64_t kLongRun = 5000000;
// Ops without any arrival, landing or exit after which the program will never end.
constexpr std::uint64_t kEndless = 4000000000;

// Turns from one op to many: short ones mix the warps, long ones let one run ahead.
std::uint64_t RandomTurn(Random& random) {
  constexpr std::uint64_t kTurns[16] = {1,   3,   7,   20,  50,   100,  100,  200,
                                        200, 300, 500, 500, 1000, 1000, 2000, 5000};
  return kTurns[random.Below(16)];
}

}  // namespace

void Scheduler::Run() {
  while (true) {
    while (clusters_.size() < width_ && Admit()) {
    }
    if (eager_dependents_ && clusters_.size() <= 2 * width_) {
      const RunningGrid* grid = Startable();
      if (grid != nullptr && grid->before != nullptr && !grid->before->Done()) Admit();
    }
    if (clusters_.empty()) {
      const RunningGrid* grid = Startable();
      if (grid == nullptr) return;
      throw Stop({FindingKind::kUnsupported, grid->program->name, 0,
                  "a cluster of this launch does not fit on the device"});
    }
    Round();
    Retire();
  }
}

std::uint64_t Scheduler::Activity() const {
  std::uint64_t sum = retired_activity_ + clusters_.size();
  for (const auto& running : clusters_) sum += running->cluster->progress;
  return sum;
}

void Scheduler::Round() {
  bool ran = false;
  const std::size_t count = clusters_.size();
  const std::size_t first = plain_ ? 0 : random_.Below(static_cast<std::uint32_t>(count));
  for (std::size_t i = 0; i < count; ++i) ran = RunCluster(*clusters_[(first + i) % count]) || ran;
  const std::uint64_t activity = Activity();
  if (activity != last_activity_) {
    last_activity_ = activity;
    last_event_ = machine_.ticks_;
    idle_rounds_ = 0;
  }
  if (machine_.ticks_ - last_event_ > kEndless) ReportDeadlock(true);
  if (machine_.ticks_ - last_retirement_ > kLongRun) {
    last_retirement_ = machine_.ticks_;
    Admit();
  }
  const bool stuck = std::all_of(clusters_.begin(), clusters_.end(), [&](const auto& running) {
    return running->warps.empty() || OnlyPolls(*running);
  });
  const bool ended = std::any_of(clusters_.begin(), clusters_.end(),
                                 [](const auto& running) { return running->warps.empty(); });
  if (!stuck || ended || Unstick()) return;
  machine_.ticks_ += kIdleTicks;
  last_event_ += kIdleTicks;
  if (!ran || ++idle_rounds_ > kIdleRounds) ReportDeadlock(ran);
}

// Whether every warp sleeps or has only polled since the cluster's last progress.
bool Scheduler::OnlyPolls(const RunningCluster& running) const {
  const std::uint64_t progress = running.cluster->progress;
  return std::all_of(running.warps.begin(), running.warps.end(), [&](const Warp* warp) {
    const ExecState& exec = *warp->exec;
    return exec.asleep_at == progress || (exec.poll_progress == progress && exec.polls >= kPolls);
  });
}

// Gives the cluster's warps their turns until its slice is over or none can do anything. False when none ran.
bool Scheduler::RunCluster(RunningCluster& running) {
  const bool mixed = eager_dependents_ && grids_.size() > 1;
  const std::uint64_t end = machine_.ticks_ + (mixed ? RandomTurn(random_) : kSlice);
  std::vector<Warp*>& warps = running.warps;
  AsyncQueue& queue = *running.cluster->queue;
  bool ran = false;
  std::size_t asleep = 0;
  while (machine_.ticks_ < end && asleep < warps.size()) {
    if (running.next >= warps.size()) running.next = 0;
    Warp& warp = *warps[running.next];
    if (warp.exec->asleep_at == running.cluster->progress) {
      ++asleep;
      ++running.next;
      continue;
    }
    asleep = 0;
    ran = true;
    RunWarp(warp, plain_ ? kTurn : RandomTurn(random_));
    if (warp.exec->done) {
      warps.erase(warps.begin() + static_cast<std::ptrdiff_t>(running.next));
    } else if (plain_) {
      ++running.next;
    } else {
      running.next = random_.Below(static_cast<std::uint32_t>(warps.size()));
    }
    if (queue.size() > 0 && machine_.completion() == Completion::kRandom && random_.Below(8) == 0)
      queue.PerformOne(random_);
    if (warp.exec->polls >= kPolls && OnlyPolls(running)) break;
    if (eager_dependents_ && DependentsCouldStart()) break;
  }
  return ran;
}

// Lets something happen that nobody asked for yet: an asynchronous operation completes, lanes do not wait for their fellows
// any longer, another cluster starts. False when there is nothing left.
bool Scheduler::Unstick() {
  const std::size_t count = clusters_.size();
  const std::size_t first = plain_ ? 0 : random_.Below(static_cast<std::uint32_t>(count));
  for (std::size_t i = 0; i < count; ++i) {
    if (clusters_[(first + i) % count]->cluster->queue->PerformOne(random_)) return true;
  }
  return ReleaseParked() || Admit();
}

bool Scheduler::ReleaseParked() {
  bool released = false;
  for (const auto& running : clusters_) {
    for (Warp* warp : running->warps) {
      if (!warp->exec->fragments.Release(machine_.ticks_)) continue;
      warp->exec->asleep_at = ~std::uint64_t{0};
      warp->exec->polls = 0;
      released = true;
    }
  }
  return released;
}

// Clusters all of whose warps have ended go: what is still under way completes, and the checker has its last word.
void Scheduler::Retire() {
  for (std::size_t i = 0; i < clusters_.size();) {
    if (!clusters_[i]->warps.empty()) {
      ++i;
      continue;
    }
    const std::unique_ptr<RunningCluster> running = std::move(clusters_[i]);
    clusters_.erase(clusters_.begin() + static_cast<std::ptrdiff_t>(i));
    Cluster& cluster = *running->cluster;
    while (cluster.queue->PerformOne(random_)) {
    }
    cluster.checker->Finish();
    residency_.Give(running->needs, running->sms);
    static_cast<RunningGrid*>(cluster.grid)->finished += cluster.ctas.size();
    last_retirement_ = machine_.ticks_;
    retired_activity_ += cluster.progress + 2;
    for (const auto& other : clusters_) ++other->cluster->progress;
  }
}

}  // namespace emu
