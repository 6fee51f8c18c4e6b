#include "tools/emulator/exec/barriers.h"
#include "tools/emulator/exec/branch.h"
#include "tools/emulator/exec/calls.h"
#include "tools/emulator/exec/families.h"
#include "tools/emulator/exec/shuffle.h"

namespace emu {

std::span<const Family> ControlFamilies() {
  static const Family families[] = {
      {"bra", LowerBranch},
      {"brx", LowerIndexedBranch},
      {"call", LowerCall},
      {"ret", LowerReturn},
      {"exit", LowerExit},
      {"trap", LowerTrap},
      {"brkpt", LowerTrap},
      {"bar", LowerBar},
      {"barrier", LowerBarrier},
      {"griddepcontrol", LowerGridDependency},
      {"shfl", LowerShuffle},
      {"vote", LowerVote},
      {"match", LowerMatch},
      {"redux", LowerRedux},
      {"activemask", LowerActiveMask},
      {"elect", LowerElect},
      {"setmaxnreg", LowerSetMaxRegisters},
      {"nanosleep", LowerNothing},
      {"pmevent", LowerNothing},
  };
  return families;
}

}  // namespace emu
