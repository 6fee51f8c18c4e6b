// Instructions by which the lanes of a warp exchange values.
#pragma once

#include "tools/emulator/exec/lowering.h"

namespace emu {

Op LowerShuffle(const ptx::Instruction& instruction, Lowering& lowering);
Op LowerVote(const ptx::Instruction& instruction, Lowering& lowering);
Op LowerMatch(const ptx::Instruction& instruction, Lowering& lowering);
Op LowerRedux(const ptx::Instruction& instruction, Lowering& lowering);
Op LowerActiveMask(const ptx::Instruction& instruction, Lowering& lowering);
Op LowerElect(const ptx::Instruction& instruction, Lowering& lowering);

// An operand d|p, or d alone: its parts; the second null when absent.
const ptx::Operand& FirstOfPair(const ptx::Operand& operand, const ptx::Operand** second);

}  // namespace emu
