// The control-flow graph of a function.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/emulator/ptx/module.h"

namespace emu::ptx {

// How the last instruction of a block may end a thread's way through the function.
enum class Leave : std::uint8_t { kNone, kReturn, kExit, kTrap };

struct Block {
  int begin = 0, end = 0;       // instructions [begin, end)
  std::vector<int> successors;  // blocks, each once
  Leave leave = Leave::kNone;   // besides the successors, if there are any
};

// Blocks in the order of the code. Branches go where their labels and tables say; calls return.
std::vector<Block> ControlFlow(const Function& function);

}  // namespace emu::ptx
