// Addresses in words, for messages.
#pragma once

#include <cstdint>
#include <string>

#include "tools/emulator/memory/addresses.h"

namespace emu {

// What an address that was used in `window` looks like: "offset 52 of the 48 bytes of shared memory of ...", "an address
// of shared memory, used as one of global memory", "12 bytes past the end of the allocation ...".
std::string DescribeAddress(const Warp& warp, Window window, std::uint64_t address);

}  // namespace emu
