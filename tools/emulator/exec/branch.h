// Branches, and instructions that need next to nothing.
#pragma once

#include "tools/emulator/exec/lowering.h"

namespace emu {

Op LowerBranch(const ptx::Instruction& instruction, Lowering& lowering);
Op LowerIndexedBranch(const ptx::Instruction& instruction, Lowering& lowering);
Op LowerTrap(const ptx::Instruction& instruction, Lowering& lowering);
Op LowerNothing(const ptx::Instruction& instruction, Lowering& lowering);
Op LowerSetMaxRegisters(const ptx::Instruction& instruction, Lowering& lowering);

}  // namespace emu
