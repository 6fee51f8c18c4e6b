// Fences.
#pragma once

#include "tools/emulator/exec/lowering.h"

namespace emu {

Op LowerFence(const ptx::Instruction& instruction, Lowering& lowering);
Op LowerMembar(const ptx::Instruction& instruction, Lowering& lowering);

}  // namespace emu
