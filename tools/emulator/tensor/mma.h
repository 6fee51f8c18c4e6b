// mma.sync (PTX ISA, "Multiply-and-Accumulate Instruction: mma").
#pragma once

#include "tools/emulator/exec/lowering.h"

namespace emu {

Op LowerMma(const ptx::Instruction& instruction, Lowering& lowering);

}  // namespace emu
