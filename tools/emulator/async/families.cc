#include "tools/emulator/exec/families.h"

#include "tools/emulator/async/instructions.h"

namespace emu {
namespace {

// cp: the second word tells copies of single threads from bulk copies.
Op LowerCopy(const ptx::Instruction& instruction, Lowering& lowering) {
  if (instruction.Has("tensor")) return LowerTensorCopy(instruction, lowering);
  if (instruction.Has("bulk")) return LowerBulkCopy(instruction, lowering);
  return LowerThreadCopy(instruction, lowering);
}

}  // namespace

std::span<const Family> AsyncFamilies() {
  static constexpr Family kFamilies[] = {
      {"cp", LowerCopy},
      {"mbarrier", LowerMbarrier},
      {"tensormap", LowerTensorMap},
  };
  return kFamilies;
}

}  // namespace emu
