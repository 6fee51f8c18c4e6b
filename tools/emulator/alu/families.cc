#include "tools/emulator/exec/families.h"

namespace emu {

std::span<const Family> ArithmeticFamilies() { return {}; }

}  // namespace emu
