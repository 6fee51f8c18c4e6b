// Runs a chain of grids: which clusters are there, whose turn it is, and what happens when nobody can go on.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tools/emulator/async/state.h"
#include "tools/emulator/exec/async_queue.h"
#include "tools/emulator/exec/machine.h"
#include "tools/emulator/exec/residency.h"
#include "tools/emulator/exec/state.h"
#include "tools/emulator/tensor/state.h"

namespace emu {

struct RunningCluster {
  std::unique_ptr<Cluster> cluster;
  CtaNeeds needs;
  std::vector<std::uint32_t> sms;
  std::vector<Warp*> warps;  // that have not ended
  std::size_t next = 0;      // whose turn it is
};

class Scheduler {
 public:
  Scheduler(Machine* machine, std::span<const LaunchRequest> chain);
  void Run();

 private:
  // scheduler.cc
  void Round();
  bool RunCluster(RunningCluster& running);
  bool OnlyPolls(const RunningCluster& running) const;
  bool Unstick();
  bool ReleaseParked();
  std::uint64_t Activity() const;
  void Retire();
  // admission.cc
  bool Admit();
  RunningGrid* Startable();
  bool DependentsCouldStart();
  void Start(RunningGrid& grid, RunningCluster* running);
  // run_warp.cc
  void RunWarp(Warp& warp, std::uint64_t budget);
  void RunFragment(Warp& warp);
  bool PickFragment(Warp& warp);
  bool Gather(Warp& warp);
  // deadlock.cc
  [[noreturn]] void ReportDeadlock(bool polling) const;

  Machine& machine_;
  Random& random_;
  const bool plain_;  // seed 0
  const bool parts_;  // lanes do not always meet again where they could
  const bool eager_dependents_;
  const std::size_t width_;  // clusters that run at the same time unless more are needed
  Residency residency_;
  std::vector<std::unique_ptr<RunningGrid>> grids_;
  std::vector<std::unique_ptr<RunningCluster>> clusters_;
  std::uint64_t retired_activity_ = 0;
  std::uint64_t last_activity_ = 0, last_event_ = 0;  // Activity(), and the time when it last changed
  std::uint64_t last_retirement_ = 0;
  std::uint64_t idle_rounds_ = 0;
};

}  // namespace emu
