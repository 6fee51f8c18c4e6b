#include <vector>

#include "tools/emulator/exec/families.h"
#include "tools/emulator/exec/program.h"

namespace emu {

std::span<const Family> AllFamilies() {
  static const std::vector<Family> all = [] {
    std::vector<Family> families;
    for (const auto& part : {ControlFamilies(), ArithmeticFamilies(), MemoryFamilies(), AsyncFamilies(), TensorFamilies()}) {
      families.insert(families.end(), part.begin(), part.end());
    }
    return families;
  }();
  return all;
}

}  // namespace emu
