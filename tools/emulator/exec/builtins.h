// The functions that the CUDA driver gives to every program on the device: vprintf, __assertfail, malloc, free.
#pragma once

#include <cstddef>
#include <vector>

#include "tools/emulator/exec/program.h"
#include "tools/emulator/exec/warp.h"

namespace emu {

// `arguments`: for each place of `places`, its bytes for each of the 32 lanes. `results` is left empty or becomes the
// 32 values of the result.
void CallBuiltin(Warp& warp, const Op& op, const Callee& callee, const std::vector<std::byte>& arguments,
                 const std::vector<Place>& places, LaneMask lanes, std::vector<std::byte>* results);

}  // namespace emu
