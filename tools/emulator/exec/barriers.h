// bar, barrier, barrier.cluster, bar.warp.sync and griddepcontrol.
#pragma once

#include "tools/emulator/exec/lowering.h"
#include "tools/emulator/exec/warp.h"

namespace emu {

Op LowerBar(const ptx::Instruction& instruction, Lowering& lowering);      // also bar.warp.sync
Op LowerBarrier(const ptx::Instruction& instruction, Lowering& lowering);  // also barrier.cluster
Op LowerClusterBarrier(const ptx::Instruction& instruction, Lowering& lowering);
Op LowerWarpBarrier(const ptx::Instruction& instruction, Lowering& lowering);
Op LowerGridDependency(const ptx::Instruction& instruction, Lowering& lowering);

// The lanes have exited: barriers that waited only for them complete.
void LeaveBarriers(Warp& warp, LaneMask lanes);
void LeaveClusterBarrier(Warp& warp, LaneMask lanes);
// The warp's CTA lets the grids that depend on its own start.
void TriggerDependents(Warp& warp);

// What a deadlock report says of the barriers of a CTA.
std::string DescribeBarrier(const Warp& warp, const Op& op);

}  // namespace emu
