// What CTAs and warps remember of asynchronous copies and mbarriers.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "tools/emulator/async/mbarrier.h"
#include "tools/emulator/check/checker.h"
#include "tools/emulator/exec/warp.h"

namespace emu {

// Per CTA.
struct AsyncState {
  std::map<std::uint32_t, Mbarrier> barriers;  // by offset in the CTA's shared memory
};

// One asynchronous operation until those who issued it have waited for it. Shared by the operation in the queue, which
// clears `queued` when it has run, and the warp.
class AsyncOperation;
struct CopyRecord {
  const AsyncOperation* queued = nullptr;  // in the cluster's queue: null once performed
  AsyncId id = 0;
};

// cp.async of one warp: lane l's part belongs to its group[l].
struct LaneCopies {
  std::shared_ptr<CopyRecord> record;
  LaneMask lanes = 0;  // those that have not waited for it
  std::array<std::uint32_t, kWarpSize> group{};
};

// A bulk copy out of shared memory.
struct BulkCopy {
  std::shared_ptr<CopyRecord> reads, writes;  // of shared memory; of its destination
  std::uint32_t lane = 0;
  std::uint32_t group = 0;
  bool reads_known = false;  // to the thread
};

// Per warp. Groups are numbered by lane, from 0, in the order of their commits; the number of those committed is the
// number of the group that is open.
struct CopyState {
  std::vector<LaneCopies> copies;
  std::array<std::uint32_t, kWarpSize> committed{};
  std::vector<BulkCopy> bulk;
  std::array<std::uint32_t, kWarpSize> bulk_committed{};

  // What try_wait last waited for, per lane: for the table that a deadlock prints.
  struct Wait {
    std::uint32_t address = 0;
    std::uint32_t parity = 0;  // of the phase that is awaited
  };
  std::array<Wait, kWarpSize> waits{};
  LaneMask waiting = 0;
};

}  // namespace emu
