#include "tools/emulator/exec/families.h"

#include "tools/emulator/memory/access.h"
#include "tools/emulator/memory/conversions.h"
#include "tools/emulator/memory/fence.h"
#include "tools/emulator/memory/hints.h"
#include "tools/emulator/memory/stack.h"

namespace emu {
namespace {

Op LowerIstypep(const ptx::Instruction&, Lowering& lowering) {
  lowering.Refuse("textures are not known");
  return {};
}

Op LowerMultimem(const ptx::Instruction&, Lowering& lowering) {
  lowering.Refuse("there are no multicast objects on one device");
  return {};
}

}  // namespace

std::span<const Family> MemoryFamilies() {
  static constexpr Family kFamilies[] = {
      {"ld", LowerLoad},
      {"ldu", LowerUniformLoad},
      {"st", LowerStore},
      {"atom", LowerAtomic},
      {"red", LowerReduction},
      {"multimem", LowerMultimem},
      {"cvta", LowerCvta},
      {"isspacep", LowerIsspacep},
      {"istypep", LowerIstypep},
      {"mapa", LowerMapa},
      {"getctarank", LowerGetctarank},
      {"fence", LowerFence},
      {"membar", LowerMembar},
      {"prefetch", LowerPrefetch},
      {"prefetchu", LowerPrefetch},
      {"discard", LowerDiscard},
      {"applypriority", LowerApplypriority},
      {"createpolicy", LowerCreatepolicy},
      {"alloca", LowerAlloca},
      {"stacksave", LowerStacksave},
      {"stackrestore", LowerStackrestore},
  };
  return kFamilies;
}

}  // namespace emu
