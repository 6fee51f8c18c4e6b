// alloca, stacksave, stackrestore.
#pragma once

#include "tools/emulator/exec/lowering.h"

namespace emu {

Op LowerAlloca(const ptx::Instruction& instruction, Lowering& lowering);
Op LowerStacksave(const ptx::Instruction& instruction, Lowering& lowering);
Op LowerStackrestore(const ptx::Instruction& instruction, Lowering& lowering);

}  // namespace emu
