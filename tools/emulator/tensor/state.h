// What a warp remembers of wgmma.
#pragma once

#include "tools/emulator/check/checker.h"

namespace emu {

struct WgmmaState {};

}  // namespace emu
