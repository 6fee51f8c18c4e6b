#include "tools/emulator/exec/families.h"

namespace emu {

std::span<const Family> MemoryFamilies() { return {}; }

}  // namespace emu
