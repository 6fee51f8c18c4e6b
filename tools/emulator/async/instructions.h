// The instructions of this folder, by file.
#pragma once

#include "tools/emulator/exec/lowering.h"

namespace emu {

Op LowerMbarrier(const ptx::Instruction& instruction, Lowering& lowering);      // mbarrier.*
Op LowerMbarrierWait(const ptx::Instruction& instruction, Lowering& lowering);  // mbarrier.test_wait, .try_wait
Op LowerThreadCopy(const ptx::Instruction& instruction, Lowering& lowering);    // cp.async without .bulk
Op LowerBulkCopy(const ptx::Instruction& instruction,
                 Lowering& lowering);  // cp{.reduce}.async.bulk without .tensor
Op LowerTensorCopy(const ptx::Instruction& instruction,
                   Lowering& lowering);  // cp{.reduce}.async.bulk{...}.tensor
Op LowerTensorMap(const ptx::Instruction& instruction, Lowering& lowering);  // tensormap.*

}  // namespace emu
