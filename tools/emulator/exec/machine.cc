#include "tools/emulator/exec/machine.h"

#include "tools/emulator/exec/scheduler.h"

namespace emu {
namespace {

Completion CompletionOf(std::uint64_t seed) {
  return seed == 0 ? Completion::kEarly : seed == 1 ? Completion::kLate : Completion::kRandom;
}

}  // namespace

Machine::Machine(const DeviceLimits& limits, DeviceMemory* memory, std::uint64_t seed)
    : limits_(limits), memory_(memory), seed_(seed), random_(seed), completion_(CompletionOf(seed)) {}

Machine::~Machine() = default;

void Machine::Run(std::span<const LaunchRequest> chain) { Scheduler(this, chain).Run(); }

void Machine::NotePoll(Warp& warp) {
  ExecState& exec = *warp.exec;
  const std::uint64_t progress = warp.cluster().progress;
  if (exec.poll_progress != progress) exec.polls = 0;
  exec.poll_progress = progress;
  ++exec.polls;
  // Somebody else's turn.
  until_ = ticks_;
}

}  // namespace emu
