// Which registers an instruction reads and writes.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/emulator/ptx/module.h"

namespace emu::ptx {

enum class Access : std::uint8_t {
  kRead,
  kWritten,  // as a whole, for every thread that runs the instruction
  kTouched,  // read, and perhaps written
};

struct Effect {
  int reg;
  Access access;
};

// The registers that the instruction names, the guard included. A guarded instruction's results count as written. What an
// unknown instruction names counts as touched.
void Effects(const Instruction& instruction, std::vector<Effect>& out);

// Whether the instruction's registers are busy after it.
bool IsAsynchronous(const Instruction& instruction);

}  // namespace emu::ptx
