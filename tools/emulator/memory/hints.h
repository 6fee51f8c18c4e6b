// Instructions about caches: they change no value, except discard.
#pragma once

#include "tools/emulator/exec/lowering.h"

namespace emu {

Op LowerPrefetch(const ptx::Instruction& instruction, Lowering& lowering);  // prefetch, prefetchu
Op LowerDiscard(const ptx::Instruction& instruction, Lowering& lowering);
Op LowerApplypriority(const ptx::Instruction& instruction, Lowering& lowering);
Op LowerCreatepolicy(const ptx::Instruction& instruction, Lowering& lowering);

}  // namespace emu
