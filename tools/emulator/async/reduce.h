// Reductions of cp.reduce.async.bulk and red.async: to[i] = to[i] op from[i].
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tools/emulator/ptx/module.h"

namespace emu {

enum class Reduction : std::uint8_t { kNone, kAdd, kMin, kMax, kInc, kDec, kAnd, kOr, kXor };

// "add" -> kAdd; kNone when it is none.
Reduction ParseReduction(const std::string& modifier);
const char* ToString(Reduction reduction);
// Whether the hardware has it: PTX ISA, table of types of cp.reduce.async.bulk to global memory. Untyped bits stand for
// unsigned integers of their size.
bool CanReduce(Reduction reduction, ptx::Type type);
// `elements` values of `type`, with the arithmetic of red on global memory; CanReduce holds. Neither pointer need be
// aligned.
void Reduce(Reduction reduction, ptx::Type type, std::byte* to, const std::byte* from, std::size_t elements);

}  // namespace emu
