// Allocations.
#pragma once

#include "tools/emulator/driver/state.h"

namespace emu::driver {

// The allocation that holds the address; null when none does. *begin is its start.
Allocation* FindAllocation(std::uint64_t address, std::uint64_t* begin);
// Whether the bytes are memory of a device, in one allocation (a module's variable, too).
bool OnDevice(std::uint64_t address, std::uint64_t bytes);
// 0 when there is no room.
std::uint64_t Allocate(Context& context, std::uint64_t bytes, Allocation::Kind kind, unsigned flags,
                       MemoryPool* pool = nullptr);
// Forgets the allocation that begins there. False when there is none.
bool Release(std::uint64_t address);

}  // namespace emu::driver
