// What a warp remembers of wgmma.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "tools/emulator/check/checker.h"
#include "tools/emulator/exec/async_queue.h"
#include "tools/emulator/exec/warp.h"

namespace emu {

struct WgmmaDetails;
struct WgmmaReads;

// One wgmma.mma_async of a warpgroup, from the first warp's arrival to the last one's wait.
struct WgmmaCall {
  std::uint64_t number = 0;  // in its warpgroup, from 0
  const Op* op = nullptr;
  std::uint64_t a = 0, b = 0;  // descriptors (a: unless it is in registers)
  bool add = false;            // scale-d
  std::uint32_t arrived = 0;   // a bit for each of the four warps
  bool performed = false;
  const AsyncOperation* operation = nullptr;  // in the cluster's queue, until it is performed
  std::vector<std::uint32_t> a_granules,
      b_granules;  // offsets in shared memory, in the order of the arithmetic
  std::shared_ptr<WgmmaReads> reads;
};

struct Warpgroup {
  std::array<Warp*, 4> warps{};  // null where the CTA ends
  std::deque<std::shared_ptr<WgmmaCall>> calls;
  std::uint64_t first = 0;      // number of calls.front()
  std::uint64_t performed = 0;  // calls before this number are

  WgmmaCall& Call(std::uint64_t number) { return *calls[number - first]; }
  const WgmmaCall& Call(std::uint64_t number) const { return *calls[number - first]; }
};

struct WgmmaState {
  std::shared_ptr<Warpgroup> group;
  std::uint32_t place = 0;            // in the warpgroup
  std::uint64_t issued = 0;           // calls that this warp has arrived at
  std::uint64_t retired = 0;          // calls that it has waited for; those between are in flight
  std::deque<std::uint64_t> commits;  // `issued` at each commit_group that has not been waited for
  std::uint64_t fences = 0;

  // By 64 bytes of the register file: the last call that uses the register there.
  struct Use {
    std::uint64_t call = 0;  // number + 1
    const Op* op = nullptr;
    bool accumulator = false;
  };
  std::vector<Use> uses;
  // What registers held when they were last known to wgmma: at a fence, or as its result. By offset in the file.
  std::vector<std::byte> known;
  std::vector<std::uint8_t> is_known;  // by 64 bytes of the file

  bool InFlight(std::uint32_t offset) const { return uses[offset / 64].call > retired; }
};

}  // namespace emu
