// Calls, returns and the functions that every CUDA program finds on the device.
#pragma once

#include "tools/emulator/exec/lowering.h"

namespace emu {

Op LowerCall(const ptx::Instruction& instruction, Lowering& lowering);
Op LowerReturn(const ptx::Instruction& instruction, Lowering& lowering);
Op LowerExit(const ptx::Instruction& instruction, Lowering& lowering);
// What runs behind the last instruction of a function: an exit or a return.
Op FallOffTheEnd(bool entry);

}  // namespace emu
