#include "tools/emulator/exec/warp_lanes.h"

#include <cstring>

#include "tools/emulator/async/state.h"
#include "tools/emulator/check/checker.h"
#include "tools/emulator/exec/async_queue.h"
#include "tools/emulator/exec/barriers.h"
#include "tools/emulator/exec/program.h"
#include "tools/emulator/exec/special.h"
#include "tools/emulator/exec/state.h"

namespace emu {
namespace {

void WriteSpecials(Warp& warp, const Program& program) {
  for (const Program::Special& special : program.specials) {
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      const std::uint64_t value = special.value(warp, lane);
      if (special.bytes == 0) {
        warp.Mask(special.at) |= value != 0 ? 1u << lane : 0;
      } else {
        std::memcpy(warp.Lanes<std::byte>(special.at) + std::size_t{lane} * special.bytes, &value,
                    special.bytes);
      }
    }
  }
}

void WriteSharedSymbols(Warp& warp, const Program& program) {
  const std::uint64_t dynamic = (std::uint64_t{program.static_shared} + program.dynamic_align - 1) /
                                program.dynamic_align * program.dynamic_align;
  for (const Program::SharedSymbol& symbol : program.shared_symbols) {
    const std::uint64_t address =
        (std::uint64_t{warp.cta().rank} << kRankShift) + symbol.offset + (symbol.dynamic ? dynamic : 0);
    for (int lane = 0; lane < kWarpSize; ++lane) {
      if (symbol.wide) {
        warp.Lanes<std::uint64_t>(symbol.at)[lane] = address;
      } else {
        warp.Lanes<std::uint32_t>(symbol.at)[lane] = static_cast<std::uint32_t>(address);
      }
    }
  }
}

// A thread's own cp.async land in the memory of its own CTA, which is not given away before. Whoever reads what nobody has
// waited for is found as always.
void FinishCopies(Warp& warp, LaneMask lanes) {
  for (const LaneCopies& copy : warp.copies->copies) {
    if ((copy.lanes & lanes) == 0 || copy.record->queued == nullptr) continue;
    warp.cluster().queue->PerformNow(copy.record->queued);
  }
}

}  // namespace

void WarpLanes::Begin(Warp& warp) {
  const Program& program = *warp.grid().program;
  constexpr std::size_t kAlign = 64;
  warp.file_storage_ = std::make_unique_for_overwrite<std::byte[]>(program.file_bytes + kAlign);
  const auto address = reinterpret_cast<std::uintptr_t>(warp.file_storage_.get());
  warp.file_ = warp.file_storage_.get() + (kAlign - address % kAlign);
  std::memcpy(warp.file_, program.first_file.data(), program.file_bytes);
  WriteSpecials(warp, program);
  WriteSharedSymbols(warp, program);
  warp.local_bytes = program.local_bytes;
  warp.local.assign(std::size_t{program.local_bytes} * kWarpSize, std::byte{0xff});
  const auto threads = static_cast<std::uint32_t>(warp.grid().threads.count());
  const std::uint32_t rest = threads - warp.index() * kWarpSize;
  warp.existing_ = warp.present_ = rest >= kWarpSize ? kAllLanes : (1u << rest) - 1;
  warp.exec = std::make_unique<ExecState>();
  warp.exec->fragments.Start(program.entry, warp.present_);
}

void ExitLanes(Warp& warp, LaneMask lanes, int next) {
  FinishCopies(warp, lanes);
  warp.checker().Exit(warp, lanes);
  WarpLanes::Remove(warp, lanes);
  ExecState& exec = *warp.exec;
  exec.fragments.Exit(lanes, next);
  // Those who wait for lanes need not wait for these any more.
  for (Fragment& fragment : exec.fragments.list()) {
    if (fragment.wait == Wait::kLanes || fragment.wait == Wait::kGather) fragment.wait = Wait::kNone;
  }
  Cta& cta = warp.cta();
  cta.barriers->live_threads -= static_cast<std::uint32_t>(__builtin_popcount(lanes));
  LeaveBarriers(warp, lanes);
  ++warp.cluster().progress;
  if (warp.present() != 0) return;
  exec.done = true;
  if (cta.barriers->live_threads != 0) return;
  cta.exited = true;
  TriggerDependents(warp);
}

}  // namespace emu
