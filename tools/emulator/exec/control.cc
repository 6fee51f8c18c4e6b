#include "tools/emulator/exec/families.h"

namespace emu {

std::span<const Family> ControlFamilies() { return {}; }

}  // namespace emu
