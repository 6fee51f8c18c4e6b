#include "tools/emulator/ptx/module.h"

namespace emu::ptx {

std::vector<int> Reconvergence(const Function& function) { return std::vector<int>(function.code.size(), -1); }

}  // namespace emu::ptx
