// wmma.load, wmma.store and wmma.mma (PTX ISA, "Matrix multiply-accumulate operation using wmma instructions").
#pragma once

#include "tools/emulator/exec/lowering.h"
#include "tools/emulator/tensor/layouts.h"

namespace emu {

Op LowerWmma(const ptx::Instruction& instruction, Lowering& lowering);

// The registers of a fragment: what the ISA tells. 0 when there is no such fragment.
int WmmaRegisters(Role role, const Shape& shape, Element type);

// Place of element `i` of `lane`. The ISA leaves it open; here it is that of mma, block after block of 16 (or 8) rows and 8
// columns. f16 fragments of A and B have more places than the matrix has elements: they repeat.
Position WmmaElementAt(Role role, const Shape& shape, Element type, int lane, int i);

}  // namespace emu
