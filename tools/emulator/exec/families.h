// The tables of instructions, by the folder that has them.
#pragma once

#include <span>

#include "tools/emulator/exec/lowering.h"

namespace emu {

std::span<const Family> ControlFamilies();      // exec/: bra, call, ret, exit, bar, barrier, shfl, vote, setmaxnreg, ...
std::span<const Family> ArithmeticFamilies();   // alu/
std::span<const Family> MemoryFamilies();       // memory/: ld, st, atom, red, cvta, isspacep, mapa, fence, membar, prefetch, ...
std::span<const Family> AsyncFamilies();        // async/: cp, mbarrier, and what memory/ hands on (st.async, red.async)
std::span<const Family> TensorFamilies();       // tensor/: mma, wmma, wgmma, ldmatrix, stmatrix, movmatrix

}  // namespace emu
