// Programmatic dependent launch (PTX ISA, "griddepcontrol").
#include <fmt/core.h>

#include "tools/emulator/exec/barriers.h"
#include "tools/emulator/exec/machine.h"
#include "tools/emulator/exec/state.h"

namespace emu {
namespace {

Flow LaunchDependents(Warp& warp, const Op&) {
  TriggerDependents(warp);
  return Flow::kNext;
}

std::string Describe(const Warp& warp, const Op&) {
  const RunningGrid* before = RunningGridOf(warp).before;
  return fmt::format("{} of {} CTAs of the grid before have ended", before->finished, before->ctas);
}

Flow WaitForGrid(Warp& warp, const Op&) {
  const RunningGrid& grid = RunningGridOf(warp);
  // Without the attribute at its launch the grid has begun after the end of the one before.
  if (grid.before == nullptr || grid.before->Done()) return Flow::kNext;
  warp.BlockedOn("the end of the grid before", static_cast<std::uint64_t>(grid.before->index), Describe);
  return Flow::kBlock;
}

}  // namespace

void TriggerDependents(Warp& warp) {
  Cta& cta = warp.cta();
  if (cta.barriers->triggered) return;
  cta.barriers->triggered = true;
  RunningGrid& grid = RunningGridOf(warp);
  if (++grid.triggered == grid.ctas) warp.machine().EndTurn();
}

Op LowerGridDependency(const ptx::Instruction& instruction, Lowering& lowering) {
  Op op;
  if (instruction.Has("launch_dependents")) op.run = LaunchDependents;
  if (instruction.Has("wait")) op.run = WaitForGrid;
  if (op.run == nullptr || instruction.modifiers.size() != 1 || !instruction.operands.empty()) {
    lowering.Refuse("an unknown form");
  }
  return op;
}

}  // namespace emu
