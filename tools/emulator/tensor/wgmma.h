// wgmma (PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions").
#pragma once

#include "tools/emulator/exec/lowering.h"

namespace emu {

// wgmma.mma_async, wgmma.fence, wgmma.commit_group, wgmma.wait_group.
Op LowerWgmma(const ptx::Instruction& instruction, Lowering& lowering);

}  // namespace emu
