#include "tools/emulator/exec/families.h"

#include "tools/emulator/async/store_async.h"

namespace emu {
namespace {

Op LowerUnknown(const ptx::Instruction& instruction, Lowering& lowering) {
  lowering.Refuse("not known: " + instruction.Name());
}

}  // namespace

Op LowerStoreAsync(const ptx::Instruction& instruction, Lowering& lowering) {
  return LowerUnknown(instruction, lowering);
}

std::span<const Family> AsyncFamilies() {
  static constexpr Family kFamilies[] = {
      {"cp", LowerUnknown},
      {"mbarrier", LowerUnknown},
      {"tensormap", LowerUnknown},
  };
  return kFamilies;
}

}  // namespace emu
