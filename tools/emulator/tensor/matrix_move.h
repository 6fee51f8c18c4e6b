// ldmatrix, stmatrix and movmatrix (PTX ISA, "Warp-level matrix load instruction", "... store instruction", "... transpose
// instruction").
#pragma once

#include "tools/emulator/exec/lowering.h"

namespace emu {

Op LowerLdmatrix(const ptx::Instruction& instruction, Lowering& lowering);
Op LowerStmatrix(const ptx::Instruction& instruction, Lowering& lowering);
Op LowerMovmatrix(const ptx::Instruction& instruction, Lowering& lowering);

}  // namespace emu
