// What CTAs and warps remember of asynchronous copies and mbarriers.
#pragma once

#include "tools/emulator/check/checker.h"

namespace emu {

struct AsyncState {};  // per CTA

struct CopyState {};  // per warp

}  // namespace emu
