#include "tools/emulator/exec/machine.h"

#include <algorithm>

#include "tools/emulator/exec/scheduler.h"

namespace emu {
namespace {

Completion CompletionOf(std::uint64_t seed) {
  return seed == 0 ? Completion::kEarly : seed == 1 ? Completion::kLate : Completion::kRandom;
}

// The first launch has the seed itself. 0 and 1 are the seeds that are no chance.
std::uint64_t LaunchSeed(std::uint64_t seed, std::uint64_t launch) {
  if (seed < 2 || launch == 0) return seed;
  Random random(seed ^ launch * 0x9e3779b97f4a7c15u);
  return std::max<std::uint64_t>(random.Next(), 2);
}

}  // namespace

Machine::Machine(const DeviceLimits& limits, DeviceMemory* memory, std::uint64_t seed)
    : limits_(limits), memory_(memory), random_(seed) {
  Restart(seed);
}

Machine::~Machine() = default;

void Machine::Restart(std::uint64_t seed) {
  seed_ = launch_seed_ = seed;
  random_ = Random(seed);
  completion_ = CompletionOf(seed);
  ticks_ = until_ = clock_ = 0;
}

void Machine::Run(std::span<const LaunchRequest> chain, std::uint64_t launch) {
  launch_seed_ = LaunchSeed(seed_, launch);
  random_ = Random(launch_seed_ ^ launch);
  Scheduler(this, chain).Run();
}

void Machine::NotePoll(Warp& warp) {
  ExecState& exec = *warp.exec;
  const std::uint64_t progress = warp.cluster().progress;
  if (exec.poll_progress != progress) exec.polls = 0;
  exec.poll_progress = progress;
  ++exec.polls;
  EndTurn();
}

}  // namespace emu
