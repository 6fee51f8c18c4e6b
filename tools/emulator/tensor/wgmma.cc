#include "tools/emulator/tensor/wgmma.h"

namespace emu {

Op LowerWgmma(const ptx::Instruction&, Lowering& lowering) { lowering.Refuse("not known yet"); }

}  // namespace emu
