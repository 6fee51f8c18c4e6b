// Instructions about addresses: cvta, isspacep, mapa, getctarank.
#pragma once

#include "tools/emulator/exec/lowering.h"

namespace emu {

Op LowerCvta(const ptx::Instruction& instruction, Lowering& lowering);
Op LowerIsspacep(const ptx::Instruction& instruction, Lowering& lowering);
Op LowerMapa(const ptx::Instruction& instruction, Lowering& lowering);
Op LowerGetctarank(const ptx::Instruction& instruction, Lowering& lowering);

}  // namespace emu
