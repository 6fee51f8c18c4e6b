// st.async and red.async: stores to another CTA's shared memory that an mbarrier counts.
#pragma once

#include "tools/emulator/exec/lowering.h"

namespace emu {

// For the families "st" and "red" when the instruction has ".async".
Op LowerStoreAsync(const ptx::Instruction& instruction, Lowering& lowering);

}  // namespace emu
