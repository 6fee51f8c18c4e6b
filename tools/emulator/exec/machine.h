// The GPU: runs grids to their end, one host thread, every choice from the seed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tools/emulator/base/random.h"
#include "tools/emulator/exec/profile.h"
#include "tools/emulator/exec/program.h"
#include "tools/emulator/exec/warp.h"

namespace emu {

struct LaunchRequest {
  std::shared_ptr<const Program> program;
  Dim3 blocks, threads, cluster;
  std::uint32_t dynamic_shared = 0;
  std::vector<std::byte> params;
  // Programmatic dependent launch: may start as soon as every CTA of the request before it has run
  // griddepcontrol.launch_dependents or exited; griddepcontrol.wait waits for its end. False: starts after its end.
  bool programmatic = false;
  // The threads of the grid may wait for each other: grid_workspace.h.
  bool cooperative = false;
};

// How the seed wants asynchronous work to complete.
enum class Completion { kEarly, kLate, kRandom };

class Machine {
 public:
  // `memory` must outlive the machine. Seed 0: everything in program order, asynchronous work at once, warps in turn.
  Machine(const DeviceLimits& limits, DeviceMemory* memory, std::uint64_t seed);
  ~Machine();

  // As if just made with this seed.
  void Restart(std::uint64_t seed);

  // Runs the requests to their end. Throws Stop. The requests were checked against the limits before (driver).
  // `launch`: how many launches came before in the context. Each makes other choices, but with seed 0 none are made and with
  // seed 1 asynchronous work stays as late as it may be.
  void Run(std::span<const LaunchRequest> chain, std::uint64_t launch = 0);

  const DeviceLimits& limits() const { return limits_; }
  DeviceMemory& memory() const { return *memory_; }
  Random& random() { return random_; }
  Completion completion() const { return completion_; }
  std::uint64_t seed() const { return launch_seed_; }
  // Ops run so far.
  std::uint64_t ticks() const { return ticks_; }
  // Nanoseconds for %globaltimer and cycles for %clock64, another value each time. A GPU's multiprocessors run many ops in a cycle,
  // and may run few: with an even seed the clock counts every op, and programs that give up after a time do so before others have had
  // their turn; with an odd one every sixteenth.
  std::uint64_t Clock() { return clock_ = std::max(clock_ + 1, ticks_ / (seed_ % 2 == 0 ? 1 : kOpsPerCycle)); }

  // For polls that return instead of blocking (mbarrier.test_wait, atomics and loads that find nothing new): without a
  // call, a loop that polls could never be told from work. The machine reports a deadlock when every warp of all running
  // clusters only blocks or polls and nothing else happens for long.
  void NotePoll(Warp& warp);
  // Somebody else's turn, once the present op is done.
  void EndTurn() { until_ = ticks_; }

 private:
  friend class Scheduler;

  static constexpr std::uint64_t kOpsPerCycle = 16;

  DeviceLimits limits_;
  DeviceMemory* memory_;
  std::uint64_t seed_ = 0;
  std::uint64_t launch_seed_ = 0;  // of the present launch
  Random random_;
  Completion completion_ = Completion::kEarly;
  std::uint64_t ticks_ = 0;
  std::uint64_t clock_ = 0;
  std::uint64_t until_ = 0;  // when the present warp's turn ends
};

}  // namespace emu
