#include "tools/emulator/exec/warp.h"

namespace emu {

void CheckInFlight(Warp&, const Op&) {}

}  // namespace emu
