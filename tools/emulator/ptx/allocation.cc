#include "tools/emulator/ptx/module.h"

namespace emu::ptx {

Allocation AllocateRegisters(const Function&) { return {}; }

}  // namespace emu::ptx
