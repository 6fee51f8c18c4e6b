// Order between threads that passes through memory: flags, locks, counters.
//
// A thread that reads what a release wrote knows what the releasing thread knew (PTX ISA, "Memory Consistency Model",
// "Causality order"). Only what is strong counts. Where the ISA wants a fence that much code in use leaves out (volatile
// flags, atomics without an order), none is asked for: this errs on the side of silence.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>

#include "tools/emulator/check/checker.h"
#include "tools/emulator/memory/addresses.h"
#include "tools/emulator/memory/qualifiers.h"

namespace emu {

// Of one cluster: what was released at which address, and more. Ends with the cluster, thus before any memory is freed.
struct MemoryState {
  // By the address of a word of four bytes; those of shared memory are above 2^62.
  std::unordered_map<std::uint64_t, SyncPoint> points;
  // Of addresses that came in crowds, as those of sums in memory, or when `points` was full: whoever acquires anything
  // acquires it too.
  SyncPoint crowd;

  static constexpr std::size_t kMaxPoints = 4096;

  // Where the lanes' next alloca begins, for warps that have used it (stack.cc).
  std::unordered_map<const Warp*, std::array<std::uint64_t, kWarpSize>> stack_tops;
};

MemoryState& MemoryStateOf(Cluster& cluster);

// The lanes of `mask` have written, and release at, the addresses that `operand` has been resolved to.
void ReleaseAt(Warp& warp, const MemoryOperand& operand, LaneMask mask, const Places& places, Order order);
// They have read, and acquire from, these addresses.
void AcquireAt(Warp& warp, const MemoryOperand& operand, LaneMask mask, const Places& places, Order order);

}  // namespace emu
