// What the machine alone may do to a warp.
#pragma once

#include "tools/emulator/exec/warp.h"

namespace emu {

struct WarpLanes {
  static void SetActive(Warp& warp, LaneMask lanes) { warp.active_ = lanes; }
  static void Remove(Warp& warp, LaneMask lanes) { warp.present_ &= ~lanes; }
  // Makes the warp's file and sets which lanes exist.
  static void Begin(Warp& warp);
};

// The lanes are gone: tells the checker, and the barriers that wait for nobody else. The rest of the current fragment goes on
// at `next`.
void ExitLanes(Warp& warp, LaneMask lanes, int next);

}  // namespace emu
