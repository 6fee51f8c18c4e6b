// Special registers (PTX ISA, "Special Registers").
#pragma once

#include <cstdint>
#include <string>

#include "tools/emulator/exec/op.h"

namespace emu {

class Warp;

bool KnownSpecial(const std::string& name);
// Clocks: their value is another each time.
bool ReadAtRunTime(const std::string& name);
// An op that writes such a register's value, of `bytes` bytes per lane, to `at`.
Op ReadSpecial(const std::string& name, std::uint32_t bytes, std::uint32_t at);
// The value of any other for one lane. Predicates are 0 or 1.
using SpecialValue = std::uint64_t (*)(const Warp& warp, std::uint32_t lane);
SpecialValue FindSpecial(const std::string& name);

}  // namespace emu
