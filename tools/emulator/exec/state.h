// What the machine remembers of warps, CTAs, clusters and grids.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "tools/emulator/check/checker.h"
#include "tools/emulator/exec/fragments.h"
#include "tools/emulator/exec/grid_workspace.h"
#include "tools/emulator/exec/program.h"
#include "tools/emulator/exec/warp.h"

namespace emu {

struct ExecState {
  Fragments fragments;
  // The cluster's progress when every fragment was found waiting; the warp sleeps while it is the same.
  std::uint64_t asleep_at = ~std::uint64_t{0};
  bool done = false;        // every lane has exited
  std::uint64_t polls = 0;  // since the cluster's progress became poll_progress
  std::uint64_t poll_progress = 0;
  std::uint32_t registers = 0;  // per thread, of the CTA's pool; 0: unknown
  // barrier.cluster: lanes that arrived and have not waited yet, by the parity of the phase.
  std::array<LaneMask, 2> cluster_arrived{};
  std::vector<std::uint32_t> stack;  // bytes of each lane's stack in use, in programs with recursion
};

// One of the 16 named barriers of a CTA.
struct NamedBarrier {
  std::uint64_t phase = 1;      // grows at completion
  std::uint32_t expected = 0;   // threads; 0: every thread of the CTA that has not exited
  std::uint32_t arrived = 0;    // threads, in whole warps where the whole warp came
  std::vector<LaneMask> lanes;  // by warp: who came in this phase
  SyncPoint point;
  std::uint32_t votes = 0, zeros = 0;  // bar.red: lanes with true and with false
  bool used = false;                   // somebody came in this phase
};

struct CtaBarriers {
  std::array<NamedBarrier, 16> named;
  std::uint32_t live_threads = 0;    // that have not exited
  std::uint32_t free_registers = 0;  // setmaxnreg: of the pool, per CTA
  bool pool = false;                 // the register count at entry is known
  bool triggered = false;            // griddepcontrol.launch_dependents, or exited
  std::uint32_t sm = 0;
};

struct ClusterBarrier {
  std::uint64_t phase = 0;
  std::uint32_t arrived = 0;  // threads of this phase that have not exited since
  std::uint32_t live_threads = 0;
  SyncPoint arriving, done;
};

// A grid while it runs.
struct RunningGrid : Grid {
  RunningGrid* before = nullptr;  // in the chain
  bool programmatic = false;
  std::uint64_t started = 0, triggered = 0, finished = 0, ctas = 0;  // CTAs
  std::uint64_t next_cluster = 0;
  std::uint32_t entry_registers = 0;         // per thread; 0: unknown
  std::unique_ptr<GridWorkspace> workspace;  // of a cooperative launch
  bool Done() const { return finished == ctas; }
};
inline RunningGrid& RunningGridOf(const Warp& warp) { return static_cast<RunningGrid&>(warp.grid()); }

inline int IndexOf(const Warp& warp, const Op& op) {
  return static_cast<int>(&op - warp.grid().program->ops.data());
}

}  // namespace emu
